// Owns waiting for a run's end: the deadline is the gateway's to keep, an interrupt is passed on to the run.
import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "@firm/bus";
import { FirmError, type RunFinished } from "@firm/protocol";
import { cancelRun, type Following } from "./client/runs.ts";
import type { Interrupts } from "./interrupt.ts";

export interface Waiting {
  readonly bus: Bus;
  readonly run: string;
  /** Epoch ms. */
  readonly deadline: number;
  readonly following: Following;
  readonly interrupts: Interrupts;
  /** `cancel`: an interrupt cancels the run; `leave`: it ends the waiting alone. */
  readonly onInterrupt: "cancel" | "leave";
  readonly say: (line: string) => void;
}

/** The end comes at the deadline at the latest; after this much more, something is wrong with the gateway. */
const OVERDUE_MS = 30_000;
/** A cancel is confirmed by the run's end. */
const CONFIRM_MS = 10_000;

/**
 * Waits for the run's end.
 * @returns undefined where an interrupt ended the waiting before the end was seen
 * @throws FirmError `deadline-passed` where no end comes.
 */
export async function untilFinished(waiting: Waiting): Promise<RunFinished | undefined> {
  const { bus, run, deadline, following, interrupts, say } = waiting;
  const over = new AbortController();
  const overdue = sleep(Math.max(0, deadline - Date.now()) + OVERDUE_MS, "overdue" as const, {
    signal: over.signal,
  });
  overdue.catch(() => undefined);
  try {
    const first = await Promise.race([following.finished, interrupts.first, overdue]);
    if (first === "overdue") {
      throw new FirmError(
        "deadline-passed",
        `run ${run} has no end ${OVERDUE_MS / 1000} s after its deadline`,
        {
          hint: "look at `firm status` and the logs below .firm/logs",
        },
      );
    }
    if (typeof first !== "string") return first;
    if (waiting.onInterrupt === "leave") return undefined;
    say("cancelling the run …");
    const confirmed = await Promise.race([
      cancelled(bus, run, following),
      interrupts.second.then(() => undefined),
      sleep(CONFIRM_MS, undefined, { signal: over.signal }),
    ]);
    if (confirmed === undefined) say("the cancel was not confirmed");
    return confirmed;
  } finally {
    over.abort();
  }
}

/** Cancels and waits for the end; a run that ended in the same moment has its own. */
async function cancelled(bus: Bus, run: string, following: Following): Promise<RunFinished> {
  try {
    await cancelRun(bus, run, "interrupted by the user");
  } catch (error) {
    if (!(error instanceof FirmError) || error.code !== "run-ended") throw error;
  }
  return following.finished;
}
