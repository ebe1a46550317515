// Pure: walks one target's case: handed to, blocked and being resolved, or settled (seed: firm-orchestration, Phase 2).
import { jointSessionKeyOf, type EndStatus, type Result, type Role } from "@firm/protocol";
import { open, settled, type Case, type Round } from "./case.ts";
import { objectiveKeyFor, withConstraint } from "./contract.ts";
import type { Delegation } from "./facts.ts";
import {
  blockerOf,
  durationOf,
  idOf,
  legOf,
  outOfReach,
  resolutionOf,
  resolveLeg,
  spawnOf,
  statusOf,
} from "./legs.ts";
import type { ChildOutcome } from "./outcome.ts";

/** Seed: at most 2 re-delegation cycles, whatever the configuration says. */
const MAX_CYCLES = 2;

/** Walks the target's cycles along the facts, as far as they go. */
export function followTarget(state: Delegation, role: Role): Case {
  const { setup } = state;
  const key = objectiveKeyFor(setup.order.objective_key, role);
  const limit = Math.min(MAX_CYCLES, setup.blockerCycles);
  const rounds: Round[] = [];
  let contract = setup.contractFor(role);
  let session: string | undefined;
  let partial: Result | undefined;

  for (let cycle = 0; ; cycle++) {
    const id = idOf(state, role, key, cycle);
    const leg = legOf(state, id, {
      contract,
      objective_key: key,
      cycle,
      ...(session === undefined ? {} : { session }),
    });
    const outcome = (status: EndStatus, reason: string | undefined): ChildOutcome => ({
      role,
      handoff: id,
      objectiveKey: key,
      definitionOfDone: contract.definition_of_done,
      status,
      result:
        (leg.step === "ended" ? leg.end.result : undefined) ?? state.checkpoints.get(id)?.result ?? partial,
      reason,
      cycle,
      durationMs: durationOf(state, idOf(state, role, key, 0), leg),
    });
    if (leg.step === "needed")
      return open(outcome("timeout", "not handed down before the deadline"), rounds, leg.command);
    if (leg.step === "waiting") return open(outcome("timeout", "no result by the deadline"), rounds);
    if (leg.step === "refused") return settled(outcome(statusOf(leg.refusal), leg.refusal.reason), rounds);

    const { end } = leg;
    partial = end.result ?? partial;
    const last = rounds.at(-1);
    if (last !== undefined)
      last.response =
        end.status === "blocked" ? blockerOf(end) : (end.result?.summary ?? end.reason ?? end.status);
    if (end.status !== "blocked") return settled(outcome(end.status, end.reason), rounds);

    const blocked = outcome("blocked", blockerOf(end));
    const by = end.result?.blocked_by;
    const give = (why: string): Case => settled(blocked, rounds, { by, blocker: blockerOf(end), why });
    const hopeless = outOfReach(state, role, by);
    if (by === undefined || hopeless !== undefined)
      return give(hopeless ?? "it names no role that blocks it");
    if (cycle >= limit)
      return give(
        limit === 0
          ? "joint sessions are switched off"
          : `not resolved after ${cycle} joint iteration${cycle === 1 ? "" : "s"}`,
      );

    session = jointSessionKeyOf(setup.order.run, [role, by]);
    const closed = state.refused.get(session);
    if (closed !== undefined) return give(`no joint session: ${closed.reason}`);
    if (!state.sessions.has(session))
      return open(blocked, rounds, spawnOf(session, role, by, blockerOf(end)));

    const resolving = resolveLeg(state, {
      role,
      by,
      key,
      cycle: cycle + 1,
      session,
      blocker: blockerOf(end),
    });
    if (resolving.step === "needed") return open(blocked, rounds, resolving.command);
    if (resolving.step === "waiting") return open(blocked, rounds);
    const resolution = resolutionOf(resolving);
    rounds.push({ by, blocker: blockerOf(end), resolution: resolution.text, response: "" });
    if (!resolution.usable) return give(`${by} gave no resolution: ${resolution.text}`);
    contract = withConstraint(
      setup.contractFor(role),
      `Resolution by ${by} of the blocker (iteration ${cycle + 1}): ${resolution.text}`,
    );
  }
}
