// Pure: layer 2 of a board meeting's memory: what the founder decided, and what must not come up again (board meeting, phase 6).
import type { Deliverable } from "@firm/protocol";
import * as z from "zod";
import { DO_NOT_RESURFACE } from "./resurface.ts";

/** What the founder may say to a draft (board meeting, phase 5). */
export const FOUNDER_VERBS = ["approve", "modify", "reject", "ask"] as const;
export type FounderVerb = (typeof FOUNDER_VERBS)[number];

/** What was decided in one meeting. */
export const BoardDecision = z.object({
  run: z.string(),
  /** ISO date, UTC. */
  date: z.string(),
  question: z.string(),
  verb: z.enum(["approve", "modify", "reject"]),
  decisions: z.array(z.string()),
});
export type BoardDecision = z.infer<typeof BoardDecision>;

/** The founder's words as a final decision; the correction overrides the draft (phase 5). */
export function decisionsAfter(
  verb: Exclude<FounderVerb, "ask">,
  text: string,
  draft: Pick<Deliverable, "objective" | "decisions">,
): readonly string[] {
  if (verb === "approve") return draft.decisions;
  if (verb === "modify") return [`Founder's correction: ${oneLine(text)}`];
  const rejected = draft.decisions.length === 0 ? [""] : draft.decisions;
  const why = text.trim() === "" ? "" : ` (founder: ${oneLine(text)})`;
  return rejected.map((proposal) => `${DO_NOT_RESURFACE} ${oneLine(`${draft.objective} ${proposal}`)}${why}`);
}

/** One meeting's part of the layer 2 document; `run` stands in it, so that an append is made once. */
export function decisionSection({ run, date, question, verb, decisions }: BoardDecision): string {
  const said = { approve: "approved", modify: "founder's correction", reject: "rejected" }[verb];
  const lines =
    decisions.length === 0 ? ["- No decision was proposed"] : decisions.map((one) => `- ${oneLine(one)}`);
  return [`## ${date} · ${oneLine(question)} (${said}, run ${run})`, "", ...lines, ""].join("\n");
}

/** The whole of layer 2, newest first: a context that is too long loses its end. */
export function decisionDocument(decisions: readonly BoardDecision[]): string {
  return [`# Board decisions\n`, ...decisions.toReversed().map(decisionSection)].join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
