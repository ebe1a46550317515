// Pure: the executive mentor's turn (phase 3): it quotes what was said and asks nobody (seed: agent-protocol, "Board Meeting Phase 3").
import { amountIn, oneLine, wordsAt } from "../format.ts";
import type { CsuiteRole } from "../owners.ts";
import { boardTopicOf, rolesForTopic } from "../topics.ts";
import { stanceOf, type Contribution } from "./contribution.ts";
import { riskUnnamed } from "./risks.ts";

export interface Critique {
  readonly question: string;
  /** Everybody says the same: phase 2 is to be run again with the strongest argument against. */
  readonly suspiciousConsensus: { readonly text: string; readonly forceAgainst: CsuiteRole } | undefined;
  /** Assumed by two or more, confirmed by nobody. */
  readonly sharedAssumptions: readonly {
    readonly assumption: string;
    readonly roles: readonly CsuiteRole[];
  }[];
  /** What one role assumes and another states otherwise. */
  readonly contradictions: readonly {
    readonly text: string;
    readonly roles: readonly [CsuiteRole, CsuiteRole];
  }[];
  /** Roles the topic concerns that have not contributed. */
  readonly missing: readonly { readonly role: CsuiteRole; readonly why: string }[];
  readonly unnamedRisk: { readonly text: string; readonly owner: CsuiteRole } | undefined;
  /** Points outside their author's domain; synthesis leaves them out. */
  readonly domainBleed: readonly {
    readonly role: CsuiteRole;
    readonly point: string;
    readonly belongsTo: CsuiteRole;
  }[];
}

/** Words of each domain; the CEO's is all of them. */
const DOMAINS: readonly (readonly [CsuiteRole, RegExp])[] = [
  ["cfo", /\b(?:runway|burn|cash|gross margin|budget|funding|cost)\b/i],
  ["cro", /\b(?:pipeline|quota|churn|arr|win rate|sales|deals?|revenue|customers lost)\b/i],
  ["cmo", /\b(?:marketing|leads?|campaigns?|cac|brand|acquir\w+|demand|channels?)\b/i],
  ["cpo", /\b(?:roadmap|adoption|accounts active|promoter|features?|product|user experience)\b/i],
  [
    "cto",
    /\b(?:engineer\w*|time on (?:roadmap|technical)|velocity|architecture|technical debt|estimates?|code|infrastructure)\b/i,
  ],
  [
    "chro",
    /\b(?:time to hire|attrition|headcount|offers? accepted|recruit\w*|hir(?:e|es|ing)|open positions|culture)\b/i,
  ],
  [
    "coo",
    /\b(?:onboard\w*|operations?|operational|process\w*|launch|loaded cost|ramp|entry cost|to enter|monthly cost)\b/i,
  ],
  [
    "ciso",
    /\b(?:incidents?|complian\w+|vulnerabilit\w+|findings?|security|breach\w*|certif\w+|uptime|time to recover)\b/i,
  ],
];

/** What the mentor finds in all contributions at once; the same for the same input. */
export function critique(contributions: readonly Contribution[], question: string): Critique {
  const present = new Set(contributions.map(({ role }) => role));
  return {
    question,
    suspiciousConsensus: consensus(contributions),
    sharedAssumptions: shared(contributions),
    contradictions: contradictions(contributions),
    missing: rolesForTopic(question)
      .filter((role) => !present.has(role))
      .map((role) => ({
        role,
        why: `${boardTopicOf(question)} concerns the ${role.toUpperCase()}, who has not contributed`,
      })),
    unnamedRisk: riskUnnamed(boardTopicOf(question), contributions.map(wordsOf).join("\n")),
    domainBleed: contributions.flatMap(bleed),
  };
}

/** All that a contribution says. */
function wordsOf(entry: Contribution): string {
  return [...entry.keyPoints, entry.recommendation, entry.wouldChangeMyMind, ...entry.assumptions].join("\n");
}

function consensus(contributions: readonly Contribution[]): Critique["suspiciousConsensus"] {
  const [first] = contributions;
  if (first === undefined || contributions.length < 2) return undefined;
  const stance = stanceOf(first);
  if (stance === "undecided" || contributions.some((entry) => stanceOf(entry) !== stance)) return undefined;
  // Who is least sure has most to say against it.
  const rank = { low: 0, medium: 1, high: 2 } as const;
  const least = contributions.reduce(
    (low, entry) => (rank[entry.confidence] < rank[low.confidence] ? entry : low),
    first,
  );
  const what = stance === "conditional" ? "for it under conditions" : stance;
  return {
    text: `All ${contributions.length} are ${what}: nobody has argued the other side.`,
    forceAgainst: least.role,
  };
}

interface Claim {
  readonly role: CsuiteRole;
  readonly label: string;
  readonly value: number;
  readonly shown: string;
  readonly text: string;
}

/** `Gross margin: 78% (…)` → label and value. */
function claims(role: CsuiteRole, texts: readonly string[]): readonly Claim[] {
  return texts.flatMap((text) =>
    text.split("; ").flatMap((part) => {
      const colon = part.indexOf(": ");
      const shown = part.slice(colon + 2);
      const value = colon < 1 ? undefined : amountIn(shown);
      const brief = shown.split(/[,(]/)[0]?.trim() ?? shown;
      return value === undefined ? [] : [{ role, label: part.slice(0, colon), value, shown: brief, text }];
    }),
  );
}

/** How the question was read is no assumption about the company. */
const ABOUT_QUESTION = /\(the question names\b/;

function shared(contributions: readonly Contribution[]): Critique["sharedAssumptions"] {
  const byLabel = new Map<string, { assumption: string; roles: Set<CsuiteRole> }>();
  for (const { role, assumptions } of contributions) {
    for (const text of assumptions.filter((entry) => !ABOUT_QUESTION.test(entry))) {
      const label = (text.split(": ")[0] ?? text).toLowerCase();
      const entry = byLabel.get(label) ?? { assumption: oneLine(text, 300), roles: new Set<CsuiteRole>() };
      entry.roles.add(role);
      byLabel.set(label, entry);
    }
  }
  return [...byLabel.values()]
    .filter(({ roles }) => roles.size > 1)
    .map(({ assumption, roles }) => ({ assumption, roles: [...roles] }));
}

function contradictions(contributions: readonly Contribution[]): Critique["contradictions"] {
  const assumed = contributions.flatMap(({ role, assumptions }) =>
    claims(
      role,
      assumptions.filter((entry) => !ABOUT_QUESTION.test(entry)),
    ),
  );
  const stated = contributions.flatMap(({ role, keyPoints }) =>
    claims(role, keyPoints).filter(({ text }) => !text.includes("(assumed)")),
  );
  return assumed.flatMap((claim) =>
    stated
      .filter(
        (other) =>
          other.role !== claim.role &&
          other.label.toLowerCase() === claim.label.toLowerCase() &&
          other.value !== claim.value,
      )
      .slice(0, 1)
      .map((other) => ({
        text: `The ${claim.role.toUpperCase()} assumes "${claim.label}" to be ${claim.shown}, which contradicts the ${other.role.toUpperCase()}'s ${other.shown}`,
        roles: [claim.role, other.role] as const,
      })),
  );
}

function bleed({ role, keyPoints }: Contribution): Critique["domainBleed"] {
  if (role === "ceo") return [];
  const own = DOMAINS.find(([owner]) => owner === role)?.[1];
  return keyPoints.flatMap((point) => {
    // An assumption about another's number is what isolation asks for.
    const flagged = wordsAt(point.toLowerCase(), "assumption") >= 0 || point.includes("(assumed)");
    if (
      flagged ||
      point.startsWith("Missing in company.yaml") ||
      point.startsWith("Strongest argument") ||
      own?.test(point) === true
    )
      return [];
    const other = DOMAINS.find(([owner, words]) => owner !== role && words.test(point));
    return other === undefined ? [] : [{ role, point, belongsTo: other[0] }];
  });
}
