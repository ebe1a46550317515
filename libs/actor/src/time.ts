// Owns waiting: pauses and deadlines that end early on a signal.
import { setTimeout as sleep } from "node:timers/promises";
import { FirmError } from "@firm/protocol";

/** The longest a timer can be set for, ms. */
const LONGEST_TIMER = 2_147_483_647;

/**
 * Waits.
 * @throws the signal's reason where it aborts first.
 */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (ms <= 0) return signal?.throwIfAborted();
  try {
    await sleep(Math.min(ms, LONGEST_TIMER), undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Calls back at an absolute time, epoch ms; at once where it has passed. The timer keeps no process alive. */
export function at(time: number, callback: () => void): { cancel(): void } {
  const timer = setTimeout(callback, Math.min(Math.max(0, time - Date.now()), LONGEST_TIMER));
  timer.unref();
  return { cancel: () => clearTimeout(timer) };
}

/** `value` within the bounds. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** A signal that follows `parent` and aborts at an absolute time, epoch ms. */
export function deadlineSignal(
  parent: AbortSignal,
  time: number,
): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  const timer = at(time, () => controller.abort(new FirmError("deadline-passed", "the deadline has passed")));
  return {
    signal: controller.signal,
    dispose: () => {
      timer.cancel();
      parent.removeEventListener("abort", follow);
    },
  };
}
