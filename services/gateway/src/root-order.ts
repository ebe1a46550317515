// Owns the work order of a run's root: the user's objective to the CEO, at first and after each word of the founder to a board's draft.
import {
  DISCLAIMER,
  ROOT_HANDOFF,
  sessionKeyOf,
  type HistoryEntry,
  type Objective,
  type ResolvedContext,
  type RunAccepted,
  type WorkOrder,
} from "@firm/protocol";
import { ISOLATED_PHASE } from "@firm/policy";
import { decisionsContext } from "./board-memory.ts";
import { objectiveRef } from "./context.ts";
import type { Gateway } from "./deps.ts";
import { dispatch } from "./handoffs.ts";

/** What tells a later order of the same root from the first. */
export interface RootWork {
  readonly attempt: number;
  readonly deadline: number;
  readonly decision?: WorkOrder["decision"];
  readonly history?: readonly HistoryEntry[];
}

/** Puts the root's work on the CEO's queue; asking again for the same attempt is harmless. */
export async function handToCeo(gateway: Gateway, accepted: RunAccepted, work?: RootWork): Promise<void> {
  const { run, objective } = accepted;
  const { attempt, deadline, decision, history } = work ?? { attempt: 1, deadline: accepted.deadline };
  const context = await contextFor(gateway, run, objective);
  const session = sessionKeyOf(run, "ceo");
  // The CEO's own contribution is as independent as any; it may ask once the founder asks.
  const phase = objective.kind === "board" && decision === undefined ? ISOLATED_PHASE : 0;
  const order: WorkOrder = {
    run,
    handoff: ROOT_HANDOFF,
    parent: "",
    contract: {
      from: "user",
      to: "ceo",
      objective: objective.objective,
      constraints: objective.constraints,
      definition_of_done:
        objective.definition_of_done ??
        `One merged deliverable as ${objective.delivery_format}, with open items named and this line: ${DISCLAIMER}`,
      context_ref: context.ref,
      reply_session: objective.reply_session,
    },
    objective_key: ROOT_HANDOFF,
    cycle: 0,
    session,
    objective,
    context,
    history: [...(history ?? [])],
    ...(decision === undefined ? {} : { decision }),
    token: gateway.tokens.sign({
      run,
      handoff: ROOT_HANDOFF,
      attempt,
      path: ["ceo"],
      chain: ["ceo"],
      phase,
      session,
      deadline,
    }),
    deadline,
  };
  await dispatch(gateway, order, "ceo", [], attempt === 1 ? "" : `.${attempt}`);
}

/** Token, ids, headers and the field names of a work order. */
const ORDER_FRAME_BYTES = 16_384;

/** About how many bytes the root's work order will have: it repeats the objective as contract and as context. */
export function rootOrderBytes(objective: Objective): number {
  const whole = Buffer.byteLength(JSON.stringify(objective));
  const words = Buffer.byteLength(JSON.stringify(objective.objective));
  return 2 * whole + words + ORDER_FRAME_BYTES;
}

/** A board loads the approved decisions, whatever else its user names; any other run what its user names, else its objective. */
async function contextFor(gateway: Gateway, run: string, objective: Objective): Promise<ResolvedContext> {
  const named = objective.context_ref;
  if (objective.kind !== "board") return gateway.contexts.resolve(named ?? objectiveRef(run));
  const decisions = await decisionsContext(gateway);
  if (named === undefined || named === decisions?.ref)
    return decisions ?? gateway.contexts.resolve(objectiveRef(run));
  const own = await gateway.contexts.resolve(named);
  return decisions === undefined ? own : { ref: own.ref, text: `${decisions.text}\n\n${own.text}` };
}
