// Owns `firm.from.>`: one request in, one answer out; refusals are answered, counted and recorded here and nowhere else.
import type { BusRequest } from "@firm/bus";
import {
  CollectRequest,
  FirmError,
  HEADERS,
  parseFrom,
  parseJson,
  type Role,
  type RoleVerb,
} from "@firm/protocol";
import { admit, RateLimits, type Admitted } from "./admit.ts";
import type { Gateway } from "./deps.ts";
import { handoff, spawn } from "./handoffs.ts";
import { assume, invoke } from "./invoke.ts";
import { checkpoint, claim, result } from "./results.ts";
import { sessionsHistory, sessionsList, sessionsSend, sessionsSpawn } from "./sessions.ts";

/** Longest wait of one `collect`; a gateway that dies is noticed after this, ms. */
const COLLECT_WINDOW_MS = 5_000;
/** Share of max_payload that one collect answer may fill. */
const ANSWER_SHARE = 0.8;
/** Refusals of one kind are recorded in the run's log at most this often, ms: a flood must not fill it. */
const REFUSAL_RECORD_MS = 1_000;

/** Answers requests of roles. */
export class Dispatcher {
  readonly #gateway: Gateway;
  readonly #rates: RateLimits;
  readonly #recorded = new Map<string, number>();
  #inFlight = 0;
  #idle: (() => void) | undefined;
  #draining = false;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.#rates = new RateLimits(gateway.config.limits.requests_per_second);
  }

  /** Answers one request; never throws. @returns what it was refused with; undefined where it was served. */
  async handle(request: BusRequest): Promise<unknown> {
    const started = performance.now();
    this.#inFlight++;
    let sender: Role | undefined;
    let verb: RoleVerb | undefined;
    let admitted: Admitted | undefined;
    try {
      ({ role: sender, verb } = parseFrom(request.subject));
      this.#rates.check(sender, this.#gateway.now());
      admitted = await admit(this.#gateway, request, sender, verb);
      const answer = await this.#serve(admitted, request);
      request.respond(typeof answer === "string" ? answer : JSON.stringify(answer));
      return undefined;
    } catch (error) {
      this.#refuse(request, error, sender, verb, admitted);
      return error;
    } finally {
      if (verb !== undefined && verb !== "collect" && verb !== "invoke" && verb !== "sessions.send") {
        this.#gateway.metrics.decisionSeconds.observe({ verb }, (performance.now() - started) / 1000);
      }
      this.#inFlight--;
      if (this.#inFlight === 0) this.#idle?.();
    }
  }

  async #serve(admitted: Admitted, request: BusRequest): Promise<unknown> {
    const { verb } = admitted;
    const body = request.text();
    switch (verb) {
      case "handoff":
        return handoff(this.#gateway, admitted, body);
      case "collect":
        return this.#collect(admitted, body);
      case "result":
        return result(this.#gateway, admitted, body);
      case "checkpoint":
        return checkpoint(this.#gateway, admitted, body);
      case "claim":
        return claim(this.#gateway, admitted, body);
      case "assume":
        return assume(this.#gateway, admitted, body);
      case "spawn":
        return spawn(this.#gateway, admitted, body);
      case "invoke":
        return invoke(this.#gateway, admitted, body, request.headers[HEADERS.traceparent]);
      case "sessions.list":
        return sessionsList(this.#gateway, admitted, body);
      case "sessions.history":
        return sessionsHistory(this.#gateway, admitted, body);
      case "sessions.send":
        return sessionsSend(this.#gateway, admitted, body);
      case "sessions.spawn":
        return sessionsSpawn(this.#gateway, admitted, body);
    }
  }

  /** Events about the caller's children, as many as fit one answer; the rest comes with the next. */
  async #collect({ view, handoff: parent }: Admitted, body: string): Promise<string> {
    const request = parseJson(CollectRequest, body, "collect");
    const wait = this.#draining ? 0 : Math.min(request.wait_ms, COLLECT_WINDOW_MS);
    const events = await this.#gateway.ledger.collect(
      view,
      parent.id,
      request.after,
      wait,
      request.skip_issued,
    );
    const parts: string[] = [];
    let size = 0;
    let seq = request.after;
    for (const logged of events) {
      const part = JSON.stringify(logged);
      size += Buffer.byteLength(part);
      if (parts.length > 0 && size > this.#gateway.bus.maxPayload * ANSWER_SHARE) break;
      parts.push(part);
      ({ seq } = logged);
    }
    return `{"events":[${parts.join(",")}],"seq":${seq}}`;
  }

  #refuse(
    request: BusRequest,
    error: unknown,
    sender: Role | undefined,
    verb: RoleVerb | undefined,
    admitted: Admitted | undefined,
  ): void {
    request.fail(error);
    const code = error instanceof FirmError ? error.code : "internal";
    this.#gateway.metrics.refusals.inc({ verb: verb ?? "unknown", rule: code });
    const reason = error instanceof Error ? error.message : String(error);
    const run = admitted?.view.run;
    if (!(error instanceof FirmError) || error.status >= 500) {
      this.#gateway.log.error({ err: error, run, from: sender, verb }, "a request could not be served");
      return;
    }
    this.#gateway.log.warn({ run, from: sender, verb, code, reason }, "refused");
    if (admitted !== undefined && sender !== undefined && verb !== undefined)
      this.#record(admitted, sender, verb, error);
  }

  #record({ view, handoff: { id } }: Admitted, sender: Role, verb: RoleVerb, error: FirmError): void {
    const now = this.#gateway.now();
    const key = `${view.run}/${sender}/${verb}/${error.code}`;
    if (now - (this.#recorded.get(key) ?? 0) < REFUSAL_RECORD_MS) return;
    if (this.#recorded.size > 10_000) this.#recorded.clear();
    this.#recorded.set(key, now);
    this.#gateway.ledger
      .append({
        type: "refused",
        run: view.run,
        at: now,
        from: sender,
        verb,
        code: error.code,
        reason: error.message,
        handoff: id,
      })
      .catch((cause: unknown) =>
        this.#gateway.log.error({ err: cause, run: view.run }, "a refusal could not be recorded"),
      );
  }

  /** Resolves when every request in hand is answered. */
  async drain(): Promise<void> {
    this.#draining = true;
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }
}
