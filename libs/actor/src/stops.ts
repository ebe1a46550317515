// Owns the abort signals of the work in hand: a run's stop (DESIGN, rule 10), the worker's drain, the deadline.
import { FirmError } from "@firm/protocol";
import { deadlineSignal } from "./time.ts";

/** The signals of one piece of work. */
export interface WorkSignals {
  /** Aborted where the work must end without a result: the run was stopped, or the worker goes. Its reason says which. */
  readonly stop: AbortSignal;
  /** Aborted on `stop` and at the deadline. */
  readonly signal: AbortSignal;
  /** Aborts `stop`, e.g. where the gateway has fenced this attempt. */
  abort(reason: Error): void;
  /** The work is over: timers and listeners go. */
  dispose(): void;
}

/** Ends the work of a whole run, or all of it. */
export class Stops {
  readonly #byRun = new Map<string, Set<AbortController>>();

  /** Signals for work on `run` until `deadline`, epoch ms. */
  open(run: string, deadline: number): WorkSignals {
    const stop = new AbortController();
    const until = deadlineSignal(stop.signal, deadline);
    const ofRun = this.#byRun.get(run) ?? new Set();
    ofRun.add(stop);
    this.#byRun.set(run, ofRun);
    return {
      stop: stop.signal,
      signal: until.signal,
      abort: (reason) => stop.abort(reason),
      dispose: () => {
        until.dispose();
        ofRun.delete(stop);
        if (ofRun.size === 0 && this.#byRun.get(run) === ofRun) this.#byRun.delete(run);
      },
    };
  }

  /** Aborts all work of a run. */
  stopRun(run: string): void {
    for (const controller of this.#byRun.get(run) ?? []) {
      controller.abort(new FirmError("run-cancelled", `run ${run} was stopped`));
    }
  }

  /** Aborts everything in hand. */
  stopAll(reason: Error): void {
    for (const ofRun of this.#byRun.values()) for (const controller of ofRun) controller.abort(reason);
  }
}
