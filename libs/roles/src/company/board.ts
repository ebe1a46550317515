// Owns what executives bring to a board meeting offline: phase 2 alone and from their own numbers, phase 3 from what was said; nobody is asked
// (seed: agent-protocol, "Isolation Rules").
import type { Work, WorkHandler } from "@firm/actor";
import { contribution, critique, stanceOf, type BoardContribution, type CsuiteRole } from "@firm/agents";
import { CONTRIBUTION_KIND, Contribution, Critique, readContribution } from "@firm/orchestration";
import {
  FirmError,
  INVOCABLE_ROLES,
  printEnvelope,
  Result,
  type HistoryEntry,
  type Role,
} from "@firm/protocol";
import type * as z from "zod";
import { invocable } from "./ask.ts";
import type { CompanyFile, KnownCompany } from "./file.ts";

/** Phases of a board meeting that hand out work. */
export const INDEPENDENT = 2;
export const CRITIC = 3;

/** What a contribution is about. */
export interface Motion {
  readonly question: string;
  readonly objectiveKey: string;
  /** Second round after a suspicious consensus: the strongest argument against. */
  readonly forceAgainst: boolean;
}

/** Work of a board meeting: contributions, and the mentor's critique. */
export function companyBoard(role: Role, file: CompanyFile): WorkHandler {
  return async (work) => {
    const { order } = work;
    if (order.phase === CRITIC) return critiqueOf(role, work);
    if (order.phase !== INDEPENDENT)
      throw new FirmError(
        "agent-failed",
        `${role} is asked questions and sits on the board; it takes no other work`,
      );
    return contributionOf(invocable(role), await file.load(), {
      question: order.contract.objective,
      objectiveKey: order.objective_key,
      forceAgainst: order.cycle > 0,
    });
  };
}

/** A role's independent contribution: readable text, then the block that the meeting reads. */
export function contributionOf(role: CsuiteRole, { company, found }: KnownCompany, motion: Motion): Result {
  const today = new Date().toISOString().slice(0, 10);
  const own = contribution({
    role,
    question: motion.question,
    company,
    today,
    forceAgainst: motion.forceAgainst,
  });
  const assumptions = found
    ? own.assumptions
    : [...own.assumptions, "there is no company.yaml, so nothing is known of the company"];
  const stance = stanceOf(own);
  const block: z.input<typeof Contribution> = {
    role,
    // The meeting knows three ways to vote; who cannot tell makes it depend on what is missing.
    stance: stance === "undecided" ? "conditional" : stance,
    recommendation: own.recommendation,
    key_points: [...own.keyPoints],
    confidence: own.confidence,
    would_change_my_mind: own.wouldChangeMyMind,
    assumptions: [...assumptions],
  };
  const output = [
    `**${role.toUpperCase()}: ${own.recommendation}**`,
    own.keyPoints.map((point) => `- ${point}`).join("\n"),
    `Confidence: ${own.confidence}. What would change my mind: ${own.wouldChangeMyMind}`,
    ...assumptions.map((text) => printEnvelope({ kind: "assumption", text })),
    fenced(Contribution.parse(block)),
  ].join("\n\n");
  return Result.parse({
    status: "ok",
    objective_key: motion.objectiveKey,
    summary: own.recommendation,
    output,
    assumptions: [...assumptions],
    agent: { name: "company" },
  });
}

function critiqueOf(role: Role, { order }: Work): Result {
  const said = order.history.filter(({ kind }) => kind === CONTRIBUTION_KIND).flatMap(contributionIn);
  const found = critique(said, order.contract.objective);
  const names = (roles: readonly string[]): string => roles.map((one) => one.toUpperCase()).join(", ");
  const block: z.input<typeof Critique> = {
    suspicious_consensus:
      found.suspiciousConsensus === undefined
        ? []
        : [
            `${found.suspiciousConsensus.text} ${found.suspiciousConsensus.forceAgainst.toUpperCase()} should argue against it.`,
          ],
    unvalidated_assumptions: [
      ...found.sharedAssumptions.map(
        ({ assumption, roles }) => `${assumption} (assumed by ${names(roles)}, confirmed by nobody)`,
      ),
      ...found.contradictions.map(({ text }) => text),
    ],
    missing_voices: found.missing.map(({ role: missing, why }) => `${missing.toUpperCase()}: ${why}`),
    unnamed_risks:
      found.unnamedRisk === undefined
        ? []
        : [`${found.unnamedRisk.text} (${found.unnamedRisk.owner.toUpperCase()})`],
    out_of_domain: found.domainBleed.map(({ role: author, point }) => ({ role: author, point })),
  };
  const critic = Critique.parse(block);
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ["Suspicious consensus", critic.suspicious_consensus],
    ["Assumptions that nobody validated", critic.unvalidated_assumptions],
    ["Who is missing", critic.missing_voices],
    ["The risk nobody named", critic.unnamed_risks],
    [
      "Outside their domain",
      critic.out_of_domain.map(({ role: author, point }) => `${author.toUpperCase()}: "${point}"`),
    ],
  ];
  const points = sections.flatMap(([, lines]) => lines);
  return Result.parse({
    status: "ok",
    objective_key: order.objective_key,
    summary:
      points.length === 0
        ? `${role} has no objection to what ${said.length} contributions say`
        : points.slice(0, 3).join(" ").slice(0, 4_000),
    output: [
      ...sections.flatMap(([title, lines]) =>
        lines.length === 0 ? [] : [`**${title}**\n\n${lines.map((line) => `- ${line}`).join("\n")}`],
      ),
      fenced(critic),
    ].join("\n\n"),
    agent: { name: "company" },
  });
}

/** A contribution as the critic compares it; one that is not well-formed has nothing to compare. */
function contributionIn({ from, text }: HistoryEntry): BoardContribution[] {
  const role = INVOCABLE_ROLES.find((one) => one === from);
  if (role === undefined) return [];
  const result = Result.parse({ status: "ok", objective_key: "contribution", summary: "", output: text });
  const position = readContribution(role, result);
  if (position?.contribution === undefined) return [];
  const { key_points, recommendation, confidence, would_change_my_mind } = position.contribution;
  return [
    {
      role,
      keyPoints: key_points,
      recommendation,
      confidence,
      wouldChangeMyMind: would_change_my_mind,
      assumptions: position.assumptions,
    },
  ];
}

function fenced(value: object): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
