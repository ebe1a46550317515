// Pure: what a delegating role knows of each of its direct reports when it stops waiting.
import type { EndStatus, Result, Role } from "@firm/protocol";

/** How a direct report fared, over all cycles of its handoff. */
export interface ChildOutcome {
  readonly role: Role;
  /** Id of the last cycle's handoff. */
  readonly handoff: string;
  readonly objectiveKey: string;
  /** What it was asked to satisfy. */
  readonly definitionOfDone: string;
  readonly status: EndStatus;
  /** The result, or the latest partial one where it did not finish. */
  readonly result: Result | undefined;
  /** Why it did not finish. */
  readonly reason: string | undefined;
  /** Re-delegations after a blocker, 0 to 2. */
  readonly cycle: number;
  /** From the first handoff to the last end, ms. */
  readonly durationMs: number | undefined;
}

/** One round of a joint session (seed: firm-orchestration, Phase 2). */
export interface BlockerIteration {
  /** What the blocking role answered. */
  readonly resolution: string;
  /** What the blocked role made of it: its blocker again, or its summary. */
  readonly response: string;
}

/** The explicit report of a blocker, escalated or settled. */
export interface BlockerReport {
  readonly role: Role;
  readonly blocked_by: Role | undefined;
  readonly blocker: string;
  readonly iterations: readonly BlockerIteration[];
  /** Why it went no further; empty where it was settled. */
  readonly reason: string;
}

/** True where the role brought back all of its part. */
export function delivered(outcome: ChildOutcome): boolean {
  return outcome.status === "ok" && outcome.result?.quality !== "partial";
}
