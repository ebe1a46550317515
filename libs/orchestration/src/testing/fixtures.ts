// Test data: results, outcomes and a work order with every field that the schemas ask for.
import {
  Objective,
  parseWith,
  Result,
  type HandoffContract,
  type ResultInput,
  type Role,
} from "@firm/protocol";
import { contractFor } from "../contract.ts";
import type { DelegationSetup } from "../facts.ts";
import type { ChildOutcome } from "../outcome.ts";

export const RUN = "01JZZZZZZZZZZZZZZZZZZZZZZZ";
export const ENGINEERING = "department:engineering";
export const QUALITY = "department:quality";
export const STRATEGY = "department:strategy";
export const OPERATIONS = "department:operations";
export const LEGAL = "department:legal";

export function objectiveOf(more: Partial<Objective> = {}): Objective {
  return { ...parseWith(Objective, { objective: "Build a payment API" }, "objective"), ...more };
}

/** A result that satisfies the default definitions of done. */
export function resultOf(more: Partial<ResultInput> = {}): Result {
  const base = {
    status: "ok",
    objective_key: "key",
    summary: "Done.",
    output: "Summary. Findings with severity: none. Risks: none. Recommendations and next steps: none.",
  };
  return Result.parse({ ...base, ...more });
}

export function childOf(role: Role, more: Partial<ChildOutcome> = {}): ChildOutcome {
  return {
    role,
    handoff: `h-${role}`,
    objectiveKey: `key/${role}`,
    definitionOfDone: "Summary",
    status: "ok",
    result: resultOf({ objective_key: `key/${role}`, summary: `${role} did it.` }),
    reason: undefined,
    cycle: 0,
    durationMs: 10,
    ...more,
  };
}

export const CEO_CONTRACT: HandoffContract = {
  from: "user",
  to: "ceo",
  objective: "Build a payment API",
  constraints: ["read-only access only"],
  definition_of_done: "Summary",
  context_ref: "memory:delivery/latest",
  reply_session: "main",
};

/** The CEO of a firm of five departments, with two of them as targets. */
export function setupOf(more: Partial<DelegationSetup> = {}): DelegationSetup {
  const order = {
    run: RUN,
    handoff: "root",
    contract: CEO_CONTRACT,
    objective: objectiveOf(),
    objective_key: "build-a-payment-api",
    deadline: 30_000,
  };
  const allReports = [STRATEGY, ENGINEERING, QUALITY, OPERATIONS, LEGAL];
  return {
    self: "ceo",
    order,
    targets: [ENGINEERING, QUALITY],
    allReports,
    knownRoles: ["ceo", ...allReports, "service:backend"],
    blockerCycles: 2,
    contractFor: (role) => contractFor(order, role, ""),
    ...more,
  };
}
