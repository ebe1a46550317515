// Pure: the same thing brought twice is kept once, and said so (seed: firm-orchestration, "Merge strategy" 2: by objective_key).
import { SEVERITIES, type EndStatus, type Finding, type Result, type Role } from "@firm/protocol";

/** A role's part with what ranks it among duplicates. */
export interface Part {
  readonly role: Role;
  readonly status: EndStatus;
  readonly result: Result | undefined;
}

/** A part left out because another with the same key is more complete. */
export interface Duplicate {
  readonly role: Role;
  readonly keptFrom: Role;
  readonly objectiveKey: string;
}

/** Most complete first. */
const COMPLETENESS: readonly EndStatus[] = ["ok", "partial", "blocked", "timeout", "cancelled", "failed"];

/** Of parts with the same key the more complete one stays; order is kept, and parts without a result are no duplicates. */
export function dedupeParts<P extends Part>(
  parts: readonly P[],
): { readonly kept: P[]; readonly duplicates: Duplicate[] } {
  const best = new Map<string, P>();
  for (const part of parts) {
    const key = part.result?.objective_key;
    if (key === undefined) continue;
    const before = best.get(key);
    if (before === undefined || compareParts(part, before) < 0) best.set(key, part);
  }
  const duplicates = parts.flatMap((part) => {
    const key = part.result?.objective_key;
    const kept = key === undefined ? undefined : best.get(key);
    return key === undefined || kept === undefined || kept === part
      ? []
      : [{ role: part.role, keptFrom: kept.role, objectiveKey: key }];
  });
  const left = new Set(duplicates.map((duplicate) => duplicate.role));
  return { kept: parts.filter((part) => !left.has(part.role)), duplicates };
}

/** Negative where `a` is the more complete: by status, quality, findings, length. */
function compareParts(a: Part, b: Part): number {
  const quality = (part: Part): number => (part.result?.quality === "partial" ? 1 : 0);
  return (
    COMPLETENESS.indexOf(a.status) - COMPLETENESS.indexOf(b.status) ||
    quality(a) - quality(b) ||
    (b.result?.findings.length ?? 0) - (a.result?.findings.length ?? 0) ||
    (b.result?.output.length ?? 0) - (a.result?.output.length ?? 0)
  );
}

/** Findings with the same key become one that knows what each knew, at the worst severity; the worst come first. */
export function dedupeFindings(findings: readonly Finding[]): {
  readonly findings: Finding[];
  readonly merged: number;
} {
  const byKey = new Map<string, Finding>();
  for (const finding of findings) {
    const before = byKey.get(finding.objective_key);
    byKey.set(finding.objective_key, before === undefined ? finding : union(before, finding));
  }
  const unique = [...byKey.values()].toSorted((a, b) => rank(a) - rank(b));
  return { findings: unique, merged: findings.length - unique.length };
}

function rank(finding: Finding): number {
  return SEVERITIES.indexOf(finding.severity);
}

function union(first: Finding, second: Finding): Finding {
  const [more, less] = wealth(second) > wealth(first) ? [second, first] : [first, second];
  const cvss = [first.cvss, second.cvss].filter((score) => score !== undefined);
  return {
    ...less,
    ...more,
    severity: rank(first) <= rank(second) ? first.severity : second.severity,
    ...(cvss.length === 0 ? {} : { cvss: Math.max(...cvss) }),
  };
}

/** How much a finding says. */
function wealth({ cvss, file, line, recommendation, detail }: Finding): number {
  return (
    [cvss, file, line, recommendation].filter((field) => field !== undefined).length * 10_000 + detail.length
  );
}

/** Lines without repetitions, in order; white space and case do not tell two apart. */
export function uniqueLines(lines: readonly string[]): string[] {
  const seen = new Set<string>();
  return lines.filter((line) => {
    const key = line.trim().toLowerCase().replace(/\s+/g, " ");
    if (key === "" || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
