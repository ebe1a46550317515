// Owns a worker's requests to the gateway: one method for each verb, the work's token on each, one retry policy.
import type { Bus } from "@firm/bus";
import {
  type AssumeRequest,
  ClaimReply,
  CollectReply,
  type CheckpointRequest,
  type CollectRequest,
  type Deliverable,
  FirmError,
  HandoffReply,
  type HandoffRequest,
  HEADERS,
  InvokeReply,
  parseJson,
  type Result,
  ResultReply,
  type Role,
  type RoleVerb,
  SpawnReply,
  type SpawnRequest,
  subjects,
  traceparentOf,
} from "@firm/protocol";
import type * as z from "zod";
import type { WorkerMetrics } from "./worker-metrics.ts";
import { retrying } from "./retry.ts";
import { clamp, pause } from "./time.ts";

/** ms for the first try of a request; a gateway answers in a fraction of it, a dead one is not waited for longer. */
const TRY_TIMEOUT = 1_500;
/** ms for later tries: the gateway may be slow rather than dead. */
const RETRY_TIMEOUT = 5_000;
/** ms a collect waits in one request; what a gateway's death can cost a waiting role. */
const COLLECT_WINDOW = 2_000;
/** ms between two collects where the first came back early and empty. */
const EARLY_PAUSE = 25;
/** ms past the deadline in which a result is still tried: late it is recorded, unsent it is lost. */
const RESULT_GRACE = 5_000;

/** What the client needs of the bus. */
export type Requester = Pick<Bus, "request">;

/** What a piece of work is entitled to. */
export interface WorkCredentials {
  readonly run: string;
  readonly token: string;
  /** Epoch ms; no request is tried after it. */
  readonly deadline: number;
  /** Ends every request under way. */
  readonly signal: AbortSignal;
  /** Span that the requests belong to. */
  readonly span?: string;
}

/** The gateway as one piece of work sees it. Refusals are FirmErrors with the gateway's code. */
export interface Gateway {
  handoff(request: HandoffRequest): Promise<HandoffReply>;
  /** Waits for events after `after` until there are some or `until` (epoch ms) comes; survives gateways that die.
   * @throws FirmError `bus-unavailable` where none answers by `until`.
   */
  collect(after: number, until: number, skipIssued?: boolean): Promise<CollectReply>;
  result(body: Result | { deliverable: Deliverable }): Promise<number>;
  checkpoint(request: CheckpointRequest): Promise<void>;
  claim(attempt: number, worker: string): Promise<ClaimReply>;
  spawn(request: z.input<typeof SpawnRequest>): Promise<SpawnReply>;
  /** Asks a C-suite role, once. Waits without a limit of its own but the deadline.
   * @throws FirmError whose message is the `[BLOCKED: …]` line where a rule refuses.
   */
  invoke(role: string, question: string): Promise<InvokeReply>;
  /** Reports what the asker goes on with instead of an answer. */
  assume(request: AssumeRequest): Promise<void>;
}

/** The client of one role; `for` binds it to one piece of work. */
export class GatewayClient {
  readonly #bus: Requester;
  readonly #role: Role;
  readonly #metrics: WorkerMetrics;

  constructor(bus: Requester, role: Role, metrics: WorkerMetrics) {
    this.#bus = bus;
    this.#role = role;
    this.#metrics = metrics;
  }

  for(work: WorkCredentials): Gateway {
    const ask = <T>(
      verb: RoleVerb,
      body: unknown,
      schema: z.ZodType<T>,
      waitMs = 0,
      until = work.deadline,
    ): Promise<T> => this.#ask(work, verb, JSON.stringify(body), schema, waitMs, until);
    return {
      handoff: (request) => ask("handoff", request, HandoffReply),
      collect: async (after, until, skipIssued = false) => {
        for (;;) {
          const began = Date.now();
          const left = Math.min(until, work.deadline) - began;
          const waitMs = Math.round(clamp(left, 0, COLLECT_WINDOW));
          const request: CollectRequest = {
            after,
            wait_ms: waitMs,
            ...(skipIssued ? { skip_issued: true } : {}),
          };
          const reply = await ask("collect", request, CollectReply, waitMs, Math.min(until, work.deadline));
          if (reply.events.length > 0 || waitMs >= left) return reply;
          // A gateway that drains answers at once: another will wait.
          if (Date.now() - began < waitMs / 2) await pause(EARLY_PAUSE, work.signal);
        }
      },
      result: async (body) => (await ask("result", body, ResultReply, 0, work.deadline + RESULT_GRACE)).seq,
      checkpoint: async (request) => {
        await ask("checkpoint", request, ResultReply);
      },
      claim: (attempt, worker) => ask("claim", { attempt, worker }, ClaimReply),
      spawn: (request) => ask("spawn", request, SpawnReply),
      invoke: (role, question) => this.#invoke(work, role, question),
      assume: async (request) => {
        await ask("assume", request, ResultReply);
      },
    };
  }

  #ask<T>(
    work: WorkCredentials,
    verb: RoleVerb,
    body: string,
    schema: z.ZodType<T>,
    waitMs: number,
    until: number,
  ): Promise<T> {
    let timeout = TRY_TIMEOUT;
    return retrying({ until, signal: work.signal }, async () => {
      const timeoutMs = timeout + waitMs;
      timeout = RETRY_TIMEOUT;
      const text = await this.#request(work, verb, body, timeoutMs);
      return parseJson(schema, text, `the gateway's answer to ${verb}`, "internal");
    });
  }

  /** Repeated only where it surely was not passed on: each question counts against the run's budget. */
  #invoke(work: WorkCredentials, role: string, question: string): Promise<InvokeReply> {
    const body = JSON.stringify({ role, question });
    return retrying({ until: work.deadline, signal: work.signal, passes: wasNotPassedOn }, async () => {
      const text = await this.#request(work, "invoke", body, Math.max(1, work.deadline - Date.now()));
      return parseJson(InvokeReply, text, "the gateway's answer to invoke", "internal");
    });
  }

  async #request(work: WorkCredentials, verb: RoleVerb, body: string, timeoutMs: number): Promise<string> {
    const headers = {
      [HEADERS.token]: work.token,
      [HEADERS.run]: work.run,
      ...(work.span === undefined ? {} : { [HEADERS.traceparent]: traceparentOf(work.run, work.span) }),
    };
    const began = performance.now();
    let code = "ok";
    try {
      const subject = subjects.from(this.#role, verb);
      return (await this.#bus.request(subject, body, { headers, timeoutMs, signal: work.signal })).text();
    } catch (error) {
      code = error instanceof FirmError ? error.code : "aborted";
      throw error;
    } finally {
      this.#metrics.gatewayRequestDuration.observe({ verb, code }, (performance.now() - began) / 1_000);
    }
  }
}

/** No gateway heard it, or the one that did refused to look at it yet. */
function wasNotPassedOn({ name, code }: FirmError): boolean {
  return (
    name === "NoRespondersError" ||
    code === "rate-limited" ||
    code === "unknown-run" ||
    code === "unknown-handoff"
  );
}
