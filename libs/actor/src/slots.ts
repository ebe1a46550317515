// Owns the concurrency slots of a worker (DESIGN, "Never": a worker that waits for another role keeps no slot).
//
// S1  Never more than `size` pieces of work hold a slot.
// S2  A lease gives its slot back exactly once, however often it is ended.
// S3  While `away` waits, its lease holds no slot; so work that waits for other work cannot keep that other work out.
// S4  Work in hand goes before new work, in order; an outstanding pull, which only may bring work, keeps nothing in hand waiting.
// S5  After close nothing new is granted; work in hand still gets its slots back.
// S6  A return that is aborted leaves no slot behind and takes none.
import type { SlotSource } from "@firm/bus";

/** The slots of one process. */
export class Slots implements SlotSource {
  readonly size: number;
  readonly #onChange: (inUse: number) => void;
  /** Held by work. */
  #inUse = 0;
  /** Granted to pulls that have brought no work yet. */
  #reserved = 0;
  #closed = false;
  readonly #newcomers: ((granted: boolean) => void)[] = [];
  readonly #returning = new Set<() => void>();

  constructor(size: number, onChange: (inUse: number) => void = () => undefined) {
    this.size = size;
    this.#onChange = onChange;
  }

  /** Slots that work holds. */
  get inUse(): number {
    return this.#inUse;
  }

  /** For a pull: resolves with true once a slot is reserved for what it brings, false after `close`. */
  acquire(): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#newcomers.push(resolve);
      this.#grant();
    });
  }

  /** The pull brought no work. */
  release(): void {
    this.#endReservation();
    this.#grant();
  }

  /** The pull brought work, which takes over its slot; see `Lease.ready` for when it is there. */
  lease(): Lease {
    this.#endReservation();
    const free = this.#inUse < this.size;
    if (free) this.#setInUse(this.#inUse + 1);
    return new Lease(this, free);
  }

  /**
   * For work in hand without a slot: takes one, before any new work does.
   * @throws the signal's reason where it aborts first.
   */
  comeBack(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(reasonOf(signal));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#returning.delete(waiter);
        reject(reasonOf(signal));
      };
      const waiter = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#returning.add(waiter);
      this.#grant();
    });
  }

  /** For leases: a slot is free again. */
  giveBack(): void {
    this.#setInUse(this.#inUse - 1);
    this.#grant();
  }

  /** No new work; `acquire` resolves with false from now on. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#newcomers.splice(0)) waiter(false);
  }

  #endReservation(): void {
    if (this.#reserved === 0) throw new RangeError("a slot was given back that no pull had reserved");
    this.#reserved--;
  }

  #setInUse(inUse: number): void {
    this.#inUse = inUse;
    this.#onChange(inUse);
  }

  #grant(): void {
    for (const waiter of this.#returning) {
      if (this.#inUse >= this.size) return;
      this.#returning.delete(waiter);
      this.#setInUse(this.#inUse + 1);
      waiter();
    }
    while (this.#inUse + this.#reserved < this.size) {
      const newcomer = this.#newcomers.shift();
      if (newcomer === undefined) return;
      this.#reserved++;
      newcomer(true);
    }
  }
}

/** One piece of work's hold on a slot. */
export class Lease {
  readonly #slots: Slots;
  #held: boolean;
  #ended = false;

  constructor(slots: Slots, held: boolean) {
    this.#slots = slots;
    this.#held = held;
  }

  get held(): boolean {
    return this.#held;
  }

  /**
   * Resolves once it holds a slot; at once in all but the case where work that came back took the slot of the pull.
   * @throws the signal's reason where it aborts first.
   */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#held) return;
    await this.#slots.comeBack(signal);
    this.#held = true;
    if (this.#ended) this.#giveBack();
  }

  /**
   * Runs `wait` without a slot and takes one again before it returns or throws.
   * @throws the signal's reason where it aborts while no slot is free; the lease then holds none.
   */
  async away<T>(signal: AbortSignal, wait: () => Promise<T>): Promise<T> {
    // Already away: the outer wait takes the slot again.
    if (!this.#held) return wait();
    this.#giveBack();
    try {
      return await wait();
    } finally {
      await this.ready(signal);
    }
  }

  /** The work is over. */
  end(): void {
    this.#ended = true;
    this.#giveBack();
  }

  #giveBack(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#slots.giveBack();
  }
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
}
