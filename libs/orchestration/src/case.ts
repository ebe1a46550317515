// Pure: how a target's case reads once the facts are walked: its outcome and its blocker's report.
import type { Role } from "@firm/protocol";
import type { HandoffCommand, SpawnCommand } from "./facts.ts";
import type { BlockerIteration, BlockerReport, ChildOutcome } from "./outcome.ts";

/** One target's case. */
export interface Case {
  readonly settled: boolean;
  /** What it needs now; empty while it waits. */
  readonly commands: readonly (HandoffCommand | SpawnCommand)[];
  /** How it fared; `timeout` where it is not settled. */
  readonly outcome: ChildOutcome;
  readonly escalated: readonly BlockerReport[];
  readonly resolved: readonly BlockerReport[];
}

/** A joint iteration under way; `response` follows with the blocked role's next end. */
export interface Round {
  readonly by: Role;
  readonly blocker: string;
  readonly resolution: string;
  response: string;
}

/** Still going on, with what it needs now. */
export function open(
  outcome: ChildOutcome,
  rounds: readonly Round[],
  command?: HandoffCommand | SpawnCommand,
): Case {
  const status =
    outcome.status === "blocked"
      ? { ...outcome, reason: `blocker not resolved by the deadline: ${outcome.reason}` }
      : outcome;
  return { ...close(status, rounds), settled: false, commands: command === undefined ? [] : [command] };
}

export interface Escalation {
  readonly by: Role | undefined;
  readonly blocker: string;
  readonly why: string;
}

/** Over, with a blocker that is given up on where there is one. */
export function settled(outcome: ChildOutcome, rounds: readonly Round[], escalation?: Escalation): Case {
  return { ...close(outcome, rounds, escalation), settled: true, commands: [] };
}

/** A case cut off by the deadline reports its blocker too. */
function close(
  outcome: ChildOutcome,
  rounds: readonly Round[],
  escalation?: Escalation,
): Omit<Case, "settled" | "commands"> {
  const last = rounds.at(-1);
  const iterations: BlockerIteration[] = rounds.map(({ resolution, response }) => ({ resolution, response }));
  const report = (by: Role | undefined, blocker: string, reason: string): BlockerReport => ({
    role: outcome.role,
    blocked_by: by,
    blocker,
    iterations,
    reason,
  });
  if (escalation !== undefined)
    return { outcome, escalated: [report(escalation.by, escalation.blocker, escalation.why)], resolved: [] };
  if (outcome.status === "blocked") {
    const by = last?.by ?? outcome.result?.blocked_by;
    return {
      outcome,
      escalated: [report(by, outcome.result?.blocker ?? outcome.reason ?? "", "the deadline came first")],
      resolved: [],
    };
  }
  if (last === undefined) return { outcome, escalated: [], resolved: [] };
  if (outcome.status === "ok" || outcome.status === "partial")
    return { outcome, escalated: [], resolved: [report(last.by, last.blocker, "")] };
  return {
    outcome,
    escalated: [
      report(
        last.by,
        last.blocker,
        `${outcome.role} did not finish with the resolution: ${outcome.reason ?? outcome.status}`,
      ),
    ],
    resolved: [],
  };
}
