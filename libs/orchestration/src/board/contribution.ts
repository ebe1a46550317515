// Pure: a role's independent contribution, read out of its result (board meeting, phase 2; seed: agent-protocol, "Isolation Rules").
import type { Result, Role } from "@firm/protocol";
import * as z from "zod";
import { readBlock } from "./json-block.ts";

/** More points than this are cut: a long list hides what counts. */
export const MAX_POINTS = 5;

const line = z.string().trim().min(1).max(2_000);

/** The fenced ```json block of a contribution. */
export const Contribution = z.object({
  role: z.string().optional(),
  stance: z.enum(["for", "against", "conditional"]),
  recommendation: line,
  key_points: z
    .array(line)
    .min(1)
    .transform((points) => points.slice(0, MAX_POINTS)),
  confidence: z.enum(["high", "medium", "low"]),
  would_change_my_mind: line,
  assumptions: z.array(line).default([]),
});
export type Contribution = z.infer<typeof Contribution>;

/** Where one role stands; a contribution that is not well-formed is kept as it came. */
export interface Position {
  readonly role: Role;
  readonly contribution: Contribution | undefined;
  /** What is wrong with its form. */
  readonly flag?: string;
  /** The whole text, as the role wrote it. */
  readonly text: string;
  /** Stated in the text or in the result, without brackets. */
  readonly assumptions: readonly string[];
}

const ASSUMPTION = /\[ASSUMPTION:\s*([^\]]{1,2000})\]/g;

/** Reads a contribution; `undefined` where the role brought nothing at all. */
export function readContribution(role: Role, result: Result | undefined): Position | undefined {
  const text = result === undefined ? "" : result.output.trim() === "" ? result.summary : result.output;
  if (result === undefined || text.trim() === "") return undefined;
  const block = readBlock(text, Contribution);
  const stated = [...text.matchAll(ASSUMPTION)].map((found) => found[1] ?? "");
  const bare = (assumption: string): string => assumption.replace(/^\[ASSUMPTION:\s*|\]$/g, "").trim();
  const own = block.ok ? block.value.assumptions : [];
  return {
    role,
    contribution: block.ok ? block.value : undefined,
    ...(block.ok ? {} : { flag: block.problem }),
    text,
    assumptions: [...new Set([...own, ...result.assumptions, ...stated].map(bare))].filter(
      (one) => one !== "",
    ),
  };
}

/** What a contribution must hold; the definition of done of its handoff. */
export const CONTRIBUTION_DONE = [
  `At most ${MAX_POINTS} key points, a recommendation, confidence, and what would change your mind, as readable text, then one fenced block:`,
  '```json\n{"role": "…", "stance": "for|against|conditional", "recommendation": "…", "key_points": ["…"], "confidence": "high|medium|low", "would_change_my_mind": "…", "assumptions": ["…"]}\n```',
].join("\n");

/** Suspicious: all say the same and nobody doubts it (failure mode "everyone agrees"). */
export function isConsensus(positions: readonly Position[]): boolean {
  const [first, ...rest] = positions;
  if (first?.contribution === undefined || rest.length === 0) return false;
  const { stance } = first.contribution;
  return positions.every(
    ({ contribution }) => contribution?.stance === stance && contribution.confidence === "high",
  );
}
