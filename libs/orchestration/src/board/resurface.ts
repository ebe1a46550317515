// Pure: what was rejected stays rejected (board meeting, phase 6: `[DO_NOT_RESURFACE]`).
import { significantTerms, stem } from "../words.ts";

export const DO_NOT_RESURFACE = "[DO_NOT_RESURFACE]";

/** Words in common from which two texts speak of the same proposal: a share of the shorter, and never one word alone. */
const SAME_SHARE = 0.6;
const SAME_LEAST = 2;

/** Rejected proposals in layer 2. @param layer2 text of the approved decisions */
export function rejectedIn(layer2: string): readonly string[] {
  return layer2
    .split("\n")
    .filter((line) => line.includes(DO_NOT_RESURFACE))
    .map((line) => line.slice(line.indexOf(DO_NOT_RESURFACE) + DO_NOT_RESURFACE.length).trim())
    .filter((proposal) => proposal !== "");
}

/** The rejected proposals that a text brings up again. */
export function resurfacedBy(text: string, rejected: readonly string[]): readonly string[] {
  const terms = termsOf(text);
  return rejected.filter((proposal) => {
    const others = termsOf(proposal);
    const shorter = Math.min(terms.size, others.size);
    const common = [...terms].filter((term) => others.has(term)).length;
    return common >= SAME_LEAST && common / shorter >= SAME_SHARE;
  });
}

function termsOf(text: string): ReadonlySet<string> {
  return new Set(significantTerms(text).map(stem));
}
