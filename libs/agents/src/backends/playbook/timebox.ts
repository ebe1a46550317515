// Owns how long the playbook may look before it must write: a share of what is left until the deadline.
/** Says when to stop looking; `left` is in ms and never negative. */
export interface Timebox {
  readonly signal: AbortSignal;
  /** Looking is over, by time or by abort. */
  over(): boolean;
  left(): number;
}

/** Share of the remaining time spent on looking; the rest is for checks' tails, writing and the way back up. */
const SHARE = 0.6;

/** @param deadline epoch ms */
export function timeboxOf(deadline: number, signal: AbortSignal, now: () => number = Date.now): Timebox {
  const until = now() + Math.max(0, deadline - now()) * SHARE;
  const left = (): number => Math.max(0, until - now());
  return { signal, left, over: () => signal.aborted || left() === 0 };
}
