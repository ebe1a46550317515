// Owns one question from its arrival to its answer (seed: agent-protocol; DESIGN "Never": a worker that waits for another role keeps no slot).
//
// A1  Every question is replied to at most once: with the handler's text or with why there is none.
// A2  A handler runs only while its question holds a slot, which `away` gives back: two roles that ask each other never wait for each other's slots.
// A3  At most `MOST_WAITING` questions wait for their first slot; the next is refused as `rate-limited`, so memory is bounded.
// A4  Stop, deadline and drain end a question whether it waits or is worked on.
import type { BusRequest } from "@firm/bus";
import { AskOrder, FirmError, parseJson, spanIdOf, spans, traceIdOf, type Role } from "@firm/protocol";
import type { Gateway, GatewayClient } from "./gateway-client.ts";
import type { Log } from "./log.ts";
import { Lease, type Slots } from "./slots.ts";
import { Stops } from "./stops.ts";
import { TraceScope, type Tracing } from "./tracing.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

/** Questions that wait for a slot: an order is a few hundred bytes, at most some tens of KB. */
export const MOST_WAITING = 4_096;

/** One question in hand, as its handler sees it. */
export interface Ask {
  readonly order: AskOrder;
  /** Speaks with the question's own token. */
  readonly gateway: Gateway;
  /** Aborted on stop, drain and at the deadline: end all work. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Where its spans belong. */
  readonly trace: TraceScope;
  /** Waits for others without a concurrency slot. */
  away<T>(wait: () => Promise<T>): Promise<T>;
}

/** What a role does with a question; the text is the reply. */
export type AskHandler = (ask: Ask) => Promise<string>;

export interface AskDeskOptions {
  readonly role: Role;
  readonly handler: AskHandler;
  readonly client: GatewayClient;
  readonly slots: Slots;
  readonly log: Log;
  readonly metrics: WorkerMetrics;
  readonly tracing: Tracing;
  /** Told of each question that ended. */
  readonly onEnded?: (ms: number, error: unknown) => void;
}

const DRAINED = new FirmError("bus-unavailable", "the worker drains; ask again");

/** Works off questions. */
export class AskDesk {
  readonly #options: AskDeskOptions;
  readonly #stops = new Stops();
  #waiting = 0;
  #inHand = 0;
  #idle: (() => void) | undefined;

  constructor(options: AskDeskOptions) {
    this.#options = options;
  }

  /** `firm.stop.<run>` arrived. */
  stopRun(run: string): void {
    this.#stops.stopRun(run);
  }

  /** Takes a question; never throws. */
  take(request: BusRequest): void {
    const began = performance.now();
    this.#inHand++;
    void this.#serve(request)
      .then((text) => request.respond(text))
      .then(
        () => undefined,
        (error: unknown) => {
          request.fail(error);
          return error;
        },
      )
      .then((error) => this.#ended(performance.now() - began, error));
  }

  /** Waits for what is in hand, at most until `graceMs` have passed; then ends it. */
  async drain(graceMs: number): Promise<void> {
    if (this.#inHand === 0) return;
    const timer = setTimeout(() => this.#stops.stopAll(DRAINED), graceMs);
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
    clearTimeout(timer);
  }

  async #serve(request: BusRequest): Promise<string> {
    const order = parseJson(AskOrder, request.text(), "question");
    const { role, slots, client } = this.#options;
    if (order.role !== role)
      throw new FirmError("wrong-sender", `this is ${role}; the question is for ${order.role}`);
    if (this.#waiting >= MOST_WAITING) {
      throw new FirmError("rate-limited", `${role} has ${MOST_WAITING} questions waiting`, {
        hint: "ask again later, or run more processes of this role",
      });
    }
    const signals = this.#stops.open(order.run, order.deadline);
    const lease = new Lease(slots, false);
    const start = Date.now();
    const span = answerSpan(order.run, order.invocation, order.complaint !== undefined);
    let failure: unknown = "stopped";
    try {
      await this.#slotFor(lease, signals.signal);
      const text = await untilAborted(
        this.#options.handler({
          order,
          gateway: client.for({
            run: order.run,
            token: order.token,
            deadline: order.deadline,
            signal: signals.signal,
            ...(this.#options.tracing.enabled ? { span } : {}),
          }),
          signal: signals.signal,
          trace: new TraceScope(this.#options.tracing, order.run, span),
          log: this.#options.log.child({
            run: order.run,
            trace_id: traceIdOf(order.run),
            invocation: order.invocation,
            chain: order.chain.join(" → "),
          }),
          away: (wait) => lease.away(signals.signal, wait),
        }),
        signals.signal,
      );
      failure = undefined;
      return text;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      lease.end();
      signals.dispose();
      this.#trace(order, start, failure);
    }
  }

  /** The answer's span, below the question's; an answer that was complained about is followed by another. */
  #trace({ run, invocation, complaint }: AskOrder, start: number, failure: unknown): void {
    const { role, tracing } = this.#options;
    if (!tracing.enabled) return;
    tracing.record({
      run,
      id: answerSpan(run, invocation, complaint !== undefined),
      parent: spans.invocation(run, invocation),
      name: `process ${role}`,
      kind: "server",
      start,
      end: Date.now(),
      attributes: { "messaging.system": "nats", "messaging.operation.type": "process", "firm.role": role },
      ...(failure === undefined ? {} : { error: failure instanceof FirmError ? failure.code : "internal" }),
    });
  }

  async #slotFor(lease: Lease, signal: AbortSignal): Promise<void> {
    this.#waiting++;
    try {
      await lease.ready(signal);
    } finally {
      this.#waiting--;
    }
  }

  #ended(ms: number, error: unknown): void {
    const { role, metrics, log, onEnded } = this.#options;
    const outcome = error === undefined ? "answered" : error instanceof FirmError ? error.code : "internal";
    metrics.asks.inc({ role, outcome });
    metrics.askDuration.observe({ role }, ms / 1_000);
    if (error !== undefined) log.warn({ err: error }, "a question was not answered");
    onEnded?.(ms, error);
    this.#inHand--;
    if (this.#inHand === 0) this.#idle?.();
  }
}

function answerSpan(run: string, invocation: string, again: boolean): string {
  return spanIdOf(run, "answer", invocation, again ? 2 : 1);
}

/** A handler that ignores its signal keeps neither the reply nor the slot. */
function untilAborted(answer: Promise<string>, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void =>
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
