// Owns an agent's work on a handoff: rounds of questions, a valid result, and an end in time for a partial one to rise.
import type { Agent, AgentInput } from "@firm/agents";
import { clamp, deadlineSignal, type Work } from "@firm/actor";
import { type HistoryEntry, type Result, type Role } from "@firm/protocol";
import { AgentTurns } from "./agent-turns.ts";
import { INVOKE_OR_ASSUME } from "./instructions.ts";
import { Questions } from "./questions.ts";

/** What the agent is told beyond the work itself. */
export type Briefing = Pick<AgentInput, "children" | "expertise"> & {
  /** Told of each turn of the agent that failed, by its code. */
  readonly onError?: (code: string) => void;
};

/** How an agent's run ended. */
export type Played =
  | { readonly type: "result"; readonly result: Result }
  /** Stopped before the deadline; `partial` is what it had by then. */
  | { readonly type: "out-of-time"; readonly partial: Result | undefined };

/**
 * ms before a handoff's deadline at which its agent is stopped, so that what it has still reaches the gateway.
 * Well below half of the margin between a child's deadline and its parent's (policy, `childDeadline`).
 */
export function reserveOf(deadline: number, now: number): number {
  return clamp((deadline - now) / 100, 10, 200);
}

/**
 * Runs an agent on the work.
 * @throws FirmError `agent-failed` where it cannot work or gives no valid result; the signal's reason where the work is stopped.
 */
export async function playRole(agent: Agent, role: Role, work: Work, briefing: Briefing): Promise<Played> {
  const { order } = work;
  const deadline = order.deadline - reserveOf(order.deadline, Date.now());
  const until = deadlineSignal(work.signal, deadline);
  const turns = new AgentTurns(agent, {
    role,
    objectiveKey: order.objective_key,
    asker: work,
    questions: new Questions(work, role),
    trace: work.trace,
    onError: briefing.onError,
    checkpoints: work.checkpoints,
    checkpoint: work.checkpoint,
  });
  const inputWith = (heard: readonly HistoryEntry[]): AgentInput => ({
    run: order.run,
    handoff: order.handoff,
    role,
    attempt: work.attempt,
    contract: order.contract,
    objectiveKey: order.objective_key,
    deliveryFormat: order.objective.delivery_format,
    context: order.context.text,
    history: heard.length === 0 ? order.history : [...order.history, ...heard],
    children: briefing.children,
    workspace: order.objective.workspace,
    allowRun: order.objective.allow_run,
    expertise: briefing.expertise,
    deadline,
    checkpoint: work.checkpoint,
    instructions: INVOKE_OR_ASSUME,
    signal: until.signal,
  });
  try {
    return { type: "result", result: await turns.play(inputWith) };
  } catch (error) {
    if (!until.signal.aborted || work.signal.aborted) throw error;
    return { type: "out-of-time", partial: turns.partial() };
  } finally {
    until.dispose();
  }
}
