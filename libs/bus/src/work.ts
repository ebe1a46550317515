// Owns pulling work from a durable, one message for each free slot.
// Invariants: W1 at most one pull is outstanding, and it holds a granted slot; W2 nothing waits in a client buffer:
// a message goes to the handler at once, or back to the server; W3 a pull that the server may have forgotten is replaced.
import type { FirmError } from "@firm/protocol";
import type { Msg, Subscription as ClientSubscription } from "nats";
import * as z from "zod";
import { isAppended } from "./authentic.ts";
import { fromClient } from "./errors.ts";
import { apiRequest } from "./jetstream.ts";
import type { Link } from "./link.ts";
import { pauseOf, retrying } from "./retry.ts";
import { Delivered, parseAckSubject, type AckInfo } from "./stored.ts";
import type { Delivery, SlotSource, WorkSource } from "./types.ts";

const PULL_EXPIRES_MS = 30_000;
const HEARTBEAT_MS = 5_000;
/** Two missed heartbeats and a half. */
const SILENCE_MS = 12_500;
const NANOS = 1_000_000;
const ACK_ATTEMPT_MS = 2_000;
const PULL = new TextEncoder().encode(
  JSON.stringify({ batch: 1, expires: PULL_EXPIRES_MS * NANOS, idle_heartbeat: HEARTBEAT_MS * NANOS }),
);

const ConsumerInfo = z.object({ config: z.object({ ack_wait: z.number() }) });

/** Servers from 2.11 on take a reason for a term. */
function knowsTermReasons(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 11);
}

/** A delivery whose acknowledgement the server confirms. */
class WorkDelivery extends Delivered implements Delivery {
  readonly #link: Link;
  #settled = false;

  constructor(link: Link, msg: Msg, info: AckInfo) {
    super(msg, info);
    this.#link = link;
  }
  get deliveryCount(): number {
    return this.info.deliveryCount;
  }
  async ack(): Promise<void> {
    this.#settled = true;
    // Acknowledging twice does no harm, so a lost confirmation is asked for again.
    await retrying(this.#link, (leftMs) =>
      this.#link.mux.send(this.msg.reply ?? "", "+ACK", undefined, Math.min(ACK_ATTEMPT_MS, leftMs)),
    );
  }
  nak(delayMs: number): void {
    this.#settle(delayMs > 0 ? `-NAK {"delay":${Math.round(delayMs * NANOS)}}` : "-NAK");
  }
  term(reason: string): void {
    // The reason goes into the server's advisory; a server that does not know reasons ignores the whole word.
    this.#settle(knowsTermReasons(this.#link.nc.info?.version ?? "") ? `+TERM ${reason}` : "+TERM");
  }
  working(): void {
    if (!this.#settled) this.#say("+WPI");
  }
  #settle(text: string): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#say(text);
  }
  /** Best effort: where it is lost, the server delivers again after ack_wait. */
  #say(text: string): void {
    if (!this.#link.nc.isClosed()) this.msg.respond(text);
  }
}

type Outcome = "delivered" | "empty" | "failed" | "stopped";

class PullSource implements WorkSource {
  readonly ackWaitMs: number;
  readonly #link: Link;
  readonly #name: string;
  readonly #pullSubject: string;
  #inbox = "";
  #subscription: ClientSubscription | undefined;
  #handle: (delivery: Delivery) => void = () => undefined;
  /** Ends the outstanding pull. */
  #settle: ((outcome: Outcome) => void) | undefined;
  /** Ends a wait for a slot or a pause. */
  #interrupt: (() => void) | undefined;
  #stopped = false;
  #refused: FirmError | undefined;

  constructor(link: Link, stream: string, durable: string, ackWaitMs: number) {
    this.#link = link;
    this.#name = `${stream}/${durable}`;
    this.#pullSubject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`;
    this.ackWaitMs = ackWaitMs;
  }

  stop(): void {
    this.#stopped = true;
    this.#settle?.("stopped");
    this.#interrupt?.();
  }

  async run(slots: SlotSource, handle: (delivery: Delivery) => void): Promise<void> {
    this.#handle = handle;
    const silence = setTimeout(() => this.#lost(), SILENCE_MS);
    const off = this.#link.on((status) => {
      if (status.type === "reconnected") this.#lost();
      else if (status.type === "closed") this.stop();
    });
    try {
      await this.#loop(slots, silence);
    } finally {
      clearTimeout(silence);
      off();
      await this.#leave();
    }
    if (this.#refused !== undefined) throw this.#refused;
  }

  async #loop(slots: SlotSource, silence: NodeJS.Timeout): Promise<void> {
    let failures = 0;
    while (!this.#stopped) {
      if (!(await this.#slot(slots))) return;
      const outcome = await this.#pull(silence);
      if (outcome === "delivered") {
        failures = 0;
        continue;
      }
      slots.release();
      if (outcome === "failed") await this.#pause(pauseOf(failures++) * 2);
      else failures = 0;
    }
  }

  /** Takes a slot; a grant that comes after the stop is given back. */
  #slot(slots: SlotSource): Promise<boolean> {
    return new Promise((resolve, reject) => {
      let left = false;
      this.#interrupt = () => {
        left = true;
        resolve(false);
      };
      slots.acquire().then((granted) => {
        this.#interrupt = undefined;
        if (left && granted) slots.release();
        else resolve(granted);
      }, reject);
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** W1. Resolves when the pull brought a message, or will bring none. */
  #pull(silence: NodeJS.Timeout): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#settle = (outcome) => {
        this.#settle = undefined;
        resolve(outcome);
      };
      if (this.#stopped || this.#link.nc.isClosed()) {
        this.#settle("stopped");
        return;
      }
      if (this.#subscription === undefined) this.#listen(silence);
      silence.refresh();
      this.#link.nc.publish(this.#pullSubject, PULL, { reply: this.#inbox });
    });
  }

  #listen(silence: NodeJS.Timeout): void {
    const inbox = this.#link.inbox();
    this.#inbox = inbox;
    this.#subscription = this.#link.nc.subscribe(inbox, {
      callback: (error, msg) => {
        if (error !== null) {
          this.#refused = fromClient(error, `pulling from ${this.#name}`);
          this.stop();
          return;
        }
        silence.refresh();
        if (msg.subject === inbox) this.#status(inbox, msg);
        else this.#deliver(inbox, msg);
      },
    });
  }

  #deliver(inbox: string, msg: Msg): void {
    const info = parseAckSubject(msg.reply ?? "");
    if (info === undefined) return;
    const delivery = new WorkDelivery(this.#link, msg, info);
    const settle = this.#settle;
    if (inbox !== this.#inbox || settle === undefined) {
      delivery.nak(0); // W2: no slot was granted for it
      return;
    }
    if (!isAppended(info.stream, msg)) {
      delivery.term("appended by nobody");
      settle("empty");
      return;
    }
    settle("delivered");
    try {
      this.#handle(delivery);
    } catch (error) {
      this.#link.emit({ type: "handler-failed", subject: msg.subject, error });
    }
  }

  #status(inbox: string, msg: Msg): void {
    const code = msg.headers?.code ?? 0;
    if (code === 100 || inbox !== this.#inbox) return;
    // 404 and 408: nothing came before the pull expired; anything else (deleted, no leader, no responders) is a failure.
    this.#settle?.(code === 404 || code === 408 ? "empty" : "failed");
  }

  /** W3: another inbox, so that a late message of the old pull is known as such. */
  #lost(): void {
    if (this.#settle === undefined) return;
    void this.#leave();
    this.#settle("empty");
  }

  /** Ends listening; what arrives until the server has heard of it goes back (W2). */
  async #leave(): Promise<void> {
    const subscription = this.#subscription;
    this.#subscription = undefined;
    this.#inbox = "";
    if (subscription === undefined || subscription.isClosed() || this.#link.nc.isClosed()) return;
    await subscription.drain().catch(() => undefined);
  }
}

/** Opens a durable. @throws FirmError where it does not exist or may not be used. */
export async function openWork(link: Link, stream: string, durable: string): Promise<WorkSource> {
  const info = await apiRequest(
    link,
    `CONSUMER.INFO.${stream}.${durable}`,
    undefined,
    ConsumerInfo,
    `durable ${durable} of ${stream}`,
  );
  return new PullSource(link, stream, durable, info.config.ack_wait / NANOS);
}
