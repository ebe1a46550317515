// Pure: a rule looks for a pattern in code, never in a comment or a string unless it says so, and gives findings.
import type { Finding } from "@firm/protocol";
import { baseScore, ratingOf } from "../cvss.ts";
import { finding } from "../findings.ts";
import { CODE, COMMENT } from "../scan/mask.ts";
import type { Source } from "../scan/source.ts";

export interface Rule {
  readonly id: string;
  readonly title: string;
  /** Names of languages; absent: all. */
  readonly languages?: readonly string[];
  /** With the flags `g` and, for anchors, `m`. */
  readonly pattern: RegExp;
  /** What the first character of a match must be; default code. */
  readonly within?: "code" | "comment" | "any";
  /** Paths the rule is about. */
  readonly files?: RegExp;
  /** A line that matches is fine. */
  readonly unless?: RegExp;
  /** Only in test files, or only outside them. */
  readonly where?: "tests" | "sources";
  /** CVSS 3.1 base vector: where it is given, severity and score follow from it. */
  readonly vector?: string;
  readonly severity?: Finding["severity"];
  readonly why: string;
  readonly advice: string;
}

/** Longer lines are generated or data. */
const MAX_LINE = 2_000;
/** Of one rule in one file; more of the same tells nothing new. */
const MAX_EACH = 20;

export function applyRules(rules: readonly Rule[], source: Source): Finding[] {
  return rules.flatMap((rule) => (applies(rule, source) ? findAll(rule, source) : []));
}

function applies(rule: Rule, source: Source): boolean {
  if (rule.languages !== undefined && !rule.languages.includes(source.language.name)) return false;
  if (rule.files !== undefined && !rule.files.test(source.path)) return false;
  return rule.where === undefined || (rule.where === "tests") === source.test;
}

function findAll(rule: Rule, source: Source): Finding[] {
  const found: Finding[] = [];
  const seen = new Map<string, number>();
  const lines = new Set<number>();
  for (const match of source.text.matchAll(rule.pattern)) {
    const line = source.lineOf(match.index);
    const text = source.lines[line - 1] ?? "";
    const inPlace =
      rule.within === "any" || source.kindAt(match.index) === (rule.within === "comment" ? COMMENT : CODE);
    if (!inPlace || lines.has(line) || text.length > MAX_LINE || rule.unless?.test(text) === true) continue;
    lines.add(line);
    const nth = (seen.get(text.trim()) ?? 0) + 1;
    seen.set(text.trim(), nth);
    found.push(report(rule, source, line, nth === 1 ? text : `${text} #${nth}`));
    if (found.length >= MAX_EACH) break;
  }
  return found;
}

function report(rule: Rule, source: Source, line: number, content: string): Finding {
  const place = { file: source.path, line, content };
  const common = { title: rule.title, recommendation: rule.advice };
  if (rule.vector === undefined)
    return finding(rule.id, place, { ...common, severity: rule.severity ?? "low", detail: rule.why });
  // A score rates software that is deployed; test code is not.
  if (source.test && rule.where !== "tests")
    return finding(rule.id, place, {
      ...common,
      severity: "low",
      detail: `${rule.why} In test code, so rated low.`,
    });
  const score = baseScore(rule.vector);
  return finding(rule.id, place, {
    ...common,
    severity: ratingOf(score),
    cvss: score,
    detail: `${rule.why} Vector if an attacker can reach it: ${rule.vector}.`,
  });
}
