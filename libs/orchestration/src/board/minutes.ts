// Pure: a board meeting's minutes, a document one can send (board meeting, phases 1 to 6).
import { DISCLAIMER, type Role } from "@firm/protocol";
import type { MeetingOutcome } from "./meeting.ts";
import type { Position } from "./contribution.ts";

/** Who does what until when. */
export interface ActionItem {
  readonly action: string;
  readonly owner: string;
  /** ISO date. */
  readonly due: string;
}

/** What the CEO makes of the positions and the critique (phase 4). */
export interface Synthesis {
  readonly themes: readonly string[];
  /** Named and not smoothed over. */
  readonly conflicts: readonly string[];
  /** Proposals that the founder decides on. */
  readonly decisions: readonly string[];
  readonly action_items: readonly ActionItem[];
  readonly open_questions: readonly string[];
}

export interface MinutesInput {
  readonly run: string;
  readonly question: string;
  /** ISO date, UTC. */
  readonly date: string;
  readonly participants: readonly Role[];
  readonly outcome: MeetingOutcome;
  readonly synthesis: Synthesis;
  /** Rejected proposals that the question or the synthesis brought up again. */
  readonly resurfaced: readonly string[];
  readonly assumptions: readonly string[];
}

/** Headings that the founder's decision changes. */
export const STATUS_DRAFT = "Status: draft, awaiting the founder's decision";
export const DECISIONS_DRAFT = "## Decisions (proposed)";

/** The draft that the founder decides on; the disclaimer is its last line. */
export function draftMinutes(input: MinutesInput): string {
  const { outcome, synthesis } = input;
  const critic = outcome.critic;
  return document([
    `# Board meeting: ${oneLine(input.question)}`,
    `Date: ${input.date}  \nRun: ${input.run}  \n${STATUS_DRAFT}`,
    section("Agenda", agenda(input)),
    section("Participants", [
      ...input.participants.map((role) => `- ${role.toUpperCase()}${roleNote(role, outcome)}`),
      `- MENTOR (critic)${critic === undefined ? ": missing, no critique in time" : ""}`,
    ]),
    section("Positions", positionsTable(outcome.positions)),
    ...outcome.positions.map(positionDetail),
    section("Critique", critic === undefined ? ["No critique was received."] : critiqueLines(outcome)),
    section("Conflicts", bullets(synthesis.conflicts, "No conflict was named.")),
    section("Themes", bullets(synthesis.themes, "None.")),
    `${DECISIONS_DRAFT}\n\n${bullets(synthesis.decisions, "None is proposed.").join("\n")}`,
    section("Action items", actionTable(synthesis.action_items)),
    section("Assumptions", bullets(input.assumptions, "None was stated.")),
    section("Open questions", bullets(synthesis.open_questions, "None.")),
    section(
      "Missing roles",
      bullets(
        outcome.missing.map(({ role, reason }) => `${role.toUpperCase()}: ${reason}`),
        "None.",
      ),
    ),
  ]);
}

/** A document of these parts that ends in the disclaimer. */
export function document(parts: readonly string[]): string {
  return [...parts, DISCLAIMER].join("\n\n") + "\n";
}

/** A document's parts before the disclaimer, with another one after them. */
export function withPart(body: string, part: string): string {
  const end = body.lastIndexOf(DISCLAIMER);
  return document([(end === -1 ? body : body.slice(0, end)).trimEnd(), part]);
}

function agenda({ question, resurfaced }: MinutesInput): readonly string[] {
  return [
    `1. ${oneLine(question)}`,
    ...resurfaced.map(
      (proposal) =>
        `- Rejected before and not resurfaced; nothing is recommended on it: ${oneLine(proposal)}`,
    ),
  ];
}

function roleNote(role: Role, { missing, positions }: MeetingOutcome): string {
  if (missing.some((one) => one.role === role)) return ": missing";
  const flag = positions.find((position) => position.role === role)?.flag;
  return flag === undefined ? "" : `: contribution kept as it came, since ${oneLine(flag)}`;
}

function positionsTable(positions: readonly Position[]): readonly string[] {
  if (positions.length === 0) return ["No position was received."];
  return [
    "| Role | Stance | Recommendation | Confidence | Would change my mind |",
    "| --- | --- | --- | --- | --- |",
    ...positions.map(({ role, contribution }) =>
      row(
        contribution === undefined
          ? [role.toUpperCase(), "unstated", "see its text below", "unstated", "unstated"]
          : [
              role.toUpperCase(),
              contribution.stance,
              contribution.recommendation,
              contribution.confidence,
              contribution.would_change_my_mind,
            ],
      ),
    ),
  ];
}

function positionDetail({ role, contribution, text }: Position): string {
  const lines =
    contribution === undefined ? quoted(text) : contribution.key_points.map((point) => `- ${oneLine(point)}`);
  return [`### ${role.toUpperCase()}`, "", ...lines].join("\n");
}

function critiqueLines({ critic, challenged }: MeetingOutcome): readonly string[] {
  const again = challenged
    ? ["- Everyone agreed at first; the strongest argument against was asked for in a second round."]
    : [];
  const critique = critic?.critique;
  if (critique === undefined) return [...again, ...quoted(critic?.text ?? "")];
  return [
    ...again,
    ...critique.suspicious_consensus.map((one) => `- Suspicious consensus: ${oneLine(one)}`),
    ...critique.unvalidated_assumptions.map((one) => `- Assumption nobody validated: ${oneLine(one)}`),
    ...critique.missing_voices.map((one) => `- Missing voice: ${oneLine(one)}`),
    ...critique.unnamed_risks.map((one) => `- Risk nobody named: ${oneLine(one)}`),
    ...critique.out_of_domain.map(
      ({ role, point }) =>
        `- ${role.toUpperCase()} left its domain, left out of the synthesis: ${oneLine(point)}`,
    ),
  ];
}

function actionTable(items: readonly ActionItem[]): readonly string[] {
  if (items.length === 0) return ["None."];
  return [
    "| Action | Owner | Due |",
    "| --- | --- | --- |",
    ...items.map(({ action, owner, due }) => row([action, owner.toUpperCase(), due])),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => oneLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;
}

function quoted(text: string): readonly string[] {
  return text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`);
}

function bullets(lines: readonly string[], none: string): readonly string[] {
  return lines.length === 0 ? [none] : lines.map((line) => `- ${oneLine(line)}`);
}

function section(title: string, lines: readonly string[]): string {
  return `## ${title}\n\n${lines.join("\n")}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
