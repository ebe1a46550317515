// Owns admission: the one caller of the rules for what a role asks. Order matters: who, then which run, then which attempt, then what.
import type { BusRequest } from "@firm/bus";
import { FirmError, HEADERS, type Role, type RoleVerb, type TokenClaims } from "@firm/protocol";
import {
  checkAttempt,
  checkBudget,
  checkSender,
  checkSessionsInPhase,
  fullBucket,
  take,
  type Bucket,
  type Verdict,
} from "@firm/policy";
import type { Gateway } from "./deps.ts";
import type { HandoffView, RunView } from "./view.ts";

/** A request whose sender, run and attempt are proven. */
export interface Admitted {
  readonly sender: Role;
  readonly verb: RoleVerb;
  readonly claims: TokenClaims;
  readonly view: RunView;
  readonly handoff: HandoffView;
}

/** Turns a refusal into the error that goes back. */
export function enforce(verdict: Verdict): void {
  if (!verdict.ok) throw new FirmError(verdict.code, verdict.reason);
}

/** A token bucket for each role, so that a flood hurts its sender alone. */
export class RateLimits {
  readonly #buckets = new Map<Role, Bucket>();
  readonly #perSecond: number;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** @throws FirmError `rate-limited` */
  check(role: Role, now: number): void {
    const { bucket, allowed } = take(
      this.#buckets.get(role) ?? fullBucket(now, this.#perSecond),
      now,
      this.#perSecond,
    );
    this.#buckets.set(role, bucket);
    if (!allowed) {
      throw new FirmError("rate-limited", `${role} asks more than ${this.#perSecond} times a second`, {
        hint: "slow down and ask again",
      });
    }
  }
}

/**
 * Proves who asks and for which run. A run or handoff that has ended is refused, but for the verbs that
 * must be able to hear so (`claim`) or to leave a record (`result`).
 */
export async function admit(
  gateway: Gateway,
  request: BusRequest,
  sender: Role,
  verb: RoleVerb,
): Promise<Admitted> {
  const claims = gateway.tokens.verify(request.headers[HEADERS.token]);
  const now = gateway.now();
  const hearsEnd = verb === "claim" || verb === "result";
  enforce(checkSender(claims, sender, hearsEnd ? Math.min(now, claims.deadline) : now));
  const view = gateway.ledger.get(claims.run) ?? (await gateway.ledger.must(claims.run));
  const handoff = view.handoffs.get(claims.handoff) ?? (await gateway.ledger.handoff(view, claims.handoff));
  if (handoff === undefined)
    throw new FirmError("unknown-handoff", `run ${claims.run} has no handoff ${claims.handoff}`);
  if (isAsk(claims, handoff) && !ASK_VERBS.has(verb)) {
    throw new FirmError(
      "wrong-sender",
      `${sender} was asked a question in handoff ${handoff.id}; only ${handoff.role} may ask for "${verb}" in it`,
    );
  }
  if (verb.startsWith("sessions.")) enforce(checkSessionsInPhase(claims.phase));
  if (!hearsEnd) refuseEnded(view, handoff);
  if (verb !== "claim") enforce(checkAttempt(handoff.attempt, claims.attempt));
  return { sender, verb, claims, view, handoff };
}

/** What a role that was asked a question may ask for itself. */
const ASK_VERBS: ReadonlySet<RoleVerb> = new Set(["invoke", "assume"]);

/** True for a token that came with a question rather than with work. */
function isAsk({ path, chain }: TokenClaims, handoff: HandoffView): boolean {
  return path.length === 0 || chain.length > 1 || handoff.role !== chain.at(-1);
}

/** @throws FirmError `run-cancelled`, `run-ended` or `already-ended` */
export function refuseEnded(view: RunView, handoff: HandoffView): void {
  if (view.cancelled) throw new FirmError("run-cancelled", `run ${view.run} was cancelled`);
  if (view.finished !== undefined)
    throw new FirmError("run-ended", `run ${view.run} has ended: ${view.finished.status}`);
  if (handoff.ended !== undefined)
    throw new FirmError("already-ended", `handoff ${handoff.id} has ended: ${handoff.ended.status}`);
}

/** Refuses what starts new work once the run's budget is spent (DESIGN, rule 7). */
export function enforceBudget(gateway: Gateway, view: RunView, spawns: number): void {
  enforce(
    checkBudget(view.objective.budget, { ...view.spent, spawns, startedAt: view.acceptedAt }, gateway.now()),
  );
}
