// Pure: a board meeting's deliverable: the draft, its addenda, and what the founder's decision makes of it (board meeting, phases 4 to 6).
import { DISCLAIMER, type Deliverable, type DeliveryFormat, type Role } from "@firm/protocol";
import * as z from "zod";
import { sumUsage } from "../usage.ts";
import { withoutBleed } from "./critique.ts";
import { decisionsAfter, type FounderVerb } from "./decisions.ts";
import type { MeetingOutcome } from "./meeting.ts";
import { DECISIONS_DRAFT, draftMinutes, STATUS_DRAFT, withPart, type Synthesis } from "./minutes.ts";
import type { Position } from "./contribution.ts";
import { rejectedIn, resurfacedBy } from "./resurface.ts";

/** What the synthesis is made from: positions without what left a role's domain. */
export interface SynthesisInput {
  readonly question: string;
  readonly positions: readonly Position[];
  readonly outcome: MeetingOutcome;
  readonly date: string;
}

export interface BoardInput {
  readonly run: string;
  readonly question: string;
  readonly format: DeliveryFormat;
  /** ISO date, UTC. */
  readonly date: string;
  readonly participants: readonly Role[];
  readonly outcome: MeetingOutcome;
  /** Approved decisions of earlier meetings, as text. */
  readonly layer2: string;
  readonly synthesise: (input: SynthesisInput) => Synthesis;
}

/** The draft on which the founder decides. */
export function boardDeliverable(input: BoardInput): Deliverable {
  const { run, question, outcome, participants } = input;
  const positions = withoutBleed(outcome.positions, outcome.critic?.critique);
  const made = input.synthesise({ question, positions, outcome, date: input.date });
  const { synthesis, resurfaced } = honouring(made, question, rejectedIn(input.layer2));
  const assumptions = [
    ...new Set(
      outcome.positions.flatMap(({ role, assumptions: own }) => own.map((one) => `${role}: ${one}`)),
    ),
  ];
  const openItems = [
    ...outcome.missing.map(({ role, reason }) => `${role} is missing: ${reason}`),
    ...(outcome.critic === undefined ? ["mentor is missing: no critique in time"] : []),
    ...outcome.positions.flatMap(({ role, flag }) =>
      flag === undefined ? [] : [`${role}: contribution is not well-formed: ${flag}`],
    ),
    ...synthesis.open_questions,
  ];
  const minutes = draftMinutes({ ...input, participants, synthesis, resurfaced, assumptions });
  const summary = `${outcome.positions.length} of ${participants.length} positions, ${synthesis.conflicts.length} conflicts, ${synthesis.decisions.length} decisions proposed`;
  return bodied(minutes, {
    run,
    objective: question,
    format: input.format,
    status: openItems.length === 0 ? "complete" : "open_items",
    summary,
    departments: [],
    open_items: openItems,
    decisions: [...synthesis.decisions],
    assumptions,
    suggestions: synthesis.action_items.map(({ action, owner, due }) => `${owner}: ${action} (due ${due})`),
    findings: [],
    usage: sumUsage(outcome.results.map(({ usage }) => usage)),
    disclaimer: DISCLAIMER,
  });
}

/** A rejected proposal is not brought up again: the agenda notes it, nothing is recommended on it. */
function honouring(
  made: Synthesis,
  question: string,
  rejected: readonly string[],
): { synthesis: Synthesis; resurfaced: readonly string[] } {
  const asked = resurfacedBy(question, rejected);
  const again = (text: string): boolean => asked.length > 0 || resurfacedBy(text, rejected).length > 0;
  const proposed = [...made.decisions, ...made.action_items.map(({ action }) => action)];
  return {
    synthesis: {
      ...made,
      decisions: made.decisions.filter((text) => !again(text)),
      action_items: made.action_items.filter(({ action }) => !again(action)),
    },
    resurfaced: [...new Set([...asked, ...proposed.flatMap((text) => resurfacedBy(text, rejected))])],
  };
}

/** The final deliverable after the founder's word. @param text the founder's reason or correction */
export function decidedDeliverable(
  draft: Deliverable,
  verb: Exclude<FounderVerb, "ask">,
  text: string,
  date: string,
): Deliverable {
  const decisions = [...decisionsAfter(verb, text, draft)];
  const said = { approve: "approved", modify: "modified by the founder", reject: "rejected" }[verb];
  const heading = {
    approve: "## Decisions (approved)",
    modify: "## Decisions (proposed, overridden by the founder)",
    reject: "## Decisions (rejected)",
  }[verb];
  const minutes = minutesOf(draft)
    .replace(STATUS_DRAFT, () => `Status: ${said} on ${date}`)
    .replace(DECISIONS_DRAFT, () => heading);
  const words = text.trim() === "" ? [] : [`> ${text.trim().replaceAll("\n", "\n> ")}`, ""];
  const part = [`## Founder's decision: ${said}`, "", ...words, ...decisions.map((one) => `- ${one}`)]
    .join("\n")
    .trimEnd();
  return bodied(withPart(minutes, part), {
    ...draft,
    decisions,
    summary: `${said} by the founder; ${draft.summary}`,
  });
}

/** The draft again, with an answer to the founder's question. @param role who answers */
export function withAddendum(draft: Deliverable, question: string, role: Role, answer: string): Deliverable {
  const part = `## Addendum: the founder asked\n\n> ${question.trim().replaceAll("\n", "\n> ")}\n\n**${role.toUpperCase()}:** ${answer.trim()}`;
  return bodied(withPart(minutesOf(draft), part), draft);
}

const JsonBody = z.object({ minutes: z.string() });

/** The minutes of a deliverable, whatever its format. */
export function minutesOf({ format, body }: Pick<Deliverable, "format" | "body">): string {
  return format === "json" ? JsonBody.parse(JSON.parse(body)).minutes : body;
}

function bodied(minutes: string, rest: Omit<Deliverable, "body">): Deliverable {
  if (rest.format !== "json") return { ...rest, body: minutes };
  const { run, objective, status, decisions, assumptions, open_items, suggestions, disclaimer } = rest;
  const body = {
    run,
    question: objective,
    status,
    decisions,
    action_items: suggestions,
    assumptions,
    open_items,
    minutes,
    disclaimer,
  };
  return { ...rest, body: `${JSON.stringify(body, null, 2)}\n` };
}
