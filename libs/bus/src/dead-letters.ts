// Owns moving messages that were delivered max_deliver times out of a work queue (DESIGN: they stay there until someone does).
// Invariants: D1 a message is deleted from the queue only after it stands in FIRM_DLQ and the handler has succeeded;
// D2 advisories are sent once, so what was missed is found by a sweep at the start and after each reconnect.
import { FirmError, HEADERS, subjects } from "@firm/protocol";
import type { Subscription as ClientSubscription } from "nats";
import * as z from "zod";
import { append } from "./append.ts";
import { apiRequest, JS_ERRORS, jetStreamErrorOf } from "./jetstream.ts";
import type { Link } from "./link.ts";
import { sleep } from "./retry.ts";
import type { Headers, StoredMessage, Subscription } from "./types.ts";

/** Headers of a dead letter beside its own. */
export const DEAD_LETTER_HEADERS = {
  reason: HEADERS.deadLetterReason,
  stream: "Firm-Dlq-Stream",
  subject: "Firm-Dlq-Subject",
  seq: "Firm-Dlq-Sequence",
  durable: "Firm-Dlq-Durable",
  msgId: "Firm-Dlq-Msg-Id",
} as const;

const QUEUE = "firm-dlq";
/** A message acknowledged this moment may still be seen in the stream; what is there after this is dead. */
const SETTLE_MS = 500;

const Advisory = z.object({
  stream: z.string(),
  consumer: z.string(),
  stream_seq: z.number(),
  deliveries: z.number(),
});
const RawMessage = z.object({
  message: z.object({
    subject: z.string(),
    seq: z.number(),
    hdrs: z.string().optional(),
    data: z.string().default(""),
    time: z.string(),
  }),
});
const Consumers = z.object({
  total: z.number(),
  consumers: z
    .array(
      z.object({
        name: z.string(),
        config: z.object({ filter_subject: z.string().optional(), max_deliver: z.number().optional() }),
        delivered: z.object({ stream_seq: z.number() }),
        ack_floor: z.object({ stream_seq: z.number() }),
        num_ack_pending: z.number(),
      }),
    )
    .nullable()
    .default([]),
});

type Handler = (message: StoredMessage, durable: string) => Promise<void>;

class DeadLetters implements Subscription {
  readonly #link: Link;
  readonly #stream: string;
  readonly #handler: Handler;
  readonly #subscription: ClientSubscription;
  readonly #off: () => void;
  readonly #moving = new Map<number, Promise<void>>();
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(link: Link, stream: string, handler: Handler) {
    this.#link = link;
    this.#stream = stream;
    this.#handler = handler;
    this.#subscription = link.nc.subscribe(`$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${stream}.*`, {
      queue: QUEUE,
      callback: (error, msg) => {
        if (error !== null) {
          this.#failed(error);
          return;
        }
        const advisory = Advisory.safeParse(parseText(msg.string()));
        if (advisory.success)
          void this.#move(
            advisory.data.stream_seq,
            advisory.data.consumer,
            `delivered ${advisory.data.deliveries} times`,
          );
      },
    });
    this.#off = link.on((status) => {
      if (status.type === "reconnected") this.#again();
    });
  }

  /** D2: finds what is behind a durable's ack floor and still in the queue. @throws FirmError. */
  async sweep(): Promise<void> {
    for (let offset = 0, total = 1; offset < total && !this.#stopped;) {
      const page = await apiRequest(
        this.#link,
        `CONSUMER.LIST.${this.#stream}`,
        { offset },
        Consumers,
        `stream ${this.#stream}`,
      );
      const consumers = page.consumers ?? [];
      if (consumers.length === 0) return;
      total = page.total;
      offset += consumers.length;
      for (const { name, config, delivered, ack_floor, num_ack_pending } of consumers) {
        // The floor stays behind what died until the next acknowledgement; where nothing is in work, all delivered is done with.
        const floor = num_ack_pending === 0 ? delivered.stream_seq : ack_floor.stream_seq;
        if (config.filter_subject !== undefined) await this.#sweepDurable(name, config.filter_subject, floor);
      }
    }
  }

  async #sweepDurable(durable: string, filter: string, floor: number): Promise<void> {
    const found: number[] = [];
    for (let seq = 1; seq <= floor && !this.#stopped; seq++) {
      const message = await this.#get({ seq, next_by_subj: filter });
      if (message === undefined || message.seq > floor) break;
      found.push(message.seq);
      ({ seq } = message);
    }
    if (found.length === 0) return;
    await sleep(SETTLE_MS);
    for (const seq of found)
      if (!this.#stopped) await this.#move(seq, durable, "delivered max_deliver times");
  }

  async drain(): Promise<void> {
    this.#stop();
    if (!this.#subscription.isClosed()) await this.#subscription.drain().catch(() => undefined);
    await Promise.all([this.#sweeping, ...this.#moving.values()]);
  }

  unsubscribe(): void {
    this.#stop();
    if (!this.#link.nc.isClosed()) this.#subscription.unsubscribe();
  }

  #stop(): void {
    this.#stopped = true;
    this.#off();
  }

  #again(): void {
    this.#sweeping = this.#sweeping.then(() => this.sweep()).catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    this.#link.emit({ type: "handler-failed", subject: subjects.dlq(this.#stream), error });
  }

  /** One move for a message at a time; a failed one is left for the next sweep. */
  #move(seq: number, durable: string, reason: string): Promise<void> {
    const running = this.#moving.get(seq);
    if (running !== undefined) return running;
    const move = this.#moveOnce(seq, durable, reason)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => this.#moving.delete(seq));
    this.#moving.set(seq, move);
    return move;
  }

  async #moveOnce(seq: number, durable: string, reason: string): Promise<void> {
    const message = await this.#get({ seq });
    if (message === undefined) return;
    const { [HEADERS.msgId]: msgId, ...rest } = message.headers;
    await append(this.#link, subjects.dlq(this.#stream), message.bytes(), {
      msgId: `${this.#stream}:${message.storedAt}:${seq}`,
      headers: {
        ...withoutServerHeaders(rest),
        [DEAD_LETTER_HEADERS.reason]: reason,
        [DEAD_LETTER_HEADERS.stream]: this.#stream,
        [DEAD_LETTER_HEADERS.subject]: message.subject,
        [DEAD_LETTER_HEADERS.seq]: String(seq),
        [DEAD_LETTER_HEADERS.durable]: durable,
        ...(msgId === undefined ? {} : { [DEAD_LETTER_HEADERS.msgId]: msgId }),
      },
    });
    await this.#handler(message, durable);
    await this.#delete(seq); // D1
  }

  async #get(query: { seq: number; next_by_subj?: string }): Promise<StoredMessage | undefined> {
    try {
      const { message } = await apiRequest(
        this.#link,
        `STREAM.MSG.GET.${this.#stream}`,
        query,
        RawMessage,
        `stream ${this.#stream}`,
      );
      return new RawStored(message);
    } catch (error) {
      if (jetStreamErrorOf(error)?.body.err_code === JS_ERRORS.noMessage) return undefined;
      throw error;
    }
  }

  async #delete(seq: number): Promise<void> {
    try {
      await apiRequest(
        this.#link,
        `STREAM.MSG.DELETE.${this.#stream}`,
        { seq, no_erase: true },
        z.object({ success: z.boolean() }),
        `stream ${this.#stream}`,
      );
    } catch (error) {
      // Another listener was faster.
      if (!(error instanceof FirmError && (await this.#get({ seq })) === undefined)) throw error;
    }
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Only the server may publish advisories; what is not JSON is none.
    return undefined;
  }
}

/** An expectation of the first stream must not be checked again by the second. */
function withoutServerHeaders(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("Nats-")));
}

/** A message as the stream API returns it: everything in base64. */
class RawStored implements StoredMessage {
  readonly subject: string;
  readonly seq: number;
  readonly storedAt: number;
  readonly headers: Headers;
  readonly #data: Uint8Array;

  constructor(raw: z.infer<typeof RawMessage>["message"]) {
    this.subject = raw.subject;
    this.seq = raw.seq;
    this.storedAt = Date.parse(raw.time);
    this.headers = parseHeaders(Buffer.from(raw.hdrs ?? "", "base64").toString());
    this.#data = Buffer.from(raw.data, "base64");
  }
  get size(): number {
    return this.#data.length;
  }
  text(): string {
    return Buffer.from(this.#data).toString();
  }
  bytes(): Uint8Array {
    return this.#data;
  }
}

function parseHeaders(block: string): Headers {
  const record: Record<string, string> = {};
  for (const line of block.split("\r\n").slice(1)) {
    const colon = line.indexOf(":");
    if (colon > 0) record[line.slice(0, colon)] ??= line.slice(colon + 1).trim();
  }
  return record;
}

/** Listens, and moves what waits already. @throws FirmError where the stream cannot be read. */
export async function openDeadLetters(link: Link, stream: string, handler: Handler): Promise<Subscription> {
  const letters = new DeadLetters(link, stream, handler);
  try {
    await letters.sweep();
  } catch (error) {
    letters.unsubscribe();
    throw error;
  }
  return letters;
}
