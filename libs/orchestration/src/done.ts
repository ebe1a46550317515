// Pure: is a definition of done met? Lexical and honest (seed: firm-orchestration, Phase 4).
//
// R1 A failed result, and one without output and findings, meets nothing.
// R2 The definition is split into clauses at commas, sentence ends and words such as "and" or "with"; each is checked by itself.
// R3 A word with a place of its own in a result is met by that place: "CVSS" by a finding with a score, "recommendations" by a finding that has one.
// R4 Any other significant word is met by being spoken of, in any form, in the result's text.
// R5 Repeating a definition (of four words or more: fewer come up by themselves) is not speaking of it, nor is a line that says it is not there ("CVSS scores: not provided"), nor an open item.
// R6 A clause of up to three words needs all of them, a longer one two thirds; the words of R3 are always needed.
// It can be fooled by a text that names things without doing them: it tells that a part is missing, not that one is good.
import type { Finding, Result } from "@firm/protocol";
import { mentions, normalise, significantTerms, stem, wordsOf } from "./words.ts";

/** What the check found; `unmet` names the clauses. */
export interface DoneCheck {
  readonly met: boolean;
  readonly unmet: string[];
}

const CLAUSE_END = /[;,\n&]|\.(?=\s|$)|\b(?:and|et|with|avec|including|plus|ainsi que|y compris)\b/iu;
const DENIAL =
  /\b(?:not (?:available|provided|included|done|covered|checked)|todo|tbd|n\/a|non (?:fourni|disponible|inclus)|a faire)/;
const LONG_CLAUSE = 3;
const SHORTEST_ECHO = 4;
const SHARE_OF_LONG = 2 / 3;

export function checkDefinitionOfDone(definition: string, result: Result): DoneCheck {
  const clauses = definition
    .split(CLAUSE_END)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "");
  if (result.status === "failed")
    return { met: false, unmet: clauses.map((clause) => `${clause} (the role failed)`) };
  if (isEmpty(result)) return { met: false, unmet: clauses.map((clause) => `${clause} (no output)`) };
  const words = spokenWords(definition, result);
  const unmet = clauses.flatMap((clause) => unmetOf(clause, result, words));
  return { met: unmet.length === 0, unmet };
}

/** The result as the parent accepts it: what is not met lowers its quality and is named, nothing is dropped. */
export function validated(result: Result, definition: string): Result {
  const { met, unmet } = checkDefinitionOfDone(definition, result);
  if (met) return result;
  return { ...result, quality: "partial", unmet: [...new Set([...result.unmet, ...unmet])] };
}

function isEmpty(result: Result): boolean {
  return result.output.trim() === "" && result.findings.length === 0;
}

function unmetOf(clause: string, result: Result, words: readonly string[]): string[] {
  const terms = significantTerms(clause);
  const missing = terms.filter((term) => !(placeOf(term)?.(result) ?? false) && !mentions(words, term));
  const needed = terms.length <= LONG_CLAUSE ? terms.length : Math.ceil(terms.length * SHARE_OF_LONG);
  const enough =
    terms.length - missing.length >= needed && !missing.some((term) => placeOf(term) !== undefined);
  if (enough) return [];
  return [missing.length === terms.length ? clause : `${clause} (missing: ${missing.join(", ")})`];
}

/** What the result says, line by line, without denials and without the definition itself (R5). */
function spokenWords(definition: string, result: Result): string[] {
  const findings = result.findings.flatMap((finding) => [
    finding.title,
    finding.detail,
    finding.recommendation ?? "",
  ]);
  const texts = [
    result.summary,
    result.output,
    ...findings,
    ...result.decisions,
    ...result.assumptions,
    ...result.suggestions,
  ];
  const echo = normalise(definition);
  const lines = texts.flatMap((text) => withoutEcho(text, echo)).filter((line) => !DENIAL.test(line));
  return [...new Set(lines.flatMap(wordsOf))];
}

/** A text that repeats the definition is cut there, its own lines joined: the repetition may run over a line's end. */
function withoutEcho(text: string, echo: string): string[] {
  const lines = text.split("\n").map(normalise);
  if (wordsOf(echo).length < SHORTEST_ECHO) return lines;
  if (!lines.join(" ").includes(echo)) return lines;
  return lines.join(" ").split(echo);
}

type Place = (result: Result) => boolean;
const someFinding =
  (test: (finding: Finding) => boolean): Place =>
  (result) =>
    result.findings.some(test);
const scored = someFinding((finding) => finding.cvss !== undefined);
const advised = someFinding((finding) => (finding.recommendation ?? "").trim() !== "");
const advisedOrSuggested: Place = (result) => advised(result) || result.suggestions.length > 0;
const found = someFinding(() => true);
const risky = someFinding((finding) => finding.severity !== "info" && finding.severity !== "low");

/** Words with a place of their own in a result (R3), normalised, both languages; matched by stem. */
const PLACES: readonly (readonly [words: readonly string[], place: Place])[] = [
  [["cvss", "score"], scored],
  [["fix", "fixes", "remediation", "correctif"], advised],
  [["recommendation", "recommandation"], advisedOrSuggested],
  [["finding", "constat", "severity", "severite", "gravite"], found],
  [["risk", "risque"], risky],
  [["file", "fichier"], someFinding((finding) => finding.file !== undefined)],
  [["line", "ligne"], someFinding((finding) => finding.line !== undefined)],
  [["summary", "resume", "synthese"], (result) => result.summary.trim() !== ""],
  [["report", "rapport", "document", "deliverable", "livrable"], (result) => !isEmpty(result)],
  [["decision"], (result) => result.decisions.length > 0],
  [["assumption", "hypothese"], (result) => result.assumptions.length > 0],
  [
    ["next", "step", "prochaine", "etape"],
    (result) => advisedOrSuggested(result) || result.open_items.length > 0,
  ],
  [["commit"], (result) => result.commits.length > 0],
];

function placeOf(term: string): Place | undefined {
  return PLACES.find(([words]) => words.some((word) => stem(word) === stem(term)))?.[1];
}
