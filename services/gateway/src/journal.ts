// Owns how invocations reach the log: those of one moment are one event, so that a hop does not pay for a write of its own.
// J1 Items of a run are stored in the order they were noted. J2 `note` resolves once its item is stored.
import type { InvocationItem } from "@firm/protocol";
import type { Ledger } from "./ledger.ts";

/** Items in one event; the rest goes into the next. */
const BATCH = 64;

interface Waiting {
  readonly item: InvocationItem;
  resolve(this: void): void;
  reject(this: void, error: unknown): void;
}

/** Group commit of invocations. */
export class Journal {
  readonly #ledger: Ledger;
  readonly #now: () => number;
  readonly #queues = new Map<string, Waiting[]>();
  readonly #writes = new Set<Promise<void>>();

  constructor(ledger: Ledger, now: () => number) {
    this.#ledger = ledger;
    this.#now = now;
  }

  /** Stores an item. @throws FirmError `storage-unavailable`, `bus-unavailable`. */
  note(run: string, item: InvocationItem): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(run);
      if (queue !== undefined) {
        queue.push({ item, resolve, reject });
        return;
      }
      const fresh = [{ item, resolve, reject }];
      this.#queues.set(run, fresh);
      const write = this.#write(run, fresh).finally(() => this.#writes.delete(write));
      this.#writes.add(write);
    });
  }

  /** Resolves when all that was noted is stored, or could not be. */
  async drain(): Promise<void> {
    while (this.#queues.size > 0) await Promise.all([...this.#writes]);
  }

  async #write(run: string, queue: Waiting[]): Promise<void> {
    // What is noted in this tick goes along.
    await Promise.resolve();
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH);
      try {
        await this.#ledger.append({
          type: "invocations",
          run,
          at: this.#now(),
          items: batch.map(({ item }) => item),
        });
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#queues.delete(run);
  }
}
