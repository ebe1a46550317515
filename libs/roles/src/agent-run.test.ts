// An agent's events become a valid result in time, whatever the agent does.
import { workOrder } from "@firm/actor/testing";
import type { AgentEvent, AgentInput } from "@firm/agents";
import { FirmError } from "@firm/protocol";
import { expect, test } from "vitest";
import { playRole, reserveOf } from "./agent-run.ts";
import { memoryGateway } from "./testing/memory-gateway.ts";
import { agentOf, workOn } from "./testing/work.ts";

type Script = (input: AgentInput) => AsyncGenerator<AgentEvent, void, string | undefined>;

function play(
  script: Script,
  over: Parameters<typeof workOrder>[0] = {},
  work: Parameters<typeof workOn>[2] = {},
) {
  const order = workOrder(over);
  const hand = workOn(order, memoryGateway(order, {}), work);
  const briefing = { children: [], expertise: "payments" };
  return { hand, played: playRole(agentOf(script), "department:engineering", hand, briefing) };
}

const result = (over: object = {}) => ({
  status: "ok" as const,
  objective_key: "any",
  summary: "done",
  ...over,
});

const aborted = (input: AgentInput): Promise<void> =>
  new Promise((resolve) => {
    if (input.signal.aborted) resolve();
    input.signal.addEventListener("abort", () => resolve());
  });

test("a result carries the order's key and the agent's name", async () => {
  const { played } = play(async function* () {
    yield { type: "result", result: result() };
  });
  expect(await played).toMatchObject({
    type: "result",
    result: { objective_key: "build-a-payment-api", agent: { name: "test" }, summary: "done" },
  });
});

test("usage said while working is summed, and is the whole", async () => {
  const usage = { input_tokens: 10, cached_tokens: 1, output_tokens: 5, usd: 0.25 };
  const { played } = play(async function* () {
    yield { type: "usage", usage };
    yield { type: "usage", usage };
    yield { type: "result", result: result({ usage }) };
  });
  expect(await played).toMatchObject({
    result: { usage: { input_tokens: 20, cached_tokens: 2, output_tokens: 10, usd: 0.5 } },
  });
});

test("blocked becomes a result that names the blocker, with what was done", async () => {
  const { played } = play(async function* () {
    yield {
      type: "blocked",
      by: "department:legal",
      reason: "licence unclear",
      partial: result({ output: "half" }),
    };
  });
  expect(await played).toMatchObject({
    result: { status: "blocked", blocked_by: "department:legal", blocker: "licence unclear", output: "half" },
  });
});

test("a question that is refused gets its refusal as the answer, and stands as an assumption", async () => {
  let answer: string | undefined;
  const { played } = play(async function* () {
    answer = yield { type: "invocation", role: "cfo", question: "How much?" };
    yield { type: "result", result: result() };
  });
  const end = await played;
  expect(answer).toMatch(/^\[BLOCKED: cannot invoke cfo — depth\]\nState assumption used instead: \[/);
  expect(end).toMatchObject({
    result: { assumptions: [expect.stringContaining('no answer from cfo to "How much?"')] },
  });
});

test.each<[string, Script, string]>([
  ["ends without a result", async function* () {}, "ended without a result"],
  [
    "gives what is no result",
    async function* () {
      yield { type: "result", result: result({ findings: [{ title: "no key" }] }) };
    },
    "findings.0.objective_key",
  ],
  [
    "throws",
    async function* () {
      yield { type: "text", text: "" };
      throw new FirmError("agent-failed", "exit code 41");
    },
    "exit code 41",
  ],
])("an agent that %s has failed", async (_, script, message) => {
  const { played } = play(script);
  await expect(played).rejects.toMatchObject({
    code: "agent-failed",
    message: expect.stringContaining(message),
  });
});

test("stopped before the deadline, its latest checkpoint rises", async () => {
  const { played } = play(
    async function* (input) {
      yield { type: "checkpoint", note: "half", partial: result({ summary: "half" }) };
      await aborted(input);
    },
    { deadline: Date.now() + 40 },
  );
  expect(await played).toMatchObject({
    type: "out-of-time",
    partial: { status: "partial", summary: "half" },
  });
});

test("an agent that ignores its signal is left behind", async () => {
  const { played } = play(
    async function* () {
      await new Promise(() => undefined);
      yield { type: "text", text: "" };
    },
    { deadline: Date.now() + 30 },
  );
  expect(await played).toEqual({ type: "out-of-time", partial: undefined });
});

test("running text is a partial result where nothing better was kept", async () => {
  const { played } = play(
    async function* (input) {
      yield { type: "text", text: "first line\nsecond" };
      await aborted(input);
    },
    { deadline: Date.now() + 40 },
  );
  expect(await played).toMatchObject({ partial: { status: "partial", output: "first line\nsecond" } });
});

test("a stop is no partial result: it is thrown on", async () => {
  const { hand, played } = play(async function* (input) {
    yield { type: "checkpoint", note: "half", partial: result() };
    await aborted(input);
  });
  setImmediate(() => hand.stop(new FirmError("run-cancelled", "stopped")));
  await expect(played).rejects.toMatchObject({ code: "run-cancelled" });
});

test("the reserve stays below half of the smallest margin between child and parent", () => {
  for (const left of [50, 500, 1_000, 30_000, 86_400_000]) {
    const margin = Math.min(Math.max(left * 0.05, 50), 1_000);
    expect(reserveOf(left, 0)).toBeLessThan(margin / 2);
  }
});
