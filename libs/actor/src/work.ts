// Owns one delivery from the inbox to its acknowledgement (DESIGN, rule 9; "Never": nothing is acknowledged before its effect is stored).
//
// W1  A delivery is acknowledged only after the gateway has stored its end, or says that there is nothing more to store.
// W2  A redelivery is claimed under its own attempt before anything else is done.
// W3  A fenced attempt leaves the delivery alone: it belongs to the attempt that fenced it.
// W4  A failure of the bus returns the work; a failure of the handler is the work's result.
import type { Delivery } from "@firm/bus";
import {
  FirmError,
  HEADERS,
  parseJson,
  Result,
  ROOT_HANDOFF,
  spans,
  traceIdOf,
  WorkOrder,
  type ErrorCode,
  type Role,
} from "@firm/protocol";
import { Checkpoints } from "./checkpoints.ts";
import { fitOutcome, type WorkOutcome } from "./fit.ts";
import type { Gateway, GatewayClient } from "./gateway-client.ts";
import { isPassing } from "./retry.ts";
import { InHand } from "./in-hand.ts";
import type { Log } from "./log.ts";
import type { Lease, Slots } from "./slots.ts";
import { TraceScope, type Tracing } from "./tracing.ts";
import { Stops, type WorkSignals } from "./stops.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

/** ms until work that the bus's state returned is delivered again. */
const RETURN_DELAY = 1_000;
/** Bytes kept free beside a result in a message: the event around it and the headers. */
const ENVELOPE = 8_192;

/** Refusals after which there is nothing left to store for this delivery. */
const NOTHING_LEFT: ReadonlySet<ErrorCode> = new Set([
  "already-ended",
  "run-cancelled",
  "run-ended",
  "deadline-passed",
  "expired-token",
]);

/** One handoff in hand, as its handler sees it. */
export interface Work {
  readonly order: WorkOrder;
  readonly attempt: number;
  /** Partial output of an earlier attempt. */
  readonly checkpoint: Result | undefined;
  readonly gateway: Gateway;
  readonly checkpoints: Checkpoints;
  /** Aborted on stop, drain and at the deadline: end all work. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Where its spans belong. */
  readonly trace: TraceScope;
  /** Waits for others without a concurrency slot (DESIGN, "Never"). */
  away<T>(wait: () => Promise<T>): Promise<T>;
}

/** What a role does with its work. Throwing makes it `failed`, with the error as the reason. */
export type WorkHandler = (work: Work) => Promise<WorkOutcome>;

export interface WorkDeskOptions {
  readonly role: Role;
  /** Host and process, for those who watch. */
  readonly worker: string;
  readonly handler: WorkHandler;
  readonly client: GatewayClient;
  readonly slots: Slots;
  readonly ackWaitMs: number;
  readonly maxPayload: number;
  readonly log: Log;
  readonly metrics: WorkerMetrics;
  readonly tracing: Tracing;
  /** Told of each delivery that ended, and how. */
  readonly onEnded?: (ms: number, status: Ended) => void;
}

/** How a delivery ended, for the metric. */
export type Ended = Result["status"] | "delivered" | "timeout" | "dropped" | "returned" | "poison";

/** Ends that are errors of the attempt. */
const FAILURES: ReadonlySet<Ended> = new Set(["failed", "timeout", "returned", "poison"]);

/** Thrown through a handler when the worker goes. */
const DRAINED = new FirmError("bus-unavailable", "the worker drains; the work goes to another delivery");

/** Works off deliveries. */
export class WorkDesk {
  readonly #options: WorkDeskOptions;
  readonly #inHand: InHand;
  readonly #stops = new Stops();

  constructor(options: WorkDeskOptions) {
    this.#options = options;
    this.#inHand = new InHand(options.ackWaitMs);
  }

  get inHand(): number {
    return this.#inHand.size;
  }

  /** `firm.stop.<run>` arrived. */
  stopRun(run: string): void {
    this.#stops.stopRun(run);
  }

  /** Waits for what is in hand, at most until `graceMs` have passed; then returns it to the bus. */
  async drain(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#stops.stopAll(DRAINED), graceMs);
    await this.#inHand.idle();
    clearTimeout(timer);
  }

  /** Takes a delivery together with the slot that was acquired for it. */
  take(delivery: Delivery): void {
    const { role, metrics, slots, log } = this.#options;
    const began = performance.now();
    const lease = slots.lease();
    this.#inHand.add(delivery);
    metrics.inflight.set({ role }, this.#inHand.size);
    void this.#serve(delivery, lease)
      .catch((error: unknown): Ended => {
        log.error({ err: error, seq: delivery.seq }, "work could not be ended; it will be delivered again");
        return "returned";
      })
      .then((status) => {
        lease.end();
        this.#inHand.remove(delivery);
        metrics.inflight.set({ role }, this.#inHand.size);
        metrics.handoffs.inc({ role, status });
        const ms = performance.now() - began;
        metrics.handoffDuration.observe({ role, status }, ms / 1_000);
        this.#options.onEnded?.(ms, status);
      });
  }

  async #serve(delivery: Delivery, lease: Lease): Promise<Ended> {
    let order: WorkOrder;
    try {
      order = parseJson(WorkOrder, delivery.text(), "work order");
    } catch (error) {
      this.#options.log.error(
        { err: error, seq: delivery.seq },
        "this is no work order; it will not be delivered again",
      );
      delivery.term(error instanceof Error ? error.message : String(error));
      return "poison";
    }
    const signals = this.#stops.open(order.run, order.deadline);
    const log = this.#options.log.child({
      run: order.run,
      trace_id: traceIdOf(order.run),
      handoff: order.handoff,
      chain: delivery.headers[HEADERS.chain] ?? this.#options.role,
      attempt: delivery.deliveryCount,
    });
    const start = Date.now();
    let ended: Ended = "returned";
    try {
      ended = await this.#workOn(delivery, order, lease, signals, log);
    } catch (error) {
      ended = await this.#unfinished(delivery, signals, error, log);
    } finally {
      signals.dispose();
      this.#trace(order, delivery.deliveryCount, start, ended);
    }
    return ended;
  }

  /** The attempt's span: below the handoff's, linked to the attempt before. */
  #trace({ run, handoff }: WorkOrder, attempt: number, start: number, ended: Ended): void {
    const { role, tracing, worker } = this.#options;
    if (!tracing.enabled) return;
    tracing.record({
      run,
      id: spans.attempt(run, handoff, attempt),
      parent: spans.handoff(run, handoff),
      name: `process ${role}`,
      kind: "consumer",
      start,
      end: Date.now(),
      attributes: {
        "messaging.system": "nats",
        "messaging.operation.type": "process",
        "firm.role": role,
        "firm.handoff": handoff,
        "firm.attempt": attempt,
        "firm.status": ended,
        "firm.worker": worker,
      },
      ...(FAILURES.has(ended) ? { error: ended } : {}),
      ...(attempt === 1
        ? {}
        : { links: [{ traceId: traceIdOf(run), spanId: spans.attempt(run, handoff, attempt - 1) }] }),
    });
  }

  async #workOn(
    delivery: Delivery,
    order: WorkOrder,
    lease: Lease,
    signals: WorkSignals,
    log: Log,
  ): Promise<Ended> {
    const { client, worker, role, metrics } = this.#options;
    const attempt = delivery.deliveryCount;
    const entitledTo = (token: string): Gateway =>
      client.for({
        run: order.run,
        token,
        deadline: order.deadline,
        signal: signals.stop,
        ...(this.#options.tracing.enabled ? { span: spans.attempt(order.run, order.handoff, attempt) } : {}),
      });
    let gateway = entitledTo(order.token);
    let earlier: Result | undefined;
    if (attempt > 1) {
      metrics.redeliveries.inc({ role });
      const claim = await gateway.claim(attempt, worker);
      if (claim.ended || claim.token === undefined) {
        await delivery.ack();
        log.info("a redelivery of work that has ended");
        return "dropped";
      }
      gateway = entitledTo(claim.token);
      earlier = claim.checkpoint;
    }
    const checkpoints = new Checkpoints({
      send: (request) => gateway.checkpoint(request),
      worker,
      log,
      onRefused: (error) => {
        if (NOTHING_LEFT.has(error.code) || error.code === "stale-attempt") signals.abort(error);
      },
    });
    let outcome: WorkOutcome;
    try {
      if (!lease.held) await lease.ready(signals.signal);
      outcome = await this.#options.handler({
        order,
        attempt,
        checkpoint: earlier,
        gateway,
        checkpoints,
        signal: signals.signal,
        log,
        trace: new TraceScope(
          this.#options.tracing,
          order.run,
          spans.attempt(order.run, order.handoff, attempt),
        ),
        away: (wait) => lease.away(signals.signal, wait),
      });
    } catch (error) {
      if (signals.stop.aborted || isOutOfHands(error)) throw error;
      if (error instanceof FirmError && error.code === "deadline-passed")
        return returnAfterDeadline(delivery, order, log);
      // The root ends in a deliverable, which a failure is not: another attempt may do it.
      if (order.handoff === ROOT_HANDOFF) throw error;
      log.warn({ err: error }, "the work failed");
      outcome = failedResult(order, error);
    } finally {
      await checkpoints.close();
    }
    await this.#send(gateway, outcome);
    await delivery.ack();
    const status = "deliverable" in outcome ? "delivered" : outcome.status;
    log.info({ status }, "done");
    return status;
  }

  async #send(gateway: Gateway, outcome: WorkOutcome): Promise<void> {
    try {
      await gateway.result(outcome);
    } catch (error) {
      if (!(error instanceof FirmError) || error.code !== "too-large") throw error;
      await gateway.result(fitOutcome(outcome, this.#options.maxPayload - ENVELOPE));
    }
  }

  /** The work brought no result: acknowledge, return, or leave it to whom it belongs now. */
  async #unfinished(delivery: Delivery, signals: WorkSignals, thrown: unknown, log: Log): Promise<Ended> {
    const error: unknown = signals.stop.aborted ? signals.stop.reason : thrown;
    if (error instanceof FirmError && error.code === "stale-attempt") {
      log.info({ reason: error.message }, "fenced by a later attempt");
      return "dropped";
    }
    if (error instanceof FirmError && NOTHING_LEFT.has(error.code)) {
      await delivery.ack();
      log.info({ code: error.code, reason: error.message }, "dropped");
      return "dropped";
    }
    log.warn({ err: error }, "the work goes back to the bus");
    delivery.nak(error === DRAINED ? 0 : RETURN_DELAY);
    return "returned";
  }
}

/** Errors that say nothing about the work: the bus's state, or that nobody wants its result any more. */
function isOutOfHands(error: unknown): boolean {
  if (!(error instanceof FirmError) || error.code === "deadline-passed") return false;
  return isPassing(error.code) || NOTHING_LEFT.has(error.code) || error.code === "stale-attempt";
}

/** Nothing to send by the deadline: the gateway writes the end, and the redelivery learns that it stands (W1). */
function returnAfterDeadline(delivery: Delivery, order: WorkOrder, log: Log): Ended {
  log.warn("no output by the deadline");
  delivery.nak(Math.max(0, order.deadline - Date.now()) + RETURN_DELAY);
  return "timeout";
}

/** The typed reason of a failure, as the parent and the report see it. */
function failedResult(order: WorkOrder, error: unknown): Result {
  const reason =
    error instanceof FirmError
      ? `${error.code}: ${error.message}`
      : `internal: ${error instanceof Error ? error.message : String(error)}`;
  return Result.parse({
    status: "failed",
    objective_key: order.objective_key,
    summary: reason.slice(0, 4_000),
    open_items: [reason.slice(0, 2_000)],
  });
}
