// Pure: single handoffs of a case as the facts show them, and the words that pass between blocked and blocking role.
import {
  handoffIdOf,
  type EndStatus,
  type HandoffContract,
  type HandoffEnded,
  type Role,
} from "@firm/protocol";
import { objectiveKeyFor, RESOLVE_BLOCKER, resolveContract } from "./contract.ts";
import type { Delegation, HandoffCommand, Refused, SpawnCommand } from "./facts.ts";

/** A handoff as far as the facts go. */
export type Leg =
  | { readonly step: "needed"; readonly command: HandoffCommand }
  | { readonly step: "waiting" }
  | { readonly step: "refused"; readonly refusal: Refused }
  | { readonly step: "ended"; readonly end: HandoffEnded };

export function idOf(state: Delegation, to: Role, key: string, cycle: number): string {
  return handoffIdOf(state.setup.order.run, state.setup.order.handoff, to, key, cycle);
}

interface Ask {
  readonly contract: HandoffContract;
  readonly objective_key: string;
  readonly cycle: number;
  readonly session?: string;
}

export function legOf(state: Delegation, id: string, request: Ask): Leg {
  const end = state.ends.get(id);
  if (end !== undefined) return { step: "ended", end };
  if (state.issued.has(id)) return { step: "waiting" };
  const refusal = state.refused.get(id);
  return refusal !== undefined
    ? { step: "refused", refusal }
    : { step: "needed", command: { type: "handoff", handoff: id, request } };
}

interface Resolving {
  readonly role: Role;
  readonly by: Role;
  readonly key: string;
  readonly cycle: number;
  readonly session: string;
  readonly blocker: string;
}

export function resolveLeg(state: Delegation, { role, by, key, cycle, session, blocker }: Resolving): Leg {
  const objectiveKey = objectiveKeyFor(`${key}/${RESOLVE_BLOCKER}`, by);
  const contract = resolveContract(state.setup.order.contract, role, by, blocker);
  return legOf(state, idOf(state, by, objectiveKey, cycle), {
    contract,
    objective_key: objectiveKey,
    cycle,
    session,
  });
}

/** A resolver that is blocked itself has still answered: the blocked role may go on with that. One that failed has not. */
export function resolutionOf(leg: Extract<Leg, { step: "refused" | "ended" }>): {
  readonly text: string;
  readonly usable: boolean;
} {
  if (leg.step === "refused") return { text: leg.refusal.reason, usable: false };
  const { status, result, reason } = leg.end;
  if (status === "blocked") return { text: blockerOf(leg.end), usable: true };
  if (status === "ok" || status === "partial") {
    const text = [result?.summary ?? "", ...(result?.decisions ?? [])]
      .filter((line) => line.trim() !== "")
      .join("; ");
    return text === "" ? { text: "an empty answer", usable: false } : { text, usable: true };
  }
  return { text: reason ?? status, usable: false };
}

export function spawnOf(session: string, role: Role, by: Role, blocker: string): SpawnCommand {
  const objective = `${RESOLVE_BLOCKER}: ${role} is blocked by ${by}: ${blocker}`.slice(0, 32_768);
  return { type: "spawn", session, request: { participants: [role, by], objective, label: RESOLVE_BLOCKER } };
}

/** Why `by` cannot be asked from here; undefined where it can. */
export function outOfReach({ setup }: Delegation, role: Role, by: Role | undefined): string | undefined {
  if (by === undefined) return undefined;
  if (by === role) return "it names itself as what blocks it";
  if (setup.allReports.includes(by)) return undefined;
  return setup.knownRoles.includes(by)
    ? `${by} does not report to ${setup.self}`
    : `the firm has no role ${by}`;
}

export function blockerOf(end: HandoffEnded): string {
  return end.result?.blocker ?? end.reason ?? end.result?.summary ?? "no reason given";
}

export function statusOf({ code }: Refused): EndStatus {
  return code === "deadline-passed" ? "timeout" : code === "run-cancelled" ? "cancelled" : "failed";
}

export function durationOf(state: Delegation, first: string, leg: Leg): number | undefined {
  const from = state.issued.get(first)?.at;
  return from === undefined || leg.step !== "ended" ? undefined : Math.max(0, leg.end.at - from);
}
