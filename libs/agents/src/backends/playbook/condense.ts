// Pure: how services, departments and the CEO make one part of their reports' parts: doubles dropped, the worst first, file and
// line kept, the definition of done looked at.
import { levelOf, nameOf, type Finding, type Role } from "@firm/protocol";
import type { AgentInput, ChildReport } from "../../types.ts";
import { checkDone } from "./done.ts";
import { countBySeverity, dedupeFindings, placeOf } from "./findings.ts";
import { emptyPart, findingsLine, OFFLINE_NOTE, section, type Part } from "./part.ts";

const TOP = 5;

/** What blocks the reports, if something does. */
export interface Blocker {
  readonly by: Role | undefined;
  readonly reason: string;
}

export function blockerOf(children: readonly ChildReport[]): Blocker | undefined {
  const blocked = children.find((child) => child.status === "blocked" || child.result?.status === "blocked");
  if (blocked === undefined) return undefined;
  return {
    by: blocked.result?.blocked_by,
    reason: blocked.result?.blocker ?? blocked.reason ?? `${blocked.role} is blocked`,
  };
}

/** The part of a role that delegates. */
export function condense(input: AgentInput): Part {
  const { children, role } = input;
  const part = emptyPart();
  const results = children.flatMap((child) =>
    child.result === undefined ? [] : [{ child, result: child.result }],
  );
  part.findings = dedupeFindings(results.flatMap(({ result }) => result.findings));
  part.decisions = results.flatMap(({ result }) => result.decisions);
  part.assumptions = results.flatMap(({ result }) => result.assumptions);
  part.suggestions = results.flatMap(({ result }) => result.suggestions);
  part.openItems = [...results.flatMap(({ result }) => result.open_items), ...children.flatMap(missing)];
  part.commits = results.flatMap(({ result }) => result.commits);
  const pullRequest = results.find(({ result }) => result.pull_request !== undefined)?.result.pull_request;
  if (pullRequest !== undefined) part.pullRequest = pullRequest;
  if (role === "ceo") return executive(input, part);
  const said = results.map(({ result }) => result.summary).filter(Boolean);
  part.summary =
    (children.length === 1 ? (said[0] ?? "") : "") ||
    [`${title(role)}: ${findingsLine(part.findings)}.`, ...said].join(" ");
  if (results.length === 0) part.summary = `${title(role)}: no report came back.`;
  const bodies = results.map(({ child, result }) =>
    body(result.output, results.length > 1 ? child.role : undefined),
  );
  const top = levelOf(role) === "department" ? overview(part) : [];
  part.sections = [...top, ...bodies].filter(Boolean);
  if (levelOf(role) === "department") part.sections.push(doneSection(input, part));
  return part;
}

/** A child without a full result is named, never dropped. */
function missing(child: ChildReport): string[] {
  if (child.result !== undefined && child.status === "ok") return [];
  const why = child.reason ?? child.result?.blocker;
  return [
    `${child.role}: ${child.status}${why === undefined ? "" : ` (${why})`}${child.result === undefined ? ", nothing came back" : ", its partial output is included"}`,
  ];
}

function body(output: string, from: Role | undefined): string {
  const text = output.replaceAll(OFFLINE_NOTE, "").trim();
  return from === undefined || text === ""
    ? text
    : `### ${title(from)}\n\n${text.replaceAll(/^### /gm, "#### ")}`;
}

function overview(part: Part): string[] {
  return [
    section("Summary", [part.summary]),
    section(
      "Recommendations and next steps",
      part.findings.length === 0
        ? ["- Nothing found that calls for a step."]
        : part.findings.slice(0, TOP).map(recommendation),
    ),
    section("Risks", risks(part.findings)),
  ];
}

function recommendation(found: Finding): string {
  const place = placeOf(found);
  const score = found.cvss === undefined ? "" : `, CVSS ${found.cvss.toFixed(1)}`;
  return `- **${found.severity}${score}** ${found.title}${place === "" ? "" : ` (\`${place}\`)`}: ${found.recommendation ?? "judge and decide."}`;
}

function risks(findings: readonly Finding[]): string[] {
  const grave = findings.filter((f) => ["critical", "high", "medium"].includes(f.severity));
  const kinds = new Map<string, number>();
  for (const found of grave) {
    const risk = firstLine(found.detail) || found.title;
    kinds.set(risk, (kinds.get(risk) ?? 0) + 1);
  }
  const lines = [...kinds].slice(0, TOP).map(([detail, n]) => `- ${detail}${n > 1 ? ` (${n} places)` : ""}`);
  return lines.length > 0 ? lines : ["- No finding of medium severity or above in what was looked at."];
}

const firstLine = (text: string): string => (text.split("\n")[0] ?? "").slice(0, 300);

function doneSection(input: AgentInput, part: Part): string {
  const checks = checkDone(input.contract.definition_of_done, {
    text: part.sections.join("\n"),
    findings: part.findings,
  });
  const lines = checks.map(({ clause, met, evidence }) => `- [${met ? "x" : " "}] ${clause}: ${evidence}`);
  part.openItems.push(
    ...checks.filter((c) => !c.met).map((c) => `Definition of done, "${c.clause}": ${c.evidence}`),
  );
  return section("Definition of done, by its words", lines);
}

function executive(input: AgentInput, part: Part): Part {
  const ok = input.children.filter((child) => child.status === "ok");
  const others = input.children.filter((child) => child.status !== "ok");
  const [worst] = part.findings;
  const lines = [
    `${ok.length} of ${input.children.length} departments delivered on "${input.contract.objective.split("\n")[0]?.slice(0, 200) ?? ""}"${others.length === 0 ? "" : `; ${others.map((c) => `${nameOf(c.role)}: ${c.status}`).join(", ")}`}.`,
    part.findings.length === 0
      ? "No findings."
      : `${part.findings.length} findings: ${countBySeverity(part.findings)}.`,
    ...(worst === undefined
      ? []
      : [`Begin with: ${worst.title}${placeOf(worst) === "" ? "" : ` (${placeOf(worst)})`}.`]),
  ];
  part.summary = lines.join(" ");
  part.sections = [part.summary];
  return part;
}

function title(role: Role): string {
  const name = nameOf(role);
  return name.charAt(0).toUpperCase() + name.slice(1);
}
