// Owns an ordered consumer: each message of a stream once and in order, however often the connection or the server goes.
// Invariants: O1 the handler sees strictly rising sequences; O2 a gap in the consumer's own count is never passed over:
// the consumer is made anew behind the last sequence handed on; O3 of all consumers made, only the newest is listened to.
import { FirmError } from "@firm/protocol";
import { nuid, type Msg, type Subscription as ClientSubscription } from "nats";
import * as z from "zod";
import { isAppended } from "./authentic.ts";
import { fromClient } from "./errors.ts";
import { apiRequest } from "./jetstream.ts";
import type { Link } from "./link.ts";
import { pauseOf } from "./retry.ts";
import { Delivered, parseAckSubject } from "./stored.ts";

export interface OrderedOptions {
  readonly stream: string;
  readonly filter: string;
  /** Sequence to start from; `new`: what comes from now on; `last-per-subject`: the state now, then what comes. */
  readonly from: number | "new" | "last-per-subject";
  readonly headersOnly?: boolean;
  readonly onMessage: (message: Delivered) => void;
  /** After each delivery, also of what is passed over: how many messages still wait. */
  readonly onPending?: (pending: number) => void;
}

const HEARTBEAT_MS = 5_000;
/** Two missed heartbeats and a half: the consumer is gone or the way to it is. */
const SILENCE_MS = 12_500;
const NANOS = 1_000_000;

const Created = z.object({
  num_pending: z.number().default(0),
  delivered: z.object({ stream_seq: z.number() }),
});

export class OrderedConsumer {
  readonly #link: Link;
  readonly #options: OrderedOptions;
  readonly #off: () => void;
  readonly #silence: NodeJS.Timeout;
  #name = "";
  #subscription: ClientSubscription | undefined;
  /** Count of deliveries by the current consumer. */
  #delivered = 0;
  #seq: number;
  /** False until the start is known as a sequence; until then a renewed consumer starts as the first did. */
  #anchored: boolean;
  #stopped = false;
  #attempt = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(link: Link, options: OrderedOptions) {
    this.#link = link;
    this.#options = options;
    this.#anchored = typeof options.from === "number";
    this.#seq = typeof options.from === "number" ? Math.max(0, options.from - 1) : 0;
    this.#silence = setTimeout(() => this.#renew(), SILENCE_MS);
    this.#off = link.on((status) => {
      if (status.type === "reconnected") this.#renew();
      else if (status.type === "closed") this.#end();
    });
  }

  get seq(): number {
    return this.#seq;
  }

  /** Makes the first consumer. @throws FirmError where there is no such stream or no permission. */
  async start(): Promise<void> {
    try {
      await this.#create();
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#end();
    if (!this.#link.connected) return;
    // The server forgets an idle consumer by itself; this only frees it sooner.
    await this.#link.mux
      .send(`$JS.API.CONSUMER.DELETE.${this.#options.stream}.${this.#name}`, "", undefined, 1_000)
      .catch(() => undefined);
  }

  #end(): void {
    this.#stopped = true;
    clearTimeout(this.#silence);
    clearTimeout(this.#retry);
    this.#off();
    if (!this.#link.nc.isClosed()) this.#subscription?.unsubscribe();
  }

  /** O2: from behind what was handed on; tries until it succeeds or is stopped. */
  #renew(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (this.#stopped || !this.#link.connected) return;
    this.#create().catch(() => {
      if (this.#stopped) return;
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#renew(), pauseOf(this.#attempt++) * 2);
    });
  }

  async #create(): Promise<void> {
    const { stream, filter, from, headersOnly } = this.#options;
    const name = nuid.next();
    const inbox = this.#link.inbox();
    if (this.#subscription !== undefined && !this.#link.nc.isClosed()) this.#subscription.unsubscribe();
    this.#name = name;
    this.#delivered = 0;
    this.#silence.refresh();
    this.#subscription = this.#link.nc.subscribe(inbox, {
      callback: (error, msg) => {
        if (name !== this.#name || this.#stopped) return; // O3
        if (error === null) this.#receive(inbox, msg);
        else
          this.#link.emit({
            type: "handler-failed",
            subject: filter,
            error: fromClient(error, `following ${stream}`),
          });
      },
    });
    const config = {
      name,
      ...(this.#anchored
        ? { deliver_policy: "by_start_sequence", opt_start_seq: this.#seq + 1 }
        : { deliver_policy: from === "new" ? "new" : "last_per_subject" }),
      ack_policy: "none",
      max_deliver: 1,
      replay_policy: "instant",
      filter_subject: filter,
      deliver_subject: inbox,
      flow_control: true,
      idle_heartbeat: HEARTBEAT_MS * NANOS,
      inactive_threshold: SILENCE_MS * 2 * NANOS,
      mem_storage: true,
      num_replicas: 1,
      ...(headersOnly === true ? { headers_only: true } : {}),
    };
    const created = await apiRequest(
      this.#link,
      `CONSUMER.CREATE.${stream}.${name}.${filter}`,
      { stream_name: stream, config },
      Created,
      `stream ${stream}`,
    );
    if (name !== this.#name || this.#stopped) return;
    this.#attempt = 0;
    if (!this.#anchored && from === "new") {
      this.#anchored = true;
      this.#seq = Math.max(this.#seq, created.delivered.stream_seq);
    }
    this.#options.onPending?.(created.num_pending);
  }

  #receive(inbox: string, msg: Msg): void {
    this.#silence.refresh();
    if (msg.subject === inbox) {
      this.#control(msg);
      return;
    }
    const info = parseAckSubject(msg.reply ?? "");
    if (info === undefined) return;
    if (info.consumerSeq !== this.#delivered + 1) {
      this.#renew(); // O2
      return;
    }
    this.#delivered = info.consumerSeq;
    if (info.streamSeq <= this.#seq) return; // O1
    this.#seq = info.streamSeq;
    if (this.#options.from !== "last-per-subject") this.#anchored = true;
    if (isAppended(info.stream, msg)) {
      try {
        this.#options.onMessage(new Delivered(msg, info));
      } catch (error) {
        this.#link.emit({ type: "handler-failed", subject: msg.subject, error });
      }
    }
    this.#options.onPending?.(info.pending);
  }

  /** Heartbeats and flow control. */
  #control(msg: Msg): void {
    const headers = msg.headers;
    if (headers === undefined) return;
    if (headers.code >= 400) {
      this.#renew();
      return;
    }
    if (msg.reply !== undefined && msg.reply !== "") {
      msg.respond();
      return;
    }
    const stalled = headers.get("Nats-Consumer-Stalled");
    if (stalled !== "") this.#link.nc.publish(stalled);
    const last = headers.get("Nats-Last-Consumer");
    if (last !== "" && Number(last) > this.#delivered) this.#renew(); // O2: the last messages before the silence were lost
  }
}

/** What stands under a filter now, in order. @throws FirmError `bus-unavailable` where it does not come within `timeoutMs`. */
export async function readAll(
  link: Link,
  options: {
    stream: string;
    filter: string;
    from: number | "last-per-subject";
    headersOnly?: boolean;
    timeoutMs?: number;
  },
): Promise<Delivered[]> {
  const messages: Delivered[] = [];
  const done = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    done.reject(
      new FirmError(
        "bus-unavailable",
        `reading ${options.stream} took longer than ${options.timeoutMs ?? 10_000} ms`,
      ),
    );
  }, options.timeoutMs ?? 10_000);
  const consumer = new OrderedConsumer(link, {
    stream: options.stream,
    filter: options.filter,
    from: options.from,
    ...(options.headersOnly === undefined ? {} : { headersOnly: options.headersOnly }),
    onMessage: (message) => messages.push(message),
    onPending: (pending) => {
      if (pending === 0) done.resolve();
    },
  });
  try {
    await consumer.start();
    await done.promise;
    return messages;
  } finally {
    clearTimeout(timer);
    void consumer.stop();
  }
}
