// Owns the one retry policy towards the bus: passing failures again with growing pauses, everything else at once.
import { FirmError, isRetryable, type ErrorCode } from "@firm/protocol";
import { pause } from "./time.ts";

/** ms; the first pause, doubled up to the longest. Short at first: a gateway that restarts is back within a second. */
const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 1_000;

/**
 * True where the same request of a piece of work may succeed later: the bus is away for a moment, the sender was too
 * quick, or the gateway that answered has not read so far in the log: a token in hand proves that run and handoff exist.
 */
export function isPassing(code: ErrorCode): boolean {
  return isRetryable(code) || code === "unknown-handoff" || code === "unknown-run" || code === "rate-limited";
}

export interface RetryOptions {
  /** Epoch ms; the last try is made then. */
  readonly until: number;
  readonly signal?: AbortSignal;
  /** Which failures pass; default: `isPassing` of the code. */
  readonly passes?: (error: FirmError) => boolean;
  /** Told of each failure that will be tried again. */
  readonly onRetry?: (error: FirmError, pauseMs: number) => void;
}

/**
 * Repeats `attempt` while it fails with a code that names a passing state of the bus.
 * @throws the last error once `until` is reached, the signal's reason where it aborts.
 */
export async function retrying<T>(options: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  const passes = options.passes ?? ((error: FirmError) => isPassing(error.code));
  let wait = FIRST_PAUSE;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof FirmError) || !passes(error)) throw error;
      // Half of it drawn, so that workers that lost the same gateway do not return in step.
      const left = options.until - Date.now();
      if (left <= 0) throw error;
      const pauseMs = Math.min(left, wait * (0.5 + Math.random() / 2));
      options.onRetry?.(error, pauseMs);
      await pause(pauseMs, options.signal);
      wait = Math.min(wait * 2, LONGEST_PAUSE);
    }
  }
}
