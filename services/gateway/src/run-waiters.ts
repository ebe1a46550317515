// Owns the requests that wait for their run: matched by the digest of their message, first come first served.
// Two objectives with the same bytes are interchangeable; a publisher's own Nats-Msg-Id tells them apart.
import type { BusRequest } from "@firm/bus";
import { FirmError, type ObjectiveReply } from "@firm/protocol";

/** An acceptance may be heard before its request, by at most this, ms. */
const UNCLAIMED_MS = 1_000;
/** How long a publisher's own id is remembered here, ms: the stream's duplicate window. */
const REMEMBERED_MS = 120_000;

interface Waiter {
  readonly request: BusRequest;
  /** Why it is not stored yet. */
  reason?: string;
  readonly timer: NodeJS.Timeout;
}

/** Requests that wait for a run, and runs that wait for their request. */
export class RunWaiters {
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #unclaimed = new Map<string, { reply: ObjectiveReply; at: number }[]>();
  readonly #byId = new Map<string, { reply: ObjectiveReply; at: number }>();
  readonly #now: () => number;
  readonly #answerMs: number;

  constructor(now: () => number, answerMs: number) {
    this.#now = now;
    this.#answerMs = answerMs;
  }

  /** @param hasId the publisher gave the message an id of its own: a repeat is the same objective */
  add(digest: string, request: BusRequest, hasId: boolean): void {
    const repeat = hasId ? this.#byId.get(digest) : undefined;
    if (repeat !== undefined && this.#now() - repeat.at < REMEMBERED_MS) {
      this.#takeUnclaimed(digest);
      if (request.expectsReply) request.respond(JSON.stringify({ ...repeat.reply, duplicate: true }));
      return;
    }
    const heard = this.#takeUnclaimed(digest);
    if (heard !== undefined) {
      if (request.expectsReply) request.respond(JSON.stringify(heard));
      return;
    }
    const timer = setTimeout(() => this.#giveUp(digest, waiter), this.#answerMs);
    const waiter: Waiter = { request, timer };
    const list = this.#waiting.get(digest) ?? [];
    list.push(waiter);
    this.#waiting.set(digest, list);
  }

  /** @param at when the bus stored the objective, epoch ms */
  accepted(digest: string, reply: ObjectiveReply, at: number): void {
    this.#prune();
    this.#byId.set(digest, { reply, at });
    const waiter = this.#next(digest);
    if (waiter === undefined) {
      const list = this.#unclaimed.get(digest) ?? [];
      list.push({ reply, at });
      this.#unclaimed.set(digest, list);
      return;
    }
    if (waiter.request.expectsReply) waiter.request.respond(JSON.stringify(reply));
  }

  refused(digest: string, error: FirmError): void {
    const waiter = this.#next(digest);
    if (waiter?.request.expectsReply === true) waiter.request.fail(error);
  }

  /** Storing failed and will be tried again: who gives up waiting is told why. */
  delayed(digest: string, error: unknown): void {
    if (!(error instanceof FirmError)) return;
    for (const waiter of this.#waiting.get(digest) ?? []) waiter.reason = error.message;
  }

  #next(digest: string): Waiter | undefined {
    const list = this.#waiting.get(digest);
    const waiter = list?.shift();
    if (list?.length === 0) this.#waiting.delete(digest);
    if (waiter !== undefined) clearTimeout(waiter.timer);
    return waiter;
  }

  #takeUnclaimed(digest: string): ObjectiveReply | undefined {
    const list = this.#unclaimed.get(digest);
    const fresh = list?.find(({ at }) => this.#now() - at < UNCLAIMED_MS);
    this.#unclaimed.delete(digest);
    if (fresh === undefined || list === undefined) return undefined;
    const rest = list.filter((entry) => entry !== fresh);
    if (rest.length > 0) this.#unclaimed.set(digest, rest);
    return fresh.reply;
  }

  #giveUp(digest: string, waiter: Waiter): void {
    const list = this.#waiting.get(digest);
    list?.splice(list.indexOf(waiter), 1);
    if (list?.length === 0) this.#waiting.delete(digest);
    if (!waiter.request.expectsReply) return;
    waiter.request.fail(
      new FirmError(
        "storage-unavailable",
        `the objective was not stored as a run in time${waiter.reason === undefined ? "" : `: ${waiter.reason}`}`,
        {
          hint: "the disk or a stream may be full, or JetStream down (firm doctor); what was stored runs later; send it again with the same Nats-Msg-Id to be sure that it runs once",
        },
      ),
    );
  }

  #prune(): void {
    const now = this.#now();
    for (const [digest, { at }] of this.#byId) {
      if (now - at < REMEMBERED_MS) break;
      this.#byId.delete(digest);
    }
    for (const [digest, list] of this.#unclaimed) {
      if (list.every(({ at }) => now - at >= UNCLAIMED_MS)) this.#unclaimed.delete(digest);
    }
  }

  stop(): void {
    for (const list of this.#waiting.values()) for (const { timer } of list) clearTimeout(timer);
    this.#waiting.clear();
  }
}
