// Pure: the executive mentor's critique, and what it takes out of the synthesis (board meeting, phase 3; failure mode "role bleed").
import type { Result } from "@firm/protocol";
import * as z from "zod";
import { normalise } from "../words.ts";
import type { Position } from "./contribution.ts";
import { readBlock } from "./json-block.ts";

const lines = z.array(z.string().trim().min(1).max(2_000)).default([]);

/** The fenced ```json block of a critique. */
export const Critique = z.object({
  suspicious_consensus: lines,
  unvalidated_assumptions: lines,
  missing_voices: lines,
  unnamed_risks: lines,
  /** Who left their domain, with the point as that role wrote it. */
  out_of_domain: z.array(z.object({ role: z.string(), point: z.string() })).default([]),
});
export type Critique = z.infer<typeof Critique>;

/** What the critic brought. */
export interface CriticReport {
  readonly critique: Critique | undefined;
  readonly flag?: string;
  readonly text: string;
}

/** Reads the critique; `undefined` where the critic brought nothing. */
export function readCritique(result: Result | undefined): CriticReport | undefined {
  const text = result === undefined ? "" : result.output.trim() === "" ? result.summary : result.output;
  if (text.trim() === "") return undefined;
  const block = readBlock(text, Critique);
  return block.ok ? { critique: block.value, text } : { critique: undefined, flag: block.problem, text };
}

/** What a critique must hold; the definition of done of its handoff. */
export const CRITIQUE_DONE = [
  "Suspicious consensus, shared assumptions that nobody validated, who is missing, the risk nobody named, who left their domain (the point quoted word for word), as readable text, then one fenced block:",
  '```json\n{"suspicious_consensus": ["…"], "unvalidated_assumptions": ["…"], "missing_voices": ["…"], "unnamed_risks": ["…"], "out_of_domain": [{"role": "…", "point": "…"}]}\n```',
].join("\n");

/** The positions as the synthesis may use them: points out of a role's domain are left out. */
export function withoutBleed(
  positions: readonly Position[],
  critique: Critique | undefined,
): readonly Position[] {
  const bleed = critique?.out_of_domain ?? [];
  if (bleed.length === 0) return positions;
  return positions.map((position) => {
    const { contribution } = position;
    if (contribution === undefined) return position;
    const own = bleed.filter(({ role }) => role === position.role).map(({ point }) => normalise(point));
    const key_points = contribution.key_points.filter(
      (point) => !own.some((flagged) => same(normalise(point), flagged)),
    );
    return key_points.length === contribution.key_points.length
      ? position
      : { ...position, contribution: { ...contribution, key_points } };
  });
}

/** A quote may be shortened or stand in a sentence. */
function same(point: string, flagged: string): boolean {
  return flagged !== "" && (point === flagged || point.includes(flagged) || flagged.includes(point));
}
