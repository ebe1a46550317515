// Pure: a mid-level role's result out of its reports' results, where its agent gives none.
//
// Status, first rule that holds: a blocked report blocks the role (only those above can still resolve it); all reports ok: ok; no report with
// anything usable: failed; else partial. What came is kept in each case.
import type { Result, Role } from "@firm/protocol";
import { dedupeFindings, dedupeParts, uniqueLines } from "./dedupe.ts";
import { validated } from "./done.ts";
import type { BlockerReport, ChildOutcome } from "./outcome.ts";
import { sumUsage } from "./usage.ts";

/** What a result's lists and lines may hold (protocol, `Result`). */
const MAX = {
  findings: 2_000,
  lines: 200,
  openItems: 500,
  line: 2_000,
  summary: 4_000,
  blocker: 4_000,
} as const;

export interface CondenseInput {
  readonly role: Role;
  /** Of the role's own work order. */
  readonly objectiveKey: string;
  readonly children: readonly ChildOutcome[];
  /** Escalated ones. */
  readonly blockers: readonly BlockerReport[];
}

export function condense({ role, objectiveKey, children, blockers }: CondenseInput): Result {
  const checked = children.map((child) => ({
    ...child,
    result: child.result === undefined ? undefined : validated(child.result, child.definitionOfDone),
  }));
  const { kept, duplicates } = dedupeParts(checked);
  const results = checked.flatMap((child) => (child.result === undefined ? [] : [child.result]));
  const { findings } = dedupeFindings(results.flatMap((result) => result.findings));
  const lines = (pick: (result: Result) => readonly string[]): string[] =>
    uniqueLines(results.flatMap(pick)).slice(0, MAX.lines);
  const partial = results.some((result) => result.quality === "partial");
  const openItems = uniqueLines([
    ...checked.flatMap(openItemsOf),
    ...duplicates.map(
      ({ role: left, keptFrom, objectiveKey: key }) => `${left}: left out, same part as ${keptFrom} (${key})`,
    ),
    ...(findings.length > MAX.findings
      ? [
          `${findings.length - MAX.findings} findings more than a result holds, the least severe, are left out`,
        ]
      : []),
  ]);
  return {
    status: statusOf(checked),
    objective_key: objectiveKey,
    summary: cut(summaryOf(role, checked), MAX.summary),
    output: outputOf(kept),
    findings: findings.slice(0, MAX.findings),
    decisions: lines((result) => result.decisions),
    assumptions: lines((result) => result.assumptions),
    suggestions: lines((result) => result.suggestions),
    open_items: openItems.slice(0, MAX.openItems).map((line) => cut(line, MAX.line)),
    quality: partial ? "partial" : "full",
    unmet: uniqueLines(
      checked.flatMap((child) => (child.result?.unmet ?? []).map((clause) => `${child.role}: ${clause}`)),
    ),
    ...blockerOf(checked, blockers),
    commits: results.flatMap((result) => result.commits),
    ...pullRequestOf(results),
    usage: sumUsage(results.map((result) => result.usage)),
  };
}

function statusOf(children: readonly ChildOutcome[]): Result["status"] {
  if (children.some((child) => child.status === "blocked")) return "blocked";
  if (children.length > 0 && children.every((child) => child.status === "ok" && child.result !== undefined))
    return "ok";
  const usable = children.some((child) => child.status !== "failed" && child.result !== undefined);
  return usable ? "partial" : "failed";
}

function openItemsOf(child: ChildOutcome): string[] {
  const own = child.result?.open_items ?? [];
  return child.status === "ok"
    ? own
    : [`${child.role}: ${child.status}${child.reason === undefined ? "" : ` — ${child.reason}`}`, ...own];
}

/** One report's words stand as they are; several are told apart by role. */
function summaryOf(role: Role, children: readonly ChildOutcome[]): string {
  const [first] = children;
  if (first === undefined) return `${role} has no reports to condense.`;
  if (children.length === 1 && first.result !== undefined) return first.result.summary;
  return children
    .map(
      (child) => `${child.role} (${child.status}): ${child.result?.summary ?? child.reason ?? "no output"}`,
    )
    .join(" ");
}

function outputOf(children: readonly ChildOutcome[]): string {
  const parts = children.filter((child) => (child.result?.output ?? "").trim() !== "");
  if (parts.length === 1) return parts[0]?.result?.output ?? "";
  return parts.map((child) => `## ${child.role}\n\n${child.result?.output.trim()}`).join("\n\n");
}

function blockerOf(
  children: readonly ChildOutcome[],
  blockers: readonly BlockerReport[],
): Pick<Result, "blocked_by" | "blocker"> {
  const blocked = children.find((child) => child.status === "blocked");
  if (blocked === undefined) return {};
  const report = blockers.find((candidate) => candidate.role === blocked.role);
  const by = report?.blocked_by ?? blocked.result?.blocked_by;
  const tries = report === undefined || report.iterations.length === 0 ? "" : ` (${report.reason})`;
  const text = report?.blocker ?? blocked.result?.blocker ?? blocked.reason ?? "no reason given";
  return { ...(by === undefined ? {} : { blocked_by: by }), blocker: cut(`${text}${tries}`, MAX.blocker) };
}

function pullRequestOf(results: readonly Result[]): Pick<Result, "pull_request"> {
  const found = results.find((result) => result.pull_request !== undefined)?.pull_request;
  return found === undefined ? {} : { pull_request: found };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
