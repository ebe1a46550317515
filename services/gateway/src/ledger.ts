// Owns the projection of active runs: fed by the log, rebuilt from it at start; nothing lives only here.
import type { Bus, Feed } from "@firm/bus";
import {
  BUCKETS,
  FirmError,
  parseJson,
  parseRunSubject,
  RunEvent,
  RunRecord,
  STREAMS,
  subjects,
  type LoggedEvent,
} from "@firm/protocol";
import { evolveView, viewOf, type RunView } from "./view.ts";

/** How long a finished run stays in memory, so that late results are told apart cheaply, ms. */
const KEEP_FINISHED_MS = 10_000;

/** The subject an event stands under. */
export function subjectOf(event: RunEvent): string {
  const { run } = event;
  switch (event.type) {
    case "handoff":
    case "started":
    case "checkpoint":
    case "end":
    case "late":
      return subjects.run[event.type](run, event.handoff);
    case "accepted":
    case "session":
    case "message":
    case "refused":
    case "control":
    case "invocations":
    case "board":
    case "finished":
      return subjects.run[event.type](run);
  }
}

export interface AppendRules {
  /** Nothing may stand under the subject yet: the one end, the one acceptance. */
  first?: boolean;
  msgId?: string;
}

/** Event types whose subject holds one event. */
const ONE_EACH: ReadonlySet<RunEvent["type"]> = new Set(["accepted", "handoff", "end", "finished"]);

type RunListener = (view: RunView, seq: number, event: RunEvent) => void;

/** The gateway's memory of the log. */
export class Ledger {
  readonly #bus: Bus;
  readonly #onStored: (view: RunView, event: RunEvent) => void;
  readonly #views = new Map<string, RunView>();
  readonly #loading = new Map<string, Promise<RunView | undefined>>();
  readonly #inFlight = new Set<string>();
  readonly #listeners: RunListener[] = [];
  readonly #waiters = new Map<string, Set<() => void>>();
  readonly #evictions = new Set<NodeJS.Timeout>();
  #feed: Feed | undefined;
  #stopped = false;
  #latestDelivery: { readonly seq: number; readonly body: string } | undefined;

  /** @param onStored told of each event that this process has stored, once it is applied */
  constructor(bus: Bus, onStored: (view: RunView, event: RunEvent) => void = () => undefined) {
    this.#bus = bus;
    this.#onStored = onStored;
  }

  /** Called for every event once it is applied. */
  onEvent(listener: RunListener): void {
    this.#listeners.push(listener);
  }

  /** Follows the log from now on, then loads every run that has not ended. */
  async start(): Promise<void> {
    this.#feed = await this.#bus.follow(STREAMS.runs, subjects.run.all, undefined, (message) => {
      const place = parseRunSubject(message.subject);
      if (place === undefined) return;
      const view = this.#views.get(place.run);
      if (view?.seen.has(message.seq) === true) return;
      if (view === undefined && place.type !== "accepted") return;
      if (this.#inFlight.has(message.subject)) return;
      this.#apply(message.seq, parseJson(RunEvent, message.text(), message.subject));
    });
    const records = await this.#bus.kv(BUCKETS.runs);
    for (const key of await records.keys()) {
      const entry = await records.get(key);
      if (entry === undefined || !key.startsWith("run.")) continue;
      if (parseJson(RunRecord, entry.text, key).ended_at === undefined)
        await this.ensure(key.slice("run.".length));
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#feed?.stop();
    for (const timer of this.#evictions) clearTimeout(timer);
    for (const waiters of this.#waiters.values()) for (const wake of waiters) wake();
  }

  /** The latest deliverable this process has heard of; the object store may lag behind it by a moment. */
  get latestDelivery(): string | undefined {
    return this.#latestDelivery?.body;
  }

  /** Runs in memory. */
  get views(): Iterable<RunView> {
    return this.#views.values();
  }

  get(run: string): RunView | undefined {
    return this.#views.get(run);
  }

  /** The view of a run, read from the log where it is not in memory; undefined where there is no such run. */
  async ensure(run: string): Promise<RunView | undefined> {
    const view = this.#views.get(run);
    if (view !== undefined) return view;
    let loading = this.#loading.get(run);
    if (loading === undefined) {
      loading = this.#load(run).finally(() => this.#loading.delete(run));
      this.#loading.set(run, loading);
    }
    return loading;
  }

  async #load(run: string): Promise<RunView | undefined> {
    for (const message of await this.#bus.read(STREAMS.runs, subjects.run.of(run))) {
      this.#apply(message.seq, parseJson(RunEvent, message.text(), message.subject));
    }
    return this.#views.get(run);
  }

  /**
   * Stores an event, then applies it here without waiting for the feed.
   * @throws FirmError `already-ended` where `first` does not hold; `storage-unavailable`, `bus-unavailable`, `too-large`.
   */
  async append(event: RunEvent, rules: AppendRules = {}): Promise<number> {
    const subject = subjectOf(event);
    // Of these a run has one under each subject: what the feed brings under it is this very event, or the append fails.
    const only = ONE_EACH.has(event.type);
    if (only) this.#inFlight.add(subject);
    const appended = this.#bus.append(subject, JSON.stringify(event), {
      ...(rules.msgId === undefined ? {} : { msgId: rules.msgId }),
      ...(rules.first === true ? { expectedLastSubjectSequence: 0 } : {}),
    });
    const { seq, duplicate } = await appended.then(
      (stored) => {
        this.#inFlight.delete(subject);
        return stored;
      },
      async (error: unknown) => {
        this.#inFlight.delete(subject);
        // Another's event may stand there, and the feed's copy of it was passed over.
        if (only) await this.#load(event.run);
        throw error;
      },
    );
    if (duplicate) {
      await this.#refresh(event.run, seq);
      return seq;
    }
    this.#apply(seq, event);
    const view = this.#views.get(event.run);
    if (view !== undefined) this.#onStored(view, event);
    return seq;
  }

  /** Brings a run up to a sequence that another replica wrote. */
  async #refresh(run: string, seq: number): Promise<void> {
    if (this.#views.get(run)?.seen.has(seq) === true) return;
    await this.#load(run);
  }

  #apply(seq: number, event: RunEvent): void {
    let view = this.#views.get(event.run);
    let news: string | undefined;
    if (view === undefined) {
      if (event.type !== "accepted") return;
      view = viewOf(event, seq);
      this.#views.set(event.run, view);
    } else {
      if (view.seen.has(seq)) return;
      news = evolveView(view, seq, event);
    }
    if (event.type === "finished") {
      if (
        event.status === "delivered" &&
        event.deliverable !== undefined &&
        seq > (this.#latestDelivery?.seq ?? 0)
      ) {
        this.#latestDelivery = { seq, body: event.deliverable.body };
      }
      const timer = setTimeout(() => {
        this.#evictions.delete(timer);
        this.#views.delete(event.run);
      }, KEEP_FINISHED_MS);
      timer.unref();
      this.#evictions.add(timer);
      for (const handoff of view.children.keys()) this.#wake(event.run, handoff);
    }
    if (news !== undefined) this.#wake(event.run, news);
    for (const listener of this.#listeners) listener(view, seq, event);
  }

  #wake(run: string, parent: string): void {
    for (const wake of this.#waiters.get(`${run}/${parent}`) ?? []) wake();
  }

  /** Events about a handoff's children after a sequence; waits up to `waitMs` for the first. */
  async collect(
    view: RunView,
    parent: string,
    after: number,
    waitMs: number,
    skipIssued = false,
  ): Promise<LoggedEvent[]> {
    const until = performance.now() + waitMs;
    for (;;) {
      const events = (view.children.get(parent) ?? []).filter(
        ({ seq, event }) => seq > after && !(skipIssued && event.type === "handoff"),
      );
      const left = until - performance.now();
      if (events.length > 0 || left <= 0 || view.finished !== undefined || this.#stopped) return events;
      await this.#news(`${view.run}/${parent}`, left);
    }
  }

  #news(key: string, waitMs: number): Promise<void> {
    const waiters = this.#waiters.get(key) ?? new Set();
    this.#waiters.set(key, waiters);
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        waiters.delete(done);
        if (waiters.size === 0) this.#waiters.delete(key);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      waiters.add(done);
    });
  }

  /** The view of a run that must exist.
   * @throws FirmError `unknown-run` */
  async must(run: string): Promise<RunView> {
    const view = await this.ensure(run);
    if (view === undefined)
      throw new FirmError("unknown-run", `there is no run ${run}`, {
        field: "run",
        hint: "firm runs lists them",
      });
    return view;
  }
}
