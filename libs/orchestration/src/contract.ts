// Pure: the contracts a role hands down (seed: firm-orchestration, "Handoff contract").
import {
  FirmError,
  levelOf,
  nameOf,
  slugOf,
  type HandoffContract,
  type Objective,
  type Role,
  type WorkOrder,
} from "@firm/protocol";

/** How the objective of a joint session and of its contracts begins (seed: firm-orchestration, Phase 2). */
export const RESOLVE_BLOCKER = "resolve_blocker";

/** Contracts hold at most so many constraints, and each so many characters (protocol, `HandoffContract`). */
const MAX_CONSTRAINTS = 50;
const MAX_CONSTRAINT_LENGTH = 2_000;
const MAX_KEY_LENGTH = 200;
const SCOPE = "scope: ";

/** Only what `done.ts` can check from the shape of a result, so that an honest default never fails on wording. */
const DEPARTMENT_DONE: Readonly<Record<string, string>> = {
  strategy: "Summary, risks and recommendations",
  engineering: "Summary, findings and recommendations",
  quality: "Summary, findings with severity and recommendations",
  operations: "Summary, risks and next steps",
};

/** What a role must satisfy where the user has not said. */
export function defaultDefinitionOfDone(role: Role): string {
  if (role === "ceo") return "Summary of every department's part, with findings and recommendations";
  const own = levelOf(role) === "department" ? DEPARTMENT_DONE[nameOf(role)] : undefined;
  return own ?? "Summary, findings and recommendations";
}

/**
 * The contract that the bearer of `order` hands to `to`: the user's words and constraints unchanged, its own definition of done.
 * @param expertise what `to` is good at; becomes a constraint that replaces the superior's
 */
export function contractFor(
  order: Pick<WorkOrder, "contract"> & { readonly objective: Pick<Objective, "definition_of_done"> },
  to: Role,
  expertise: string,
): HandoffContract {
  const { contract, objective } = order;
  const resolving = contract.objective.startsWith(RESOLVE_BLOCKER);
  const base: HandoffContract = {
    ...contract,
    from: contract.to,
    to,
    constraints: contract.constraints.filter((constraint) => !constraint.startsWith(SCOPE)),
    definition_of_done: resolving
      ? contract.definition_of_done
      : (objective.definition_of_done ?? defaultDefinitionOfDone(to)),
  };
  return expertise.trim() === "" ? base : withConstraint(base, `${SCOPE}${expertise.trim()}`);
}

/** What one report's part of an objective is known by; two reports' parts never share a key. */
export function objectiveKeyFor(parentKey: string, to: Role): string {
  const key = `${parentKey}/${nameOf(to)}`;
  return key.length <= MAX_KEY_LENGTH ? key : slugOf(key);
}

/** The contract with one more constraint; where no more fit, the objective says it, since no user's constraint may be dropped. */
export function withConstraint(contract: HandoffContract, text: string): HandoffContract {
  const line = text.trim();
  const constraint =
    line.length <= MAX_CONSTRAINT_LENGTH ? line : `${line.slice(0, MAX_CONSTRAINT_LENGTH - 1)}…`;
  if (contract.constraints.length < MAX_CONSTRAINTS)
    return { ...contract, constraints: [...contract.constraints, constraint] };
  return {
    ...contract,
    objective: `${contract.objective.slice(0, 32_768 - constraint.length - 2)}\n\n${constraint}`,
  };
}

/** The contract by which a blocking role is asked to resolve what blocks another. */
export function resolveContract(
  own: HandoffContract,
  blocked: Role,
  by: Role,
  blocker: string,
): HandoffContract {
  return {
    ...own,
    from: own.to,
    to: by,
    objective: `${RESOLVE_BLOCKER}: ${blocked} is blocked by ${by}: ${blocker}`.slice(0, 32_768),
    definition_of_done: `Summary of what ${blocked} may go on with, or why it may not`.slice(0, 4_000),
  };
}

/**
 * The departments of a run, in the chart's order.
 * @throws FirmError `invalid-input` naming `departments.<i>` where the chart has none of that name.
 */
export function planTargets(
  objective: Pick<Objective, "departments">,
  chart: { readonly departments: readonly Role[] },
): readonly Role[] {
  if (objective.departments === undefined) return chart.departments;
  const wanted = objective.departments.map((name, i) => {
    const role = `department:${name}`;
    if (chart.departments.includes(role)) return role;
    const known = chart.departments.map(nameOf).join(", ");
    throw new FirmError(
      "invalid-input",
      `departments.${i}: there is no department "${name}"; known: ${known}`,
      { field: `departments.${i}` },
    );
  });
  return chart.departments.filter((role) => wanted.includes(role));
}
