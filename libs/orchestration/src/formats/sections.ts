// Pure: the sections that Markdown deliverables are made of; an empty one is left out.
import {
  DISCLAIMER,
  nameOf,
  type Deliverable,
  type DepartmentOutcome,
  type EndStatus,
  type Finding,
  type Role,
} from "@firm/protocol";
import type { BlockerReport } from "../outcome.ts";
import { code, embed, inline, lineStart } from "./escape.ts";
import type { Report } from "./report-input.ts";

/** A list under a heading; nothing where there is nothing to list. */
export function listSection(heading: string, items: readonly string[]): string {
  return items.length === 0
    ? ""
    : `## ${heading}\n\n${items.map((item) => `- ${lineStart(item)}`).join("\n")}`;
}

/** `department:site-reliability` → `Site reliability`. */
export function titleOf(role: Role): string {
  const words = nameOf(role).replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A department's own words under its name, with how it fared. */
export function partSection(
  department: DepartmentOutcome,
  part: { readonly output: string } | undefined,
): string {
  const output = embed(part?.output ?? "", 2, DISCLAIMER);
  const none = part === undefined ? "_Its part is left out: see the open items._" : "_No output._";
  return `## ${titleOf(department.role)}\n\n_${statusLine(department)}_\n\n${lineStart(department.summary)}\n\n${output === "" ? none : output}`;
}

export function partSections({ deliverable, parts }: Report): string[] {
  return deliverable.departments.map((department) =>
    partSection(
      department,
      parts.find((part) => part.role === department.role),
    ),
  );
}

function statusLine({ status, quality, duration_ms: duration, agent }: DepartmentOutcome): string {
  const bits = [`status: ${status}`, `quality: ${quality}`];
  if (duration !== undefined) bits.push(`${(duration / 1000).toFixed(duration < 10_000 ? 2 : 0)} s`);
  if (agent !== undefined) bits.push(`agent: ${inline(agent)}`);
  return bits.join(" · ");
}

/** Where a finding is, e.g. `src/a.ts:12`. */
export function placeOf({ file, line }: Finding): string {
  return file === undefined ? "" : code(line === undefined ? file : `${file}:${line}`);
}

export function findingsSection(findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  const rows = findings.map((finding) => {
    const said = [`**${inline(finding.title)}**`, inline(finding.detail)]
      .filter((text) => text !== "")
      .join("<br>");
    return `| ${[finding.severity, placeOf(finding), said, inline(finding.recommendation ?? ""), finding.cvss?.toFixed(1) ?? ""].join(" | ")} |`;
  });
  return `## Findings\n\n| Severity | Where | Finding | Recommendation | CVSS |\n| --- | --- | --- | --- | --- |\n${rows.join("\n")}`;
}

const GROUPS: readonly (readonly [heading: string, statuses: readonly EndStatus[]])[] = [
  ["Delivered", ["ok"]],
  ["Delivered in part", ["partial"]],
  ["Timed out", ["timeout"]],
  ["Blocked", ["blocked"]],
  ["Failed", ["failed"]],
  ["Cancelled", ["cancelled"]],
];

/** Who delivered, timed out or was blocked (seed: firm-orchestration, Phase 5). */
export function departmentsSection(departments: Deliverable["departments"]): string {
  const lines = GROUPS.flatMap(([heading, statuses]) => {
    const roles = departments.filter(({ status }) => statuses.includes(status));
    return roles.length === 0 ? [] : [`- ${heading}: ${roles.map(nameWithQuality).join(", ")}`];
  });
  return lines.length === 0 ? "" : `## Departments\n\n${lines.join("\n")}`;
}

function nameWithQuality({ role, status, quality }: DepartmentOutcome): string {
  return status === "ok" && quality === "partial" ? `${role} (quality: partial)` : role;
}

export function blockersSection(heading: string, blockers: readonly BlockerReport[]): string {
  if (blockers.length === 0) return "";
  const reports = blockers.map(({ role, blocked_by: by, blocker, iterations, reason }) => {
    const rounds = iterations.flatMap(({ resolution, response }, i) => [
      `${i + 1}. ${by ?? "The other side"} answered: ${inline(resolution)}`,
      ...(response === "" ? [] : [`   ${role} responded: ${inline(response)}`]),
    ]);
    const end = reason === "" ? [] : [`Escalated: ${inline(reason)}.`];
    return [
      `### ${role}${by === undefined ? "" : ` blocked by ${by}`}`,
      lineStart(blocker),
      rounds.join("\n"),
      ...end,
    ]
      .filter((text) => text !== "")
      .join("\n\n");
  });
  return `## ${heading}\n\n${reports.join("\n\n")}`;
}
