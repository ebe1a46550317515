// Owns the originating sessions in KV `firm-sessions`: which runs each asked for (seed: firm-orchestration, `reply_session`).
// The words stay in the runs' logs; a session names the runs, and its history is read from them.
import type { KvStore } from "@firm/bus";
import { parseJson, sessionKvKey, type HistoryEntry } from "@firm/protocol";
import * as z from "zod";
import type { Ledger } from "./ledger.ts";

/** Runs an originating session remembers. */
const REMEMBERED = 200;

const OriginRun = z.object({ run: z.string(), asked_at: z.number(), told_at: z.number() });
type OriginRun = z.infer<typeof OriginRun>;

/** The record of an originating session. */
const OriginSession = z.object({
  session: z.string(),
  created_at: z.number(),
  updated_at: z.number(),
  runs: z.array(OriginRun),
});
type OriginSession = z.infer<typeof OriginSession>;

interface Queue {
  waiting: {
    readonly entry: OriginRun;
    resolve(this: void): void;
    reject(this: void, error: unknown): void;
  }[];
  busy: boolean;
}

/** Originating sessions; the ends of one moment are written as one change. */
export class Origins {
  readonly #kv: KvStore;
  readonly #queues = new Map<string, Queue>();

  constructor(kv: KvStore) {
    this.#kv = kv;
  }

  /** Adds a run that was delivered; one that stands there already is left. */
  add(session: string, entry: OriginRun): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(session) ?? { waiting: [], busy: false };
      this.#queues.set(session, queue);
      queue.waiting.push({ entry, resolve, reject });
      if (!queue.busy) void this.#work(session, queue);
    });
  }

  async #work(session: string, queue: Queue): Promise<void> {
    queue.busy = true;
    while (queue.waiting.length > 0) {
      const batch = queue.waiting.splice(0);
      try {
        await this.#write(
          session,
          batch.map(({ entry }) => entry),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#queues.delete(session);
  }

  async #write(session: string, entries: readonly OriginRun[]): Promise<void> {
    const key = sessionKvKey(session);
    for (;;) {
      const stored = await this.#kv.get(key);
      const now = Math.max(...entries.map(({ told_at }) => told_at));
      const before: OriginSession =
        stored === undefined
          ? { session, created_at: now, updated_at: now, runs: [] }
          : parseJson(OriginSession, stored.text, key);
      const known = new Set(before.runs.map(({ run }) => run));
      const fresh = entries.filter(({ run }) => !known.has(run));
      if (fresh.length === 0) return;
      const text = JSON.stringify({
        ...before,
        updated_at: now,
        runs: [...before.runs, ...fresh].slice(-REMEMBERED),
      });
      const written =
        stored === undefined
          ? await this.#kv.create(key, text)
          : await this.#kv.update(key, text, stored.revision);
      if (written !== undefined) return;
    }
  }

  /** What was asked and delivered in a session, oldest first; undefined where there is no such session. */
  async history(ledger: Ledger, session: string, limit: number): Promise<HistoryEntry[] | undefined> {
    const stored = await this.#kv.get(sessionKvKey(session));
    if (stored === undefined) return undefined;
    const { runs } = parseJson(OriginSession, stored.text, session);
    const entries: HistoryEntry[] = [];
    for (const { run, asked_at, told_at } of runs.slice(-Math.ceil(limit / 2))) {
      const view = await ledger.ensure(run);
      if (view === undefined) continue;
      entries.push({ at: asked_at, from: "user", kind: "objective", text: view.objective.objective });
      const body = view.finished?.deliverable?.body;
      if (body !== undefined) entries.push({ at: told_at, from: "ceo", kind: "deliverable", text: body });
    }
    return entries.slice(-limit);
  }
}
