// Owns what a context reference names: `memory:<path>` in the object store, and `memory:objective/<run>` in the run's own log.
import type { ArtifactStore } from "@firm/bus";
import { FirmError, type ResolvedContext } from "@firm/protocol";
import type { Ledger } from "./ledger.ts";

/** Where the last delivery is kept (seed: firm-orchestration, "Handoff contract"). */
export const LATEST_DELIVERY = "delivery/latest";

/** Characters of a context that travel with the work; the rest is cut, and said to be. */
const INLINE_LIMIT = 65_536;

const PREFIX = "memory:";

/** The reference that names a run's own objective: the default of a contract. */
export function objectiveRef(run: string): string {
  return `${PREFIX}objective/${run}`;
}

/** The object a memory path is stored under. */
export function memoryObject(path: string): string {
  return `memory/${path}`;
}

/** Resolves context references. */
export class Contexts {
  readonly #artifacts: ArtifactStore;
  readonly #ledger: Ledger;
  /** Writes go one after the other, so that the latest delivery is the one that stays. */
  #writing: Promise<void> = Promise.resolve();

  constructor(artifacts: ArtifactStore, ledger: Ledger) {
    this.#artifacts = artifacts;
    this.#ledger = ledger;
  }

  /** @throws FirmError `unknown-context` where the reference names nothing. */
  async resolve(ref: string): Promise<ResolvedContext> {
    const path = ref.slice(PREFIX.length);
    const run = /^objective\/(\w+)$/.exec(path)?.[1];
    const text =
      run === undefined ? await this.#read(path) : (await this.#ledger.ensure(run))?.objective.objective;
    if (text === undefined) {
      throw new FirmError("unknown-context", `context_ref ${ref} names nothing`, {
        field: "context_ref",
        hint: `memory:${LATEST_DELIVERY} is there once a run has delivered; leave context_ref out to go without`,
      });
    }
    const cut =
      text.length > INLINE_LIMIT
        ? `${text.slice(0, INLINE_LIMIT)}\n[cut: ${text.length - INLINE_LIMIT} characters more]`
        : text;
    return { ref, text: cut };
  }

  async #read(path: string): Promise<string | undefined> {
    if (path === LATEST_DELIVERY && this.#ledger.latestDelivery !== undefined)
      return this.#ledger.latestDelivery;
    const bytes = await this.#artifacts.get(memoryObject(path));
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  }

  /** Stores a memory. */
  write(path: string, text: string): Promise<void> {
    const written = this.#writing
      .catch(() => undefined)
      .then(() => this.#artifacts.put(memoryObject(path), new TextEncoder().encode(text)));
    this.#writing = written;
    return written;
  }
}
