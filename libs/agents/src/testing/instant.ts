// Owns an agent that returns at once: what a run costs without anybody thinking (measurements and tests only).
import type { ResultInput } from "@firm/protocol";
import type { Agent, AgentEvent, AgentInput } from "../types.ts";

/** Answers every handoff with the same small result. */
export function instant(): Agent {
  return {
    name: "instant",
    readiness: () => Promise.resolve({ ready: true, detail: "returns a fixed result; for measurements" }),
    async *run(input: AgentInput): AsyncGenerator<AgentEvent, void, string | undefined> {
      if (input.signal.aborted) return;
      yield { type: "result", result: resultOf(input) };
    },
  };
}

function resultOf(input: AgentInput): ResultInput {
  return {
    status: "ok",
    objective_key: input.objectiveKey,
    summary: `${input.role} is done: ${input.contract.definition_of_done}`.slice(0, 4_000),
    output: "",
    agent: { name: "instant" },
  };
}
