// Pure: up to where this replica knows the log without a gap, so that nobody is told of a later event before an earlier one.
//
// H1  An event counts as known once it is applied, whether it came from the feed or was stored by this process.
// H2  What another replica stored between two events of this one holds back the later, until the feed has brought it.

export class Horizon {
  /** The feed has brought everything up to this sequence. */
  #fed = 0;
  /** Stored here, ahead of the feed. */
  readonly #own = new Set<number>();
  /** Passed over by the feed while this process stores under the same subject; applied once that is acknowledged. */
  readonly #holes = new Map<string, number>();

  /** Everything up to here was in the log when this process began to read it. */
  begin(seq: number): void {
    this.#fed = Math.max(this.#fed, seq);
  }

  /** The feed brought an event. @param passedOver its subject, where it was not applied */
  fed(seq: number, passedOver?: string): void {
    if (passedOver !== undefined) this.#holes.set(passedOver, seq);
    this.#fed = Math.max(this.#fed, seq);
    this.#advance();
  }

  /** This process stored an event and applied it, or found another's under the subject and applied that. */
  settled(subject: string, seq?: number): void {
    this.#holes.delete(subject);
    if (seq !== undefined && seq > this.#fed) this.#own.add(seq);
    this.#advance();
  }

  /** The last sequence before the first gap. */
  get seq(): number {
    const firstHole = Math.min(...this.#holes.values());
    return Math.min(this.#fed, firstHole - 1);
  }

  #advance(): void {
    while (this.#own.delete(this.#fed + 1)) this.#fed++;
    if (this.#own.size === 0) return;
    for (const seq of this.#own) if (seq <= this.#fed) this.#own.delete(seq);
  }
}
