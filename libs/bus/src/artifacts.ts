// Owns the object store, for whatever exceeds max_payload or outlives a run.
import { BUCKETS, FirmError } from "@firm/protocol";
import { Objm, type ObjectStore } from "@nats-io/obj";
import { fromClient } from "./errors.ts";
import type { Link } from "./link.ts";
import type { ArtifactStore } from "./types.ts";

class Artifacts implements ArtifactStore {
  readonly #store: ObjectStore;
  constructor(store: ObjectStore) {
    this.#store = store;
  }
  async put(name: string, bytes: Uint8Array): Promise<void> {
    await said(`storing artifact ${name}`, () => this.#store.putBlob({ name }, bytes));
  }
  async get(name: string): Promise<Uint8Array | undefined> {
    return said(`reading artifact ${name}`, async () => (await this.#store.getBlob(name)) ?? undefined);
  }
  async delete(name: string): Promise<void> {
    await said(`deleting artifact ${name}`, () => this.#store.delete(name));
  }
  async list(): Promise<{ name: string; size: number }[]> {
    const all = await said("listing artifacts", () => this.#store.list());
    return all.filter((info) => !info.deleted).map(({ name, size }) => ({ name, size }));
  }
}

async function said<T>(doing: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw fromClient(error, doing);
  }
}

/** Opens `firm-artifacts`. @throws FirmError `storage-unavailable` where there is none. */
export async function openArtifacts(link: Link): Promise<ArtifactStore> {
  try {
    return new Artifacts(await new Objm(link.nc).open(BUCKETS.artifacts));
  } catch (cause) {
    throw new FirmError(
      "storage-unavailable",
      `the object store ${BUCKETS.artifacts} cannot be opened: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
        hint: "`firm bus init` creates it",
      },
    );
  }
}
