// Owns the one way to try again: passing failures of the bus, with growing pauses, within a budget of time.
import { FirmError } from "@firm/protocol";
import type { Link } from "./link.ts";

/** Total time for one operation, ms: longer than a restart of a local server or an election in a cluster. */
export const RETRY_BUDGET_MS = 5_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** A pause before the n-th retry (0 is the first), ms; between half and all of it, so that many do not return at once. */
export function pauseOf(attempt: number, random: () => number = Math.random): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + random() / 2);
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/**
 * Runs an operation that may be repeated safely until it succeeds, fails for good, or the budget is spent.
 * Only `bus-unavailable` is a passing failure. `operation` gets the time left, ms.
 * @throws the last failure.
 */
export async function retrying<T>(
  link: Link,
  operation: (leftMs: number) => Promise<T>,
  budgetMs: number = RETRY_BUDGET_MS,
): Promise<T> {
  const until = performance.now() + budgetMs;
  for (let attempt = 0; ; attempt++) {
    try {
      if (!link.connected) await link.whenConnected(Math.max(1, until - performance.now()));
      return await operation(Math.max(1, until - performance.now()));
    } catch (error) {
      const pause = pauseOf(attempt);
      if (!(error instanceof FirmError) || error.code !== "bus-unavailable") throw error;
      if (link.nc.isClosed() || performance.now() + pause >= until) throw error;
      await sleep(pause);
    }
  }
}
