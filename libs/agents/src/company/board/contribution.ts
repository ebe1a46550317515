// Pure: one role's independent analysis in phase 2: own numbers, stated assumptions, nobody asked (seed: agent-protocol, "Isolation Rules").
import type { Confidence } from "../draft.ts";
import { Figures } from "../figures.ts";
import { listed, oneLine } from "../format.ts";
import type { CsuiteRole } from "../owners.ts";
import { particularsOf } from "../question.ts";
import type { Company } from "../schema.ts";
import type { PositionOf, Stance } from "./position.ts";
import { cfo, cmo, cro } from "./positions-money.ts";
import { chro, coo } from "./positions-people.ts";
import { ceo, ciso, cpo, cto } from "./positions-product.ts";

/** Key points a contribution may have: more of them paralyse a board. */
export const MOST_POINTS = 5;

export interface Contribution {
  readonly role: CsuiteRole;
  /** One to five. */
  readonly keyPoints: readonly string[];
  /** Begins with `Go:`, `Go if …:`, `Do not:` or `Undecided:`. */
  readonly recommendation: string;
  readonly confidence: Confidence;
  readonly wouldChangeMyMind: string;
  /** Each is to be flagged as `[ASSUMPTION: …]`. */
  readonly assumptions: readonly string[];
}

export interface ContributionInput {
  readonly role: CsuiteRole;
  readonly question: string;
  readonly company: Company;
  /** ISO date. */
  readonly today: string;
  /** Second round after a suspicious consensus: the strongest argument against it, whatever the role thinks. */
  readonly forceAgainst?: boolean;
}

const POSITIONS: Readonly<Record<CsuiteRole, PositionOf>> = { ceo, cfo, cro, cmo, cpo, cto, chro, coo, ciso };

/** A role's contribution; the same for the same input. */
export function contribution({
  role,
  question,
  company,
  today,
  forceAgainst = false,
}: ContributionInput): Contribution {
  const q = particularsOf(question, company, today);
  const figures = new Figures({ role, company, colleagues: [], phase: 2, chain: [role], rough: false });
  const position = POSITIONS[role]({ figures, q });
  const missing =
    figures.missing.size === 0 ? [] : [`Missing in company.yaml: ${listed([...figures.missing])}`];
  const argued = forceAgainst ? [`Strongest argument against: ${position.against}`] : [];
  const all = [...argued, ...position.points, ...missing]
    .map((point) => oneLine(point))
    .filter((point) => point !== "");
  const unique = [...new Set(all)];
  // What is missing must not fall off the end.
  const keyPoints =
    unique.length > MOST_POINTS && missing.length > 0
      ? [...unique.slice(0, MOST_POINTS - 1), unique.at(-1) ?? ""]
      : unique.slice(0, MOST_POINTS);
  const assumptions = [...figures.assumptions.values()];
  return {
    role,
    keyPoints:
      keyPoints.length > 0 ? keyPoints : [`The ${role.toUpperCase()} has no numbers on this in company.yaml`],
    recommendation: oneLine(
      forceAgainst
        ? `Do not: ${position.against}.`
        : `${opening(position.stance, position.condition)}: ${position.reason}.`,
    ),
    confidence:
      position.stance === "undecided" || missing.length > 0
        ? "low"
        : assumptions.length > 0 || forceAgainst || position.atMost === "medium"
          ? "medium"
          : "high",
    wouldChangeMyMind: oneLine(capital(`${position.wouldChange}.`)),
    assumptions,
  };
}

function opening(stance: Stance, condition: string | undefined): string {
  switch (stance) {
    case "for":
      return "Go";
    case "conditional":
      return `Go if ${condition ?? "the open points are settled"}`;
    case "against":
      return "Do not";
    case "undecided":
      return "Undecided";
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const AGAINST =
  /^\W*(?:do not|don't|not (?:now|yet)|no\b|reject|oppose|against|stop|wait|defer|postpone|hold off)/i;
const CONDITIONAL =
  /^\W*(?:go if|yes,? (?:but|if|provided)|conditional|only if|proceed if|approve if|go,? (?:but|provided))/i;
const FOR = /^\W*(?:go\b|yes\b|proceed|approve|support|do it|expand|hire|launch|raise|adopt)/i;

/** Which way a recommendation points, by how it begins; a language model's too. */
export function stanceOf({ recommendation }: Pick<Contribution, "recommendation">): Stance {
  if (AGAINST.test(recommendation)) return "against";
  if (CONDITIONAL.test(recommendation)) return "conditional";
  return FOR.test(recommendation) ? "for" : "undecided";
}
