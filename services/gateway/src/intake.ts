// Owns the way in: objectives become runs, exactly once each; a request for one is answered with its run
// (docs/decisions: FIRM_OBJECTIVES keeps no acknowledgement of its own, so that the answer is the first reply).
// I1 A stored objective becomes one run, however often it is delivered. I2 It is acknowledged after its run and root work are stored.
// I3 A request is answered once: with its run, or with what is wrong.
import type { BusRequest, Delivery, Headers, WorkSource } from "@firm/bus";
import {
  digest,
  FirmError,
  HEADERS,
  OBJECTIVES_DURABLE,
  parseObjective,
  runIdOf,
  STREAMS,
  subjects,
  type Objective,
  type ObjectiveReply,
  type Role,
  type RunAccepted,
} from "@firm/protocol";
import { CHAIR, MENTOR, participantsOf, planTargets } from "@firm/orchestration";
import { refuseTranscript } from "./board-memory.ts";
import type { Gateway } from "./deps.ts";
import { handToCeo, rootOrderBytes } from "./root-order.ts";
import { RunWaiters } from "./run-waiters.ts";

/** Objectives taken in at a time. */
const PARALLEL = 64;
/** How long a request for a run may wait for its acceptance, ms: less than the 5 s that common clients wait for an answer. */
const ANSWER_MS = 4_000;
/** Delay before an objective that could not be stored is tried again, ms. */
const RETRY_MS = 500;

/** Tells one objective's message from another: its body, and the id its publisher gave it. */
function digestOf(body: string, msgId: string | undefined): string {
  return digest(body, msgId ?? "");
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** @throws FirmError `invalid-input`: words that were garbled on their way are not worked on. */
function textOf(body: Uint8Array): string {
  try {
    return UTF8.decode(body);
  } catch (cause) {
    throw new FirmError("invalid-input", "the objective is not UTF-8 text", {
      field: "objective",
      hint: "send it encoded as UTF-8",
      cause,
    });
  }
}

/** What the publisher wrote for readers; the rest are instructions to the server that hold for the first stream alone. */
function publishersOwn(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^nats-/i.test(name)));
}

/** Takes objectives in. */
export class Intake {
  readonly #gateway: Gateway;
  readonly #waiters: RunWaiters;
  readonly #origin: string;
  #source: WorkSource | undefined;
  #running: Promise<void> | undefined;

  /** @param origin what tells this bus from any other, for run ids */
  constructor(gateway: Gateway, origin: string) {
    this.#gateway = gateway;
    this.#origin = origin;
    this.#waiters = new RunWaiters(() => gateway.now(), ANSWER_MS);
    gateway.ledger.onEvent((_view, _seq, event) => {
      if (event.type === "accepted")
        this.#waiters.accepted(event.objective_digest, replyFor(event), event.at);
    });
  }

  /** @param onTaken told of each objective that was taken in or refused, and how long that took, ms */
  async start(onTaken: (ms: number, refused?: FirmError) => void): Promise<void> {
    const { bus, log } = this.#gateway;
    bus.subscribe(subjects.objective, (request) => this.#answer(request), { queue: "gateway" });
    this.#source = await bus.work(STREAMS.objectives, OBJECTIVES_DURABLE);
    let free = PARALLEL;
    let closed = false;
    const waiting: ((granted: boolean) => void)[] = [];
    const release = (): void => {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next(true);
    };
    const slots = {
      acquire: (): Promise<boolean> => {
        if (closed) return Promise.resolve(false);
        if (free > 0) {
          free--;
          return Promise.resolve(true);
        }
        return new Promise<boolean>((resolve) => waiting.push(resolve));
      },
      release,
    };
    this.#stopSlots = () => {
      closed = true;
      for (const resolve of waiting.splice(0)) resolve(false);
    };
    this.#running = this.#source.run(slots, (delivery) => {
      const began = performance.now();
      void this.#take(delivery)
        .then((refused) => onTaken(performance.now() - began, refused))
        .catch((error: unknown) => {
          log.error({ err: error, seq: delivery.seq }, "an objective could not be taken in yet");
          this.#waiters.delayed(digestOf(delivery.text(), delivery.headers[HEADERS.msgId]), error);
          delivery.nak(RETRY_MS);
        })
        .finally(release);
    });
  }

  #stopSlots: () => void = () => undefined;

  async stop(): Promise<void> {
    this.#source?.stop();
    this.#stopSlots();
    await this.#running;
    this.#waiters.stop();
  }

  #answer(request: BusRequest): void {
    const body = request.text();
    try {
      this.#check(this.#parse(request.bytes()));
    } catch (error) {
      // A bare publish has nobody to tell; the stored message goes to the dead letter queue with the reason.
      if (request.expectsReply) request.fail(error);
      return;
    }
    this.#waiters.add(
      digestOf(body, request.headers[HEADERS.msgId]),
      request,
      request.headers[HEADERS.msgId] !== undefined,
    );
  }

  /** @throws FirmError naming the field; `too-large` for what could be stored, but not be handed to the CEO. */
  #parse(body: Uint8Array): Objective {
    const { config, bus } = this.#gateway;
    const objective = parseObjective(textOf(body), { deadline_seconds: config.limits.deadline_seconds });
    const size = rootOrderBytes(objective);
    if (size > bus.maxPayload) {
      throw new FirmError(
        "too-large",
        `the objective is too large: its work order has ${size} bytes, and this NATS server takes at most ${bus.maxPayload}`,
        { field: "objective", hint: "put long text into a file of the workspace and refer to it" },
      );
    }
    return objective;
  }

  /** The roles below the CEO that the run is expected to need. @throws FirmError naming the field. */
  #check(objective: Objective): readonly Role[] {
    if (objective.kind !== "board") {
      const targets = planTargets(objective, this.#gateway.chart);
      return [...targets, ...targets.flatMap((role) => this.#gateway.chart.subtreeOf(role).slice(1))];
    }
    refuseTranscript(objective.context_ref);
    return [...participantsOf(objective).filter((role) => role !== CHAIR), MENTOR];
  }

  /** @returns what it was refused with; undefined where it is a run now */
  async #take(delivery: Delivery): Promise<FirmError | undefined> {
    const { bus, ledger, records, log, metrics } = this.#gateway;
    const body = delivery.text();
    let objective: Objective;
    let targets: readonly Role[];
    try {
      objective = this.#parse(delivery.bytes());
      targets = this.#check(objective);
      if (objective.context_ref !== undefined) await this.#gateway.contexts.resolve(objective.context_ref);
    } catch (error) {
      if (!(error instanceof FirmError) || error.status >= 500) throw error;
      await bus.append(subjects.dlq(STREAMS.objectives), delivery.bytes(), {
        msgId: `objective.${delivery.seq}.${delivery.storedAt}`,
        headers: {
          ...publishersOwn(delivery.headers),
          [HEADERS.errorName]: error.code,
          [HEADERS.deadLetterReason]: error.message.replace(/[\r\n]+/g, " "),
        },
      });
      metrics.deadLetters.inc({ stream: STREAMS.objectives });
      metrics.refusals.inc({ verb: "objective", rule: error.code });
      log.warn(
        { seq: delivery.seq, code: error.code, field: error.field, reason: error.message },
        "an objective was refused",
      );
      this.#waiters.refused(digestOf(body, delivery.headers[HEADERS.msgId]), error);
      delivery.term(error.message);
      return error;
    }
    const run = runIdOf(delivery.storedAt, `${this.#origin}.${delivery.seq}`);
    const traceparent = delivery.headers[HEADERS.traceparent];
    const accepted: RunAccepted = {
      type: "accepted",
      kind: objective.kind ?? "run",
      run,
      at: delivery.storedAt,
      objective,
      objective_seq: delivery.seq,
      objective_digest: digestOf(body, delivery.headers[HEADERS.msgId]),
      deadline: delivery.storedAt + objective.deadline_seconds * 1000,
      roles: ["ceo", ...targets],
      ...(traceparent === undefined ? {} : { traceparent }),
    };
    await records.create({
      run,
      status: "running",
      kind: objective.kind ?? "run",
      objective: objective.objective.slice(0, 500),
      accepted_at: accepted.at,
      deadline: accepted.deadline,
      spawned: [],
    });
    await this.#accept(accepted);
    const view = await ledger.must(run);
    if (view.finished === undefined) await handToCeo(this.#gateway, accepted);
    await delivery.ack();
    log.info({ run, deadline: accepted.deadline, roles: targets }, "run accepted");
    return undefined;
  }

  async #accept(accepted: RunAccepted): Promise<void> {
    try {
      await this.#gateway.ledger.append(accepted, {
        first: true,
        msgId: `${accepted.run}.accepted`,
      });
    } catch (error) {
      if (!(error instanceof FirmError) || error.code !== "already-ended") throw error;
    }
  }
}

function replyFor(event: RunAccepted): ObjectiveReply {
  return {
    run: event.run,
    status: "accepted",
    deadline: event.deadline,
    stream: STREAMS.objectives,
    seq: event.objective_seq,
  };
}
