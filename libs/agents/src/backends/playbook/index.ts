// Owns the offline agent: no model, no network. Employees look at the workspace by their playbook; services, departments and
// the CEO condense what their reports found. What it cannot know it names as an assumption or a question.
import { FirmError, levelOf } from "@firm/protocol";
import type { AgentOptions } from "../../registry.ts";
import type { Agent, AgentEvent, AgentInput } from "../../types.ts";
import { contradictionIn, isResolveBlocker, resolveBlocker } from "./blockers.ts";
import { blockerOf, condense } from "./condense.ts";
import { fromText } from "./from-text.ts";
import { emptyPart, toResult } from "./part.ts";

/** The offline agent. */
export function playbook(options: AgentOptions): Agent {
  return {
    name: "playbook",
    readiness: () => Promise.resolve({ ready: true, detail: "offline: no model, no network" }),
    run: (input) => play(options, input),
  };
}

async function* play(
  options: AgentOptions,
  input: AgentInput,
): AsyncGenerator<AgentEvent, void, string | undefined> {
  if (input.signal.aborted) return;
  if (isResolveBlocker(input.contract.objective)) {
    yield { type: "result", result: toResult(input, resolveBlocker(input), "ok") };
    return;
  }
  const level = levelOf(input.role);
  if (input.role === "ceo" || level === "department" || level === "service") {
    yield endOf(input);
    return;
  }
  try {
    yield* employee(options, input);
  } catch (error) {
    // What an abort breaks off midway is not a failure: the runtime asked for it.
    if (input.signal.aborted) return;
    if (error instanceof FirmError) throw error;
    throw new FirmError(
      "agent-failed",
      `the playbook failed: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

/** The end of a role that delegates: its reports condensed, or what blocks them. */
function endOf(input: AgentInput): AgentEvent {
  const part = condense(input);
  const blocker = blockerOf(input.children);
  if (blocker !== undefined && input.role !== "ceo") {
    return {
      type: "blocked",
      by: blocker.by,
      reason: blocker.reason,
      partial: toResult(input, part, "blocked"),
    };
  }
  const whole = input.children.every((child) => child.status === "ok" && child.result?.status === "ok");
  return { type: "result", result: toResult(input, part, whole || input.role === "ceo" ? "ok" : "partial") };
}

async function* employee(
  options: AgentOptions,
  input: AgentInput,
): AsyncGenerator<AgentEvent, void, string | undefined> {
  const contradiction = contradictionIn(input);
  if (contradiction !== undefined) {
    const part = { ...emptyPart(), summary: contradiction };
    yield {
      type: "blocked",
      by: undefined,
      reason: contradiction,
      partial: toResult(input, part, "blocked"),
    };
    return;
  }
  if (input.workspace === undefined) {
    yield { type: "result", result: toResult(input, fromText(input), "ok") };
    return;
  }
  // Loaded by those who look: roles that delegate never do.
  const { onWorkspace } = await import("./on-workspace.ts");
  yield* onWorkspace(options, input, input.workspace);
}
