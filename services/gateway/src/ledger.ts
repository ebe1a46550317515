// Owns the projection of active runs: fed by the log, rebuilt from it at start; nothing lives only here.
import type { Bus, Feed, StoredMessage } from "@firm/bus";
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
import { Horizon } from "./horizon.ts";
import { evolveView, viewOf, type HandoffView, type RunView } from "./view.ts";

/** How long a finished run stays in memory, so that late results are told apart cheaply, ms. */
const KEEP_FINISHED_MS = 10_000;
/** How long the event of a handoff may be on its way, ms. */
const HANDOFF_WAIT_MS = 250;

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
  readonly #horizon = new Horizon();
  /** Whom only events beyond the horizon wait for. */
  readonly #behind = new Set<string>();
  /** Runs of which an event came while they were loaded. */
  readonly #missed = new Set<string>();
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
      const isPassedOver = this.#hear(message);
      this.#horizon.fed(message.seq, isPassedOver ? message.subject : undefined);
      this.#lookAhead();
    });
    const newest = await this.#bus.last(STREAMS.runs, subjects.run.all);
    this.#horizon.begin(newest?.seq ?? 0);
    const records = await this.#bus.kv(BUCKETS.runs);
    for (const key of await records.keys()) {
      const entry = await records.get(key);
      if (entry === undefined || !key.startsWith("run.")) continue;
      if (parseJson(RunRecord, entry.text, key).ended_at === undefined)
        await this.ensure(key.slice("run.".length));
    }
  }

  /** @returns true where an event is left to the append that is about to be acknowledged for it */
  #hear(message: StoredMessage): boolean {
    const place = parseRunSubject(message.subject);
    if (place === undefined) return false;
    const view = this.#views.get(place.run);
    if (view?.seen.has(message.seq) === true) return false;
    if (view === undefined && place.type !== "accepted") {
      // A load that is under way may have read past this event's place already.
      if (this.#loading.has(place.run)) this.#missed.add(place.run);
      return false;
    }
    if (this.#inFlight.has(message.subject)) return true;
    this.#apply(message.seq, parseJson(RunEvent, message.text(), message.subject));
    return false;
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
    do {
      this.#missed.delete(run);
      await this.#read(run);
    } while (this.#missed.has(run));
    return this.#views.get(run);
  }

  async #read(run: string): Promise<void> {
    for (const message of await this.#bus.read(STREAMS.runs, subjects.run.of(run))) {
      this.#apply(message.seq, parseJson(RunEvent, message.text(), message.subject));
    }
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
        this.#horizon.settled(subject);
        this.#lookAhead();
        throw error;
      },
    );
    if (duplicate) {
      await this.#refresh(event.run, seq);
      this.#horizon.settled(subject);
      this.#lookAhead();
      return seq;
    }
    this.#apply(seq, event);
    this.#horizon.settled(subject, seq);
    this.#lookAhead();
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
    if (event.type === "handoff") this.#wakeKey(`${event.run}+${event.handoff}`);
    for (const listener of this.#listeners) listener(view, seq, event);
  }

  /** Tells those who wait for what was beyond the horizon. */
  #lookAhead(): void {
    for (const key of this.#behind) {
      this.#behind.delete(key);
      this.#wakeKey(key);
    }
  }

  #wake(run: string, parent: string): void {
    this.#wakeKey(`${run}/${parent}`);
  }

  #wakeKey(key: string): void {
    for (const wake of this.#waiters.get(key) ?? []) wake();
  }

  /**
   * Events about a handoff's children after a sequence; waits up to `waitMs` for the first. None is told before an earlier one
   * that another replica has stored: who asks goes on from the last it was told.
   */
  async collect(
    view: RunView,
    parent: string,
    after: number,
    waitMs: number,
    skipIssued = false,
  ): Promise<LoggedEvent[]> {
    const until = performance.now() + waitMs;
    for (;;) {
      const news = (view.children.get(parent) ?? []).filter(
        ({ seq, event }) => seq > after && !(skipIssued && event.type === "handoff"),
      );
      const horizon = this.#horizon.seq;
      const events = news.filter(({ seq }) => seq <= horizon).toSorted((a, b) => a.seq - b.seq);
      if (events.length === 0 && news.length > 0) this.#behind.add(`${view.run}/${parent}`);
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

  /**
   * The handoff that a signed token names. Its worker may be faster than the acknowledgement of its event, or than the feed from
   * the replica that stored it: then it is waited for, and at last read from the log.
   */
  async handoff(view: RunView, id: string): Promise<HandoffView | undefined> {
    const known = view.handoffs.get(id);
    if (known !== undefined) return known;
    await this.#news(`${view.run}+${id}`, HANDOFF_WAIT_MS);
    if (!view.handoffs.has(id)) await this.#load(view.run);
    return view.handoffs.get(id);
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
