// The promise: one trace from the objective to the deliverable through every process, with links for retries, at a real OTLP endpoint.
import { HEADERS, ROOT_HANDOFF, spans, subjects, traceIdOf } from "@firm/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { attribute, startOtlp, type OtlpReceiver, type ReceivedSpan } from "../harness/otlp.ts";
import { answerOf, askRole } from "../harness/questions.ts";
import { startSystem, type FirmSystem } from "../harness/system.ts";

const YAML = `
agents: { default: scripted }
bus: { ack_wait_seconds: 1 }
departments:
  - { name: engineering, services: [{ name: backend, employees: [{ name: implementer }] }] }
`;
const PYRAMID = ["ceo", "department:engineering", "service:backend", "employee:implementer"];

let otlp: OtlpReceiver;
let system: FirmSystem;
beforeAll(async () => {
  otlp = await startOtlp();
  system = await startSystem({
    yaml: YAML,
    roles: [...PYRAMID, "cfo", "cro"],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url },
  });
});
afterAll(async () => {
  await system.stop();
  await otlp.stop();
});

const has =
  (...names: string[]) =>
  (all: readonly ReceivedSpan[]): boolean =>
    names.every((name) => all.some((span) => span.name === name));

/** The names from a span up to the root of its trace. */
function upwards(all: readonly ReceivedSpan[], start: ReceivedSpan | undefined): string[] {
  const names: string[] = [];
  for (let span = start; span !== undefined; span = all.find(({ spanId }) => spanId === span?.parentSpanId))
    names.push(span.name);
  return names;
}

it("is one tree of every process's spans, below the caller's own trace", async () => {
  await system.script({
    "employee:implementer": [
      { do: "result", result: { output: "[INVOKE:cfo|What may it cost?]" } },
      { do: "result", result: { output: "Built." } },
    ],
    cfo: [{ do: "result", result: { output: answerOf("cfo") } }],
  });
  const caller = { traceId: "a".repeat(32), spanId: "b".repeat(16) };
  const reply = await system.user.request(subjects.objective, '{"objective":"Build a payment API"}', {
    headers: { [HEADERS.traceparent]: `00-${caller.traceId}-${caller.spanId}-01` },
  });
  const { run } = JSON.parse(reply.text()) as { run: string };
  const end = await system.finished(run);
  expect(end.status).toBe("delivered");
  const roles = PYRAMID.flatMap((role) => [`handoff ${role}`, `process ${role}`]);
  const all = await otlp.trace(
    traceIdOf(run),
    has(
      "run run",
      ...roles,
      "invoke cfo",
      "process cfo",
      "invoke_agent cfo",
      "invoke_agent employee:implementer",
    ),
  );

  const root = all.find(({ name }) => name === "run run");
  expect(root).toMatchObject({ spanId: spans.run(run), links: [caller], status: {} });
  expect(all.filter(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === "")).toEqual([root]);
  expect(
    upwards(
      all,
      all.find(({ name }) => name === "invoke_agent cfo"),
    ),
  ).toEqual([
    "invoke_agent cfo",
    "process cfo",
    "invoke cfo",
    "process employee:implementer",
    "handoff employee:implementer",
    "handoff service:backend",
    "handoff department:engineering",
    "handoff ceo",
    "run run",
  ]);
  const agent = all.find(({ name }) => name === "invoke_agent employee:implementer");
  expect(attribute(agent ?? expect.fail(), "gen_ai.operation.name")).toBe("invoke_agent");
  expect(attribute(agent ?? expect.fail(), "gen_ai.provider.name")).toBe("scripted");
  expect(new Set(all.map(({ service }) => service))).toEqual(
    new Set([
      "firm-gateway",
      "firm-ceo",
      "firm-department-engineering",
      "firm-service-backend",
      "firm-employee-implementer",
      "firm-cfo",
    ]),
  );
  for (const one of system.processesOf("gateway"))
    expect(one.log()).toContain(`"trace_id":"${traceIdOf(run)}"`);
});

it("links an attempt to the one before, which was killed", async () => {
  await system.script({ "service:backend": [{ do: "hang" }] });
  const { run } = await system.objective({ objective: "Build it again" });
  const started = (role: string) => (event: { type: string; role?: string }) =>
    event.type === "started" && event.role === role;
  const events = await system.events(run, (seen) =>
    seen.some(({ event }) => started("service:backend")(event)),
  );
  const handoff = events.map(({ event }) => event).find(started("service:backend"));
  await system.processesOf("service:backend")[0]?.kill("SIGKILL");
  await system.script({});
  await system.heal();
  await system.finished(run);
  const id = handoff?.type === "started" ? handoff.handoff : ROOT_HANDOFF;
  // A busy machine may have taken the first attempt away before the kill: each later one names the one before.
  const again = (all: readonly ReceivedSpan[]) =>
    all.filter(({ name, links }) => name === "process service:backend" && links.length > 0);
  const all = await otlp.trace(traceIdOf(run), (seen) => has("run run")(seen) && again(seen).length > 0);
  for (const span of again(all)) {
    const attempt = Number(attribute(span, "firm.attempt"));
    expect(attempt).toBeGreaterThan(1);
    expect(span).toMatchObject({
      spanId: spans.attempt(run, id, attempt),
      links: [{ traceId: traceIdOf(run), spanId: spans.attempt(run, id, attempt - 1) }],
    });
  }
});

it("shows a refusal as an error of its question", async () => {
  await system.script({
    cro: [
      { do: "result", result: { output: "[INVOKE:cfo|Runway?]" } },
      { do: "result", result: { output: answerOf("cro") } },
    ],
    cfo: [
      { do: "result", result: { output: "[INVOKE:cro|Deals?]" } },
      { do: "result", result: { output: answerOf("cfo") } },
    ],
  });
  const asked = await askRole(system, "cro", "Circular, traced?");
  await asked.reply;
  const all = await otlp.trace(
    traceIdOf(asked.run),
    (seen) =>
      has("run ask", "process cro", "process cfo", "invoke cfo")(seen) &&
      seen.filter(({ name }) => name === "invoke cro").length === 2,
  );
  expect(
    all
      .filter(({ name }) => name === "invoke cro")
      .map(({ status }) => status.code ?? 0)
      .toSorted((a, b) => a - b),
  ).toEqual([0, 2]);
  const refused = all.find(({ name, status }) => name === "invoke cro" && status.code === 2);
  expect(refused?.status.message).toContain("circular call detected in chain cro→cfo");
  expect(upwards(all, refused)).toEqual([
    "invoke cro",
    "process cfo",
    "invoke cfo",
    "process cro",
    "invoke cro",
    "run ask",
  ]);
});
