// Owns the run records in KV `firm-runs`: spawns and status change by compare-and-set, so that replicas count as one (DESIGN, rule 6).
import type { KvStore } from "@firm/bus";
import { FirmError, parseJson, runKvKey, RunRecord } from "@firm/protocol";
import { checkSpawns } from "@firm/policy";

/** A run in one of these has not ended. */
const OPEN_STATUSES = ["running", "awaiting-decision", "pending-review"] as const;
type OpenStatus = (typeof OPEN_STATUSES)[number];

/** True for the status of a run that has not ended. */
function isOpen(status: RunRecord["status"]): boolean {
  return OPEN_STATUSES.some((open) => open === status);
}

interface Reservation {
  readonly sessions: readonly string[];
  readonly limit: number;
  resolve(this: void, granted: { fresh: readonly string[]; left: number }): void;
  reject(this: void, error: unknown): void;
}

interface Slot {
  latest: { record: RunRecord; revision: number } | undefined;
  waiting: Reservation[];
  busy: boolean;
}

/** Run records, with the reservations of one moment written as one change. */
export class RunRecords {
  readonly #kv: KvStore;
  readonly #slots = new Map<string, Slot>();

  constructor(kv: KvStore) {
    this.#kv = kv;
  }

  /** Writes a new run's record; one that exists is left as it is. */
  async create(record: RunRecord): Promise<void> {
    const revision = await this.#kv.create(runKvKey(record.run), JSON.stringify(record));
    if (revision !== undefined)
      this.#slots.set(record.run, { latest: { record, revision }, waiting: [], busy: false });
  }

  async read(run: string): Promise<RunRecord | undefined> {
    return (await this.#fetch(run))?.record;
  }

  /**
   * Counts the sessions that are new and remembers them.
   * @throws FirmError `spawn-limit` where the run may not have that many.
   */
  reserve(
    run: string,
    sessions: readonly string[],
    limit: number,
  ): Promise<{ fresh: readonly string[]; left: number }> {
    return new Promise((resolve, reject) => {
      const slot = this.#slots.get(run) ?? { latest: undefined, waiting: [], busy: false };
      this.#slots.set(run, slot);
      slot.waiting.push({ sessions, limit, resolve, reject });
      if (!slot.busy) void this.#work(run, slot);
    });
  }

  async #work(run: string, slot: Slot): Promise<void> {
    slot.busy = true;
    // Requests that arrive in one tick share one write.
    await Promise.resolve();
    while (slot.waiting.length > 0) {
      const batch = slot.waiting.splice(0);
      try {
        await this.#grant(run, slot, batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    slot.busy = false;
  }

  async #grant(run: string, slot: Slot, batch: readonly Reservation[]): Promise<void> {
    for (;;) {
      slot.latest ??= await this.#fetch(run);
      if (slot.latest === undefined)
        throw new FirmError("unknown-run", `there is no run ${run}`, { field: "run" });
      const { record, revision } = slot.latest;
      let spawned = record.spawned;
      const answers = batch.map((wanted) => {
        const verdict = checkSpawns(spawned, wanted.sessions, wanted.limit);
        if (verdict.ok) spawned = [...spawned, ...verdict.fresh];
        return { wanted, verdict };
      });
      if (spawned.length > record.spawned.length) {
        const next = { ...record, spawned };
        const written = await this.#kv.update(runKvKey(run), JSON.stringify(next), revision);
        if (written === undefined) {
          slot.latest = undefined;
          continue;
        }
        slot.latest = { record: next, revision: written };
      }
      for (const { wanted, verdict } of answers) {
        if (verdict.ok) wanted.resolve({ fresh: verdict.fresh, left: verdict.left });
        else wanted.reject(new FirmError(verdict.code, verdict.reason));
      }
      return;
    }
  }

  /** Sets how the run ended; a run that has ended already stays as it is. */
  async end(run: string, status: RunRecord["status"], at: number, openItems: number): Promise<void> {
    for (;;) {
      const latest = await this.#fetch(run);
      if (latest === undefined || !isOpen(latest.record.status)) break;
      const next: RunRecord = { ...latest.record, status, ended_at: at, open_items: openItems };
      if ((await this.#kv.update(runKvKey(run), JSON.stringify(next), latest.revision)) !== undefined) break;
    }
    this.#slots.delete(run);
  }

  /** Sets where a run that has not ended is. */
  async mark(run: string, status: OpenStatus, deadline?: number): Promise<void> {
    for (;;) {
      const latest = await this.#fetch(run);
      if (latest === undefined || !isOpen(latest.record.status)) return;
      const next: RunRecord = { ...latest.record, status, ...(deadline === undefined ? {} : { deadline }) };
      const written = await this.#kv.update(runKvKey(run), JSON.stringify(next), latest.revision);
      if (written === undefined) continue;
      const slot = this.#slots.get(run);
      // What is remembered for spawns is of the old revision.
      if (slot !== undefined) slot.latest = undefined;
      return;
    }
  }

  async #fetch(run: string): Promise<{ record: RunRecord; revision: number } | undefined> {
    const entry = await this.#kv.get(runKvKey(run));
    return entry === undefined
      ? undefined
      : { record: parseJson(RunRecord, entry.text, entry.key), revision: entry.revision };
  }
}
