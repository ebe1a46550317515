// Pure: what is said about a run: its summary, its open items, suggestions for the next (seed: firm-orchestration, Phases 3 and 5).
import {
  nameOf,
  SEVERITIES,
  type EndStatus,
  type Finding,
  type Objective,
  type Result,
  type Role,
} from "@firm/protocol";
import type { Duplicate } from "./dedupe.ts";
import type { BlockerReport } from "./outcome.ts";

interface Outcome {
  readonly role: Role;
  readonly status: EndStatus;
  readonly result: Result | undefined;
  readonly reason?: string | undefined;
}

/** How each ending is told. */
const TOLD: Readonly<Record<EndStatus, string>> = {
  ok: "delivered",
  partial: "delivered in part",
  blocked: "blocked",
  timeout: "timed out",
  failed: "failed",
  cancelled: "cancelled",
};

/** Whatever keeps the deliverable from being complete, by name. */
export function openItemsOf(run: {
  outcomes: readonly Outcome[];
  duplicates: readonly Duplicate[];
  blockers: readonly BlockerReport[];
}): string[] {
  const { outcomes, duplicates, blockers } = run;
  const items = outcomes.flatMap(({ role, status, result, reason }) => [
    ...(status === "ok"
      ? []
      : [`${role}: ${status}${reason === undefined ? "" : ` — ${reason}`}${partOf(status, result)}`]),
    ...(status === "ok" && result === undefined ? [`${role}: ended without a result`] : []),
    ...(result?.quality === "partial"
      ? [
          `${role}: definition of done not met${result.unmet.length > 0 ? `: ${result.unmet.join("; ")}` : ""}`,
        ]
      : []),
    ...(result?.open_items ?? []).map((item) => (item.startsWith(`${role}:`) ? item : `${role}: ${item}`)),
  ]);
  return [
    ...items,
    ...duplicates.map(
      ({ role, keptFrom, objectiveKey }) =>
        `${role}: its part is left out as a duplicate of ${keptFrom}'s (objective_key ${objectiveKey})`,
    ),
    ...blockers.map(
      ({ role, blocked_by: by, blocker, reason }) =>
        `Blocker of ${role}${by === undefined ? "" : ` by ${by}`}: ${blocker} (${reason})`,
    ),
  ];
}

function partOf(status: EndStatus, result: Result | undefined): string {
  if (status === "partial") return "";
  return result === undefined ? " (no output)" : " (partial output included)";
}

/** One paragraph. */
export function runSummary(run: {
  objective: Objective;
  outcomes: readonly Outcome[];
  findings: readonly Finding[];
  merged: number;
  openItems: readonly string[];
}): string {
  const { objective, outcomes, findings, merged, openItems } = run;
  const told = (Object.keys(TOLD) as EndStatus[]).flatMap((status) => {
    const roles = outcomes.filter((outcome) => outcome.status === status).map(({ role }) => nameOf(role));
    return roles.length === 0 ? [] : [`${roles.length} ${TOLD[status]} (${roles.join(", ")})`];
  });
  const bySeverity = SEVERITIES.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  const sentences = [
    `The objective “${clip(objective.objective, 200)}” went to ${count(outcomes.length, "department")}: ${told.join(", ") || "none answered"}.`,
    findings.length === 0
      ? "There are no findings."
      : `There ${findings.length === 1 ? "is" : "are"} ${count(findings.length, "finding")} (${bySeverity.join(", ")}).`,
    ...(merged === 0
      ? []
      : [`${count(merged, "finding")} brought more than once ${merged === 1 ? "was" : "were"} merged.`]),
    openItems.length === 0
      ? "Nothing is left open."
      : `${count(openItems.length, "open item")} ${openItems.length === 1 ? "remains" : "remain"}.`,
  ];
  return sentences.join(" ");
}

interface SuggestionSources {
  readonly objective: Objective;
  readonly outcomes: readonly Outcome[];
  readonly blockers: readonly BlockerReport[];
  readonly refusals: readonly { readonly code: string; readonly reason: string }[];
  readonly duplicates: readonly Duplicate[];
  readonly results: readonly Result[];
}

/** What would make the next similar run better: first what this run showed, then what the roles said. */
export function suggestionsOf({
  objective,
  outcomes,
  blockers,
  refusals,
  duplicates,
  results,
}: SuggestionSources): string[] {
  const rolesOf = (status: EndStatus): string =>
    outcomes
      .filter((outcome) => outcome.status === status)
      .map(({ role }) => role)
      .join(", ");
  const late = rolesOf("timeout");
  const failed = rolesOf("failed");
  const unmet = outcomes
    .filter(({ status, result }) => status !== "timeout" && result?.quality === "partial")
    .map(({ role }) => role)
    .join(", ");
  const codes = new Set(refusals.map(({ code }) => code));
  const seen = [
    ...(late === ""
      ? []
      : [
          `Give ${late} more time than ${objective.deadline_seconds} s (deadline_seconds), or a narrower objective.`,
        ]),
    ...(failed === ""
      ? []
      : [`Find out why ${failed} failed before the next run: its reason stands under the open items.`]),
    ...(unmet === ""
      ? []
      : [`Name in definition_of_done only what ${unmet} can show, or give it the context that it lacked.`]),
    ...blockers.map(
      ({ role, blocked_by: by, blocker }) =>
        `Settle ${by === undefined ? "this" : `this with ${by}`} before ${role} starts: ${blocker}`,
    ),
    ...duplicates.map(
      ({ role, keptFrom }) => `Part ${role} and ${keptFrom} more clearly: they brought the same.`,
    ),
    ...(codes.has("spawn-limit")
      ? ["Name fewer departments, or reuse sessions: the run reached its limit of spawns."]
      : []),
    ...(codes.has("budget-spent") ? ["Raise the budget or narrow the objective: the run spent it."] : []),
  ];
  return [...new Set([...seen, ...results.flatMap((result) => result.suggestions)])];
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** One line of at most `max` characters. */
export function clip(text: string, max: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}
