// Pure: how findings are named, ordered and made one.
import { digest, SEVERITIES, type Finding } from "@firm/protocol";

/** Where a finding is, and the text that identifies it there. */
export interface Place {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** Content at the place: the key follows it, so that a finding keeps its key when lines move. */
  readonly content?: string;
}

/** A finding before it has its key. */
export type Draft = Omit<Finding, "objective_key" | "detail"> & { readonly detail?: string };

/** Gives a finding its stable key: rule, file and content, never the line number. */
export function finding(rule: string, place: Place, draft: Omit<Draft, "file" | "line">): Finding {
  const content = (place.content ?? "").replaceAll(/\s+/g, " ").trim();
  const file = place.file ?? "";
  const tail = content === "" ? "" : `:${digest(content).slice(0, 8)}`;
  const named = `${rule}:${file}${tail}`;
  return {
    ...draft,
    detail: draft.detail ?? "",
    objective_key: named.length <= 200 ? named : `${rule}:${digest(file, content)}`,
    ...(place.file === undefined ? {} : { file: place.file }),
    ...(place.line === undefined ? {} : { line: place.line }),
  };
}

const RANK = new Map<string, number>(SEVERITIES.map((severity, i) => [severity, i]));

/** Most severe first; then by score, file and line. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (a, b) =>
      (RANK.get(a.severity) ?? 9) - (RANK.get(b.severity) ?? 9) ||
      (b.cvss ?? 0) - (a.cvss ?? 0) ||
      (a.file ?? "").localeCompare(b.file ?? "") ||
      (a.line ?? 0) - (b.line ?? 0),
  );
}

/** One for each key, the most severe; in order of severity. */
export function dedupeFindings(findings: readonly Finding[]): Finding[] {
  const byKey = new Map<string, Finding>();
  for (const found of sortFindings(findings))
    if (!byKey.has(found.objective_key)) byKey.set(found.objective_key, found);
  return sortFindings([...byKey.values()]);
}

/** `2 high, 1 low`; `none` where there are none. */
export function countBySeverity(findings: readonly Finding[]): string {
  const counts = SEVERITIES.map(
    (severity) => [severity, findings.filter((f) => f.severity === severity).length] as const,
  );
  return counts.flatMap(([severity, n]) => (n === 0 ? [] : [`${n} ${severity}`])).join(", ") || "none";
}

/** `src/a.ts:12`; empty where the finding has no place. */
export function placeOf(found: Finding): string {
  if (found.file === undefined) return "";
  return found.line === undefined ? found.file : `${found.file}:${found.line}`;
}
