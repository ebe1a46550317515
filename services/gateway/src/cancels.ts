// Owns the signals that end what the gateway itself waits for once a run is cancelled or over.
import { FirmError } from "@firm/protocol";
import type { Ledger } from "./ledger.ts";
import type { RunView } from "./view.ts";

/** One signal for each run that something waits in. */
export class Cancels {
  readonly #controllers = new Map<string, AbortController>();

  constructor(ledger: Ledger) {
    ledger.onEvent((view, _seq, event) => {
      if (event.type !== "finished" && !(event.type === "control" && event.verb === "cancel")) return;
      this.#controllers.get(view.run)?.abort(endOf(view));
      this.#controllers.delete(view.run);
    });
  }

  of(view: RunView): AbortSignal {
    if (view.cancelled || view.finished !== undefined) return AbortSignal.abort(endOf(view));
    const controller = this.#controllers.get(view.run) ?? new AbortController();
    this.#controllers.set(view.run, controller);
    return controller.signal;
  }
}

function endOf(view: RunView): FirmError {
  return view.cancelled
    ? new FirmError("run-cancelled", `run ${view.run} was cancelled`)
    : new FirmError("run-ended", `run ${view.run} has ended`);
}
