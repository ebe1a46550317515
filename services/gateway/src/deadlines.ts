// Owns the clocks of handoffs and runs: at an absolute deadline the end is written, whoever is dead (DESIGN, rule 8).
// D1 Every open handoff and run in the ledger has one timer. D2 Every replica may fire; the log takes the first.
import { ROOT_HANDOFF } from "@firm/protocol";
import { closePending } from "./board.ts";
import { rootTimer } from "./board-state.ts";
import type { Gateway } from "./deps.ts";
import { finishWithWhatIsThere } from "./finish.ts";
import { timeOut } from "./results.ts";
import type { HandoffView, RunView } from "./view.ts";

/** A failed end is tried again after this, ms. */
const RETRY_MS = 500;

/** Timers of one process. */
export class Deadlines {
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    gateway.ledger.onEvent((view, _seq, event) => {
      if (event.type === "accepted") this.#watch(view, ROOT_HANDOFF);
      else if (event.type === "handoff") this.#watch(view, event.handoff);
      else if (event.type === "board" || event.type === "control") this.#rearm(view);
      else if (event.type === "end") this.#forget(view, event.handoff);
      else if (event.type === "finished") for (const id of view.handoffs.keys()) this.#forget(view, id);
    });
  }

  #watch(view: RunView, id: string): void {
    const handoff = view.handoffs.get(id);
    const key = `${view.run}/${id}`;
    if (
      handoff === undefined ||
      handoff.ended !== undefined ||
      view.finished !== undefined ||
      this.#timers.has(key)
    )
      return;
    this.#arm(view, handoff, key, Math.max(0, handoff.deadline - this.#gateway.now()));
  }

  #arm(view: RunView, handoff: HandoffView, key: string, delayMs: number): void {
    this.#timers.set(
      key,
      setTimeout(() => {
        this.#timers.delete(key);
        this.#fire(view, handoff).catch((error: unknown) => {
          this.#gateway.log.error(
            { err: error, run: view.run, handoff: handoff.id },
            "a deadline's end could not be stored yet",
          );
          if (view.finished === undefined && handoff.ended === undefined)
            this.#arm(view, handoff, key, RETRY_MS);
        });
      }, delayMs),
    );
  }

  /** A board's root follows the meeting: the founder's time to decide, none while it is pending, the CEO's after a decision. */
  #rearm(view: RunView): void {
    if (view.kind !== "board") return;
    this.#forget(view, ROOT_HANDOFF);
    const root = view.handoffs.get(ROOT_HANDOFF);
    const until = root === undefined ? undefined : rootTimer(view, root.deadline);
    if (root === undefined || until === undefined || view.finished !== undefined) return;
    this.#arm(view, root, `${view.run}/${ROOT_HANDOFF}`, Math.max(0, until - this.#gateway.now()));
  }

  async #fire(view: RunView, handoff: HandoffView): Promise<void> {
    if (view.finished !== undefined || handoff.ended !== undefined) return;
    if (handoff.id === ROOT_HANDOFF && view.board?.draft !== undefined)
      await closePending(this.#gateway, view);
    else if (handoff.id === ROOT_HANDOFF)
      await finishWithWhatIsThere(
        this.#gateway,
        view,
        "timeout",
        "the run's deadline passed before the CEO delivered",
      );
    else await timeOut(this.#gateway, view, handoff);
  }

  #forget(view: RunView, id: string): void {
    const key = `${view.run}/${id}`;
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
