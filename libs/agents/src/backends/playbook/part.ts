// Pure: what a playbook role writes, and how it becomes a result.
import type { Finding, ResultInput } from "@firm/protocol";
import type { AgentInput } from "../../types.ts";
import { countBySeverity, dedupeFindings, placeOf } from "./findings.ts";

/** A role's part while it is being written. */
export interface Part {
  summary: string;
  /** Markdown blocks, in order. */
  sections: string[];
  findings: Finding[];
  decisions: string[];
  assumptions: string[];
  suggestions: string[];
  openItems: string[];
  commits: NonNullable<ResultInput["commits"]>;
  pullRequest?: NonNullable<ResultInput["pull_request"]>;
}

export function emptyPart(): Part {
  return {
    summary: "",
    sections: [],
    findings: [],
    decisions: [],
    assumptions: [],
    suggestions: [],
    openItems: [],
    commits: [],
  };
}

/** Said in every output: nobody shall take it for a model's judgement. */
export const OFFLINE_NOTE =
  "_Offline playbook: written by rules from what was found; no model and no network were used._";

/** More findings than a person reads; the rest is named as a number. */
const MAX_FINDINGS = 200;
const MAX_TEXT = 1_900;

/** The part as a result. */
export function toResult(input: AgentInput, part: Part, status: "ok" | "partial" | "blocked"): ResultInput {
  const findings = dedupeFindings(part.findings);
  const cut = findings.length - MAX_FINDINGS;
  const open =
    cut > 0 ? [...part.openItems, `${cut} findings of lower severity are not listed`] : part.openItems;
  return {
    status,
    objective_key: input.objectiveKey,
    summary: part.summary.slice(0, 4_000),
    output: [...part.sections, OFFLINE_NOTE].join("\n\n"),
    findings: findings.slice(0, MAX_FINDINGS),
    decisions: unique(part.decisions),
    assumptions: unique(part.assumptions),
    suggestions: unique(part.suggestions),
    open_items: unique(open),
    commits: part.commits,
    ...(part.pullRequest === undefined ? {} : { pull_request: part.pullRequest }),
    agent: { name: "playbook" },
  };
}

export function unique(lines: readonly string[]): string[] {
  return [...new Set(lines.map((line) => line.trim().slice(0, MAX_TEXT)))]
    .filter((line) => line !== "")
    .slice(0, 200);
}

/** `12 findings (2 high, 10 low); most urgent: … (src/a.ts:3)`. */
export function findingsLine(findings: readonly Finding[]): string {
  const all = dedupeFindings(findings);
  const [worst] = all;
  if (worst === undefined) return "nothing to report";
  const place = placeOf(worst);
  return `${all.length} finding${all.length === 1 ? "" : "s"} (${countBySeverity(all)}); most urgent: ${worst.title}${place === "" ? "" : ` (${place})`}`;
}

/** A heading and its lines; empty where there are none. */
export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `### ${title}\n\n${lines.join("\n")}`;
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const line = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return rows.length === 0 ? [] : [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

const MORE_ALLOWED = 10;

/** At most ten findings of one rule, security apart; says how many more there are. */
export function capByRule(findings: readonly Finding[]): {
  readonly kept: Finding[];
  readonly more: string[];
} {
  const counts = new Map<string, number>();
  const kept: Finding[] = [];
  for (const found of dedupeFindings(findings)) {
    const rule = found.objective_key.slice(0, found.objective_key.indexOf(":"));
    const n = (counts.get(rule) ?? 0) + 1;
    counts.set(rule, n);
    if (n <= MORE_ALLOWED || rule.startsWith("security.")) kept.push(found);
  }
  const more = [...counts]
    .filter(([rule, n]) => n > MORE_ALLOWED && !rule.startsWith("security."))
    .map(([rule, n]) => `${rule}: ${n} places, the first ${MORE_ALLOWED} are listed`);
  return { kept, more };
}
