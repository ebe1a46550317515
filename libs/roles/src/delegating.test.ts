// Every delegating role: parallel dispatch, blockers, deadlines, replay, condensing (seed: firm-orchestration, Phases 1 to 4).
import { workOrder } from "@firm/actor/testing";
import { FirmError, type WorkOrder } from "@firm/protocol";
import { expect, test } from "vitest";
import type { WorkOutcome } from "@firm/actor";
import { delegatingHandler, handDown } from "./delegating.ts";
import { memoryGateway, type ChildScript } from "./testing/memory-gateway.ts";
import { agentOf, contextOf, workOn } from "./testing/work.ts";

const YAML = `
departments:
  - name: engineering
    services:
      - {name: backend, employees: [{name: implementer}]}
      - {name: frontend, employees: [{name: designer}]}
`;

/** Says how many reports it was given. */
const counting = agentOf(async function* (input) {
  const summary = `${input.children.length} reports`;
  yield {
    type: "result",
    result: { status: "ok", objective_key: input.objectiveKey, summary, output: "condensed" },
  };
});

const context = (agent = counting) => contextOf("department:engineering", agent, YAML);

async function run(script: Record<string, ChildScript>, over: Partial<WorkOrder> = {}, agent = counting) {
  const order = workOrder(over);
  const gateway = memoryGateway(order, script);
  const outcome: WorkOutcome = await delegatingHandler(context(agent))(workOn(order, gateway));
  if ("deliverable" in outcome) throw new Error("a department delivers no deliverable");
  return { gateway, result: outcome };
}

const full = {
  output: "Summary, findings and recommendations",
  findings: [{ objective_key: "f", title: "t", recommendation: "r" }],
};

test("all reports get the whole contract in one go, and the agent condenses what they bring", async () => {
  const { gateway, result } = await run({ "service:backend": full, "service:frontend": full });
  expect(gateway.log.slice(0, 2).map(({ event }) => event.type)).toEqual(["handoff", "handoff"]);
  expect(gateway.contracts.map(({ from, to, objective }) => [from, to, objective])).toEqual([
    ["department:engineering", "service:backend", "Build a payment API"],
    ["department:engineering", "service:frontend", "Build a payment API"],
  ]);
  expect(result).toMatchObject({ status: "ok", summary: "2 reports" });
});

test("a report that misses its definition of done lowers the quality and is named; what it brought stays", async () => {
  const { result } = await run({ "service:backend": full, "service:frontend": { output: "" } });
  expect(result.quality).toBe("partial");
  expect(result.unmet.join()).toContain("service:frontend");
  expect(result.findings).toHaveLength(1);
});

test("a report that stays silent is a timeout, and the others' work rises before the deadline", async () => {
  const deadline = Date.now() + 400;
  const { result } = await run({ "service:backend": full, "service:frontend": "silent" }, { deadline });
  expect(result.status).toBe("partial");
  expect(result.open_items.join()).toContain("service:frontend: timeout");
});

test("a refused handoff is that report's failure, not the role's", async () => {
  const { result } = await run({
    "service:backend": full,
    "service:frontend": new FirmError("spawn-limit", "20 of 20 spawns are used"),
  });
  expect(result.status).toBe("partial");
  expect(result.open_items.join()).toContain("20 of 20 spawns");
});

test("a refusal of the run itself ends the work", async () => {
  await expect(run({ "service:backend": new FirmError("run-cancelled", "cancelled") })).rejects.toMatchObject(
    { code: "run-cancelled" },
  );
});

test("a blocked report leads to a joint session, the resolution goes back, and it is done", async () => {
  const { gateway, result } = await run({
    "service:backend": { status: "blocked", blocked_by: "service:frontend", blocker: "no form yet" },
    "service:backend#1": full,
    "service:frontend": full,
    "service:frontend#1": { summary: "the form has two fields" },
  });
  expect(result.status).toBe("ok");
  expect(gateway.log.filter(({ event }) => event.type === "session")).toHaveLength(1);
  expect(gateway.contracts.at(-1)?.constraints.join()).toContain("the form has two fields");
});

test("a blocker from outside goes up unchanged, for only those above can resolve it", async () => {
  const { result } = await run({
    "service:backend": { status: "blocked", blocked_by: "department:legal", blocker: "licence" },
    "service:frontend": full,
  });
  expect(result).toMatchObject({ status: "blocked", blocked_by: "department:legal" });
});

test("an agent that fails to condense loses nothing: the reports stand as they are", async () => {
  const failing = agentOf(async function* () {
    yield { type: "text", text: "" };
    throw new FirmError("agent-failed", "no key");
  });
  const { result } = await run({ "service:backend": full, "service:frontend": full }, {}, failing);
  expect(result.findings).toHaveLength(1);
  expect(result.open_items.join()).toContain("no key");
});

test("an agent cannot call done what was not", async () => {
  const { result } = await run({
    "service:backend": full,
    "service:frontend": { status: "failed", summary: "crashed" },
  });
  expect(result.status).toBe("partial");
  expect(result.open_items.join()).toContain("service:frontend: failed");
});

test("killed after any event, a second attempt asks for nothing twice and decides alike", async () => {
  const script = {
    "service:backend": { status: "blocked" as const, blocked_by: "service:frontend", blocker: "no form" },
    "service:backend#1": full,
    "service:frontend": full,
    "service:frontend#1": { summary: "two fields" },
  };
  const order = workOrder();
  const whole = memoryGateway(order, script);
  const first = await delegatingHandler(context())(workOn(order, whole));
  for (let killed = 0; killed <= whole.log.length; killed++) {
    const again = memoryGateway(order, script, whole.log.slice(0, killed));
    // Children that were handed to before the kill end all the same.
    const handed = again.log.flatMap(({ event }) => (event.type === "handoff" ? [event.handoff] : []));
    const ended = again.log.flatMap(({ event }) => (event.type === "end" ? [event.handoff] : []));
    for (const id of handed.filter((one) => !ended.includes(one))) {
      const end = whole.log.find(({ event }) => event.type === "end" && event.handoff === id);
      if (end !== undefined) again.log.push({ ...end, seq: 100 + again.log.length });
    }
    const second = await delegatingHandler(context())(workOn(order, again, { attempt: 2 }));
    expect(second).toEqual(first);
    const ids = again.log.flatMap(({ event }) => (event.type === "handoff" ? [event.handoff] : []));
    expect(new Set(ids).size).toBe(ids.length);
  }
});

test("what has arrived is kept at the gateway while the rest is awaited", async () => {
  const order = workOrder({ deadline: Date.now() + 1_500 });
  const gateway = memoryGateway(order, { "service:backend": full, "service:frontend": "silent" });
  const work = workOn(order, gateway);
  const kept = Promise.withResolvers<void>();
  const { checkpoint } = gateway;
  gateway.checkpoint = async (request) => {
    await checkpoint(request);
    if (request.result !== undefined) kept.resolve();
  };
  const handing = handDown(context(), work, ["service:backend", "service:frontend"]);
  await kept.promise;
  const saved = gateway.checkpoints.find(({ result }) => result !== undefined);
  expect(saved).toMatchObject({ note: "1 of 2 reports are in", result: { status: "partial" } });
  await handing;
});
