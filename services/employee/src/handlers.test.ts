// An employee's agent does the work; at the deadline what there is rises, and nothing is made up.
import { workOrder } from "@firm/actor/testing";
import type { AgentEvent, AgentInput } from "@firm/agents";
import { expect, test } from "vitest";
import { agentOf, contextOf, memoryGateway, workOn } from "@firm/roles/testing";
import { employeeHandler } from "./handlers.ts";

async function work(
  script: (input: AgentInput) => AsyncGenerator<AgentEvent, void, string | undefined>,
  deadline = Date.now() + 30_000,
) {
  const order = workOrder({ deadline });
  return employeeHandler(contextOf("employee:implementer", agentOf(script)))(
    workOn(order, memoryGateway(order, {})),
  );
}

const untilStopped = (input: AgentInput): Promise<void> =>
  new Promise((resolve) => {
    input.signal.addEventListener("abort", () => resolve());
  });

const part = { status: "ok" as const, objective_key: "k", summary: "half" };

test("the agent's result is the employee's", async () => {
  const outcome = await work(async function* () {
    yield { type: "result", result: part };
  });
  expect(outcome).toMatchObject({ status: "ok", summary: "half" });
});

test("at the deadline its checkpoint is a partial result that says why", async () => {
  const outcome = await work(async function* (input) {
    yield { type: "checkpoint", note: "half", partial: part };
    await untilStopped(input);
  }, Date.now() + 40);
  expect(outcome).toMatchObject({
    status: "partial",
    summary: "half",
    open_items: ["employee:implementer: stopped at the deadline, not finished"],
  });
});

test("with nothing to show it brings no result: the gateway writes the timeout", async () => {
  const nothing = work(async function* (input) {
    await untilStopped(input);
    yield { type: "text", text: "" };
  }, Date.now() + 30);
  await expect(nothing).rejects.toMatchObject({ code: "deadline-passed" });
});
