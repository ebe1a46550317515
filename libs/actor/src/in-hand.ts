// Owns the deliveries in hand: one timer for all tells the server that they are worked on (DESIGN, "Never": no long ack_wait).
//
// H1  A delivery in hand is extended at the latest at half of ack_wait after its last sign of life.
// H2  A delivery that has ended is never extended.
// H3  The timer runs only while something is in hand.
import type { Delivery } from "@firm/bus";

type Extendable = Pick<Delivery, "working">;

/** What is being worked on. */
export class InHand {
  readonly #ackWaitMs: number;
  readonly #signs = new Map<Extendable, number>();
  readonly #idle: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(ackWaitMs: number) {
    this.#ackWaitMs = ackWaitMs;
  }

  get size(): number {
    return this.#signs.size;
  }

  add(delivery: Extendable): void {
    this.#signs.set(delivery, performance.now());
    if (this.#timer !== undefined) return;
    // Checked at a quarter and extended from a quarter on: never later than half (H1).
    this.#timer = setInterval(() => this.#extend(), this.#ackWaitMs / 4);
  }

  remove(delivery: Extendable): void {
    this.#signs.delete(delivery);
    if (this.#signs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Resolves once nothing is in hand. */
  idle(): Promise<void> {
    if (this.#signs.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #extend(): void {
    const now = performance.now();
    for (const [delivery, sign] of this.#signs) {
      if (now - sign < this.#ackWaitMs / 4) continue;
      delivery.working();
      this.#signs.set(delivery, now);
    }
  }
}
