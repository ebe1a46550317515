// Pure: how every delegating role hands down, waits and stops waiting (seed: firm-orchestration, Phases 1 to 3).
//
// D1 All targets are handed to in one decision; none waits for another.
// D2 The state is a set of facts keyed by derived ids; the first end of a handoff counts. So events may come twice, and a replay decides alike.
// D3 A decision never repeats what the facts show as done, and always closes with one `wait` or one `finish`.
// D4 A blocker costs at most `blockerCycles` (never more than 2) re-delegations, then is reported.
// D5 From the working deadline on the decision is `finish`: what is missing is `timeout`.
import type { LoggedEvent } from "@firm/protocol";
import type { Decider } from "./decider.ts";
import {
  evolve,
  type Delegation,
  type DelegationCommand,
  type HandoffCommand,
  type SpawnCommand,
} from "./facts.ts";
import { followTarget } from "./follow.ts";

/** Called after every event and at the working deadline. @param now epoch ms */
export function decide(state: Delegation, now: number): readonly DelegationCommand[] {
  const until = workingDeadline(state);
  const cases = state.setup.targets.map((role) => followTarget(state, role));
  const open = cases.filter((c) => !c.settled);
  if (open.length > 0 && now < until) {
    return [...uniqueCommands(open.flatMap((c) => c.commands)), { type: "wait", until }];
  }
  return [
    {
      type: "finish",
      children: cases.map((c) => c.outcome),
      blockers: cases.flatMap((c) => c.escalated),
      resolved: cases.flatMap((c) => c.resolved),
    },
  ];
}

/**
 * When to stop waiting, epoch ms: halfway between the children's hard deadline, at which the gateway ends them, and one's own.
 * It matters only where those ends do not arrive.
 */
export function workingDeadline(state: Delegation): number {
  const own = state.setup.order.deadline;
  const children = [...state.issued.values()]
    .map((issued) => issued.deadline)
    .filter((deadline) => deadline < own);
  return children.length === 0
    ? own - MIN_RESERVE
    : Math.max(...children) + (own - Math.max(...children)) / 2;
}

/** Kept for answering where no child's deadline is known, ms: half of the smallest margin. */
const MIN_RESERVE = 25;

/** Two blockers of the same pair of roles need one joint session. */
function uniqueCommands(
  commands: readonly (HandoffCommand | SpawnCommand)[],
): readonly (HandoffCommand | SpawnCommand)[] {
  const byId = new Map(
    commands.map((command) => [command.type === "handoff" ? command.handoff : command.session, command]),
  );
  return [...byId.values()];
}

export const delegation: Decider<Delegation, LoggedEvent, DelegationCommand> = { evolve, decide };
