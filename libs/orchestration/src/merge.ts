// Pure: one deliverable out of all departments' outcomes (seed: firm-orchestration, "Merge strategy" and Phases 3 to 5).
import {
  DISCLAIMER,
  type Deliverable,
  type DepartmentOutcome,
  type EndStatus,
  type Objective,
  type PullRequest,
  type Result,
  type Role,
} from "@firm/protocol";
import { defaultDefinitionOfDone } from "./contract.ts";
import { dedupeFindings, dedupeParts, uniqueLines } from "./dedupe.ts";
import { validated } from "./done.ts";
import { formatBody } from "./formats/format.ts";
import type { BlockerReport } from "./outcome.ts";
import { openItemsOf, runSummary, suggestionsOf } from "./report.ts";
import { sumUsage } from "./usage.ts";

/** How a department fared; a `ChildOutcome` is one. */
export interface MergeOutcome {
  readonly role: Role;
  readonly status: EndStatus;
  readonly result: Result | undefined;
  readonly reason?: string | undefined;
  /** Default: the user's, else the department's own. */
  readonly definitionOfDone?: string | undefined;
  readonly durationMs?: number | undefined;
}

/** A request the gateway refused in the run; a `refused` event is one. */
export interface RunRefusal {
  readonly from: string;
  readonly verb: string;
  readonly code: string;
  readonly reason: string;
}

export interface MergeInput {
  readonly run: string;
  readonly objective: Objective;
  /** Merge order; departments that it does not name come after it, as listed. */
  readonly order: readonly Role[];
  readonly outcomes: readonly MergeOutcome[];
  /** Escalated ones. */
  readonly blockers: readonly BlockerReport[];
  /** Blockers that a joint session settled. */
  readonly resolved?: readonly BlockerReport[];
  readonly refusals?: readonly RunRefusal[];
  /** The pull request as it stands; default: the first that a department brought. */
  readonly pullRequest?: PullRequest | undefined;
}

/** Merges; a department is never waited for and never dropped: what is missing, unmet or doubled is named. */
export function mergeRun(input: MergeInput): Deliverable {
  const { objective, blockers, resolved = [], refusals = [] } = input;
  const outcomes = inOrder(input.order, input.outcomes).map((outcome) => checkOutcome(outcome, objective));
  const { kept, duplicates } = dedupeParts(outcomes);
  const results = outcomes.flatMap((outcome) => (outcome.result === undefined ? [] : [outcome.result]));
  const { findings, merged } = dedupeFindings(results.flatMap((result) => result.findings));
  const openItems = openItemsOf({ outcomes, duplicates, blockers });
  const pullRequest =
    input.pullRequest ?? results.find((result) => result.pull_request !== undefined)?.pull_request;
  const deliverable: Omit<Deliverable, "body"> = {
    run: input.run,
    objective: objective.objective,
    format: objective.delivery_format,
    status: openItems.length === 0 ? "complete" : "open_items",
    summary: runSummary({ objective, outcomes, findings, merged, openItems }),
    departments: outcomes.map(departmentOf),
    open_items: openItems,
    decisions: uniqueLines([...results.flatMap((result) => result.decisions), ...resolved.map(settlement)]),
    assumptions: uniqueLines(results.flatMap((result) => result.assumptions)),
    suggestions: suggestionsOf({ objective, outcomes, blockers, refusals, duplicates, results }),
    findings,
    ...(pullRequest === undefined ? {} : { pull_request: pullRequest }),
    usage: sumUsage(results.map((result) => result.usage)),
    disclaimer: DISCLAIMER,
  };
  const parts = kept.map(({ role, result }) => ({ role, output: result?.output ?? "" }));
  return { ...deliverable, body: formatBody({ deliverable, parts, blockers, resolved }) };
}

function inOrder(order: readonly Role[], outcomes: readonly MergeOutcome[]): MergeOutcome[] {
  const place = (role: Role): number => (order.includes(role) ? order.indexOf(role) : order.length);
  return outcomes.toSorted((a, b) => place(a.role) - place(b.role));
}

/** Phase 4: each output against its own definition of done, before it is merged. */
function checkOutcome(outcome: MergeOutcome, objective: Objective): MergeOutcome {
  if (outcome.result === undefined) return outcome;
  const definition =
    outcome.definitionOfDone ?? objective.definition_of_done ?? defaultDefinitionOfDone(outcome.role);
  return { ...outcome, result: validated(outcome.result, definition) };
}

function departmentOf({ role, status, result, reason, durationMs }: MergeOutcome): DepartmentOutcome {
  return {
    role,
    status,
    quality: status === "ok" ? (result?.quality ?? "partial") : "partial",
    summary: result?.summary ?? reason ?? "no output",
    unmet: result?.unmet ?? [],
    ...(durationMs === undefined ? {} : { duration_ms: Math.max(0, durationMs) }),
    ...(result?.agent === undefined ? {} : { agent: result.agent.name }),
  };
}

function settlement({ role, blocked_by: by, iterations }: BlockerReport): string {
  return `Blocker of ${role} settled with ${by ?? "nobody"}: ${iterations.at(-1)?.resolution ?? ""}`;
}
