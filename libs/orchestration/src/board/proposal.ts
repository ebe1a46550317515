// Pure: what the board puts before the founder, counted from its positions and not smoothed over (board meeting, phase 4).
import type { Position } from "./contribution.ts";

/** The proposals for a question: one, with the count and the conditions; none without a stated stance. */
export function proposalsOf(question: string, positions: readonly Position[]): readonly string[] {
  const stated = positions.flatMap(({ role, contribution }) =>
    contribution === undefined ? [] : [{ ...contribution, role }],
  );
  const of = (stance: string) => stated.filter((one) => one.stance === stance);
  const [yes, held, no] = [of("for"), of("conditional"), of("against")];
  if (stated.length === 0) return [];
  const what = matterOf(question);
  const count = `${yes.length} for, ${held.length} on condition, ${no.length} against`;
  if (no.length >= yes.length + held.length) {
    return no.length > yes.length + held.length
      ? [`Do not go ahead: ${what} (${count})`]
      : [`Postpone until what is open is settled: ${what} (${count})`];
  }
  if (held.length === 0 && no.length === 0) return [`Go ahead: ${what} (${count})`];
  const conditions = [...held, ...no].map(
    ({ role, recommendation }) => `${role.toUpperCase()}: ${recommendation}`,
  );
  return [`Go ahead on condition: ${what} (${count}); conditions and objections: ${conditions.join("; ")}`];
}

/** `expand to Germany in Q3` of `Should we expand to Germany in Q3?`. */
function matterOf(question: string): string {
  return question
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(?:should|shall|do|can|must) we /i, "")
    .replace(/\?+$/, "");
}
