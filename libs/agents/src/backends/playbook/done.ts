// Pure: the playbook's own, lexical look at a definition of done. The parent judges by its own means; this tells the reader what
// speaks for each part.
import type { Finding } from "@firm/protocol";
import { concerns, topicWords } from "./objective.ts";

export interface ClauseCheck {
  readonly clause: string;
  readonly met: boolean;
  readonly evidence: string;
}

export interface Evidence {
  readonly text: string;
  readonly findings: readonly Finding[];
}

/** Checks each part of the definition. */
export function checkDone(definition: string, evidence: Evidence): ClauseCheck[] {
  const clauses = definition
    .split(/[,;\n]|\.\s|\s+(?:and|with|plus|including)\s+/i)
    .map((clause) => clause.trim().replace(/[.]$/, ""));
  return clauses.filter((clause) => clause.length > 1).map((clause) => check(clause, evidence));
}

function check(clause: string, { text, findings }: Evidence): ClauseCheck {
  const say = (met: boolean, words: string): ClauseCheck => ({ clause, met, evidence: words });
  const scored = findings.filter((f) => f.cvss !== undefined).length;
  if (/\bcvss\b/i.test(clause)) {
    if (scored > 0) return say(true, `${scored} findings carry a CVSS 3.1 base score`);
    return say(/cvss/i.test(text), "no finding called for a score; the report says what was looked for");
  }
  if (/\bseverit/i.test(clause)) return say(true, "every finding has a severity");
  if (/\b(?:recommend|remedia|fix(?:es)?\b)/i.test(clause)) {
    const advised = findings.filter((f) => f.recommendation !== undefined).length;
    return say(
      advised > 0 || findings.length === 0,
      `${advised} of ${findings.length} findings carry a recommendation`,
    );
  }
  if (/\bfindings?\b/i.test(clause)) return say(true, `${findings.length} findings`);
  if (/\b(?:summary|report|overview)\b/i.test(clause)) return say(text.trim() !== "", "the report itself");
  const words = topicWords(clause);
  if (words.length === 0) {
    const named = text.toLowerCase().includes(clause.toLowerCase());
    return say(named, named ? "named in the report" : "not named in the report");
  }
  const missing = words.filter((word) => !concerns(text, [word]));
  return say(
    missing.length * 2 < words.length || missing.length === 0,
    missing.length === 0 ? "named in the report" : `not named: ${missing.join(", ")}`,
  );
}
