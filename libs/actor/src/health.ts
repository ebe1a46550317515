// Pure: why a process cannot take work now; readiness is the absence of reasons.

/** Readiness as a set of reasons against it. */
export class Health {
  readonly #against = new Set<string>();

  constructor(...reasons: string[]) {
    for (const reason of reasons) this.#against.add(reason);
  }

  /** Adds or takes away a reason, e.g. `set("draining", true)`. */
  set(reason: string, applies: boolean): void {
    if (applies) this.#against.add(reason);
    else this.#against.delete(reason);
  }

  /** Empty: ready. */
  reasons(): readonly string[] {
    return [...this.#against];
  }
}
