// Pure: phase 4: themes, conflicts named and not smoothed over, action items with owner and deadline, open questions.
import { addDays, workday } from "../dates.ts";
import { listed, oneLine } from "../format.ts";
import type { CsuiteRole } from "../owners.ts";
import { stanceOf, type Contribution } from "./contribution.ts";
import type { Critique } from "./critique.ts";
import type { Stance } from "./position.ts";

export interface ActionItem {
  readonly text: string;
  readonly owner: CsuiteRole;
  /** ISO date, a working day. */
  readonly deadline: string;
}

export interface Synthesis {
  readonly question: string;
  /** Three to five. */
  readonly themes: readonly {
    readonly title: string;
    readonly text: string;
    readonly roles: readonly CsuiteRole[];
  }[];
  /** Each names both sides. */
  readonly conflicts: readonly string[];
  /** Three to five. */
  readonly actions: readonly ActionItem[];
  readonly openQuestions: readonly string[];
  /** Where the board leans: the votes as counted, not a decision. */
  readonly leaning: string;
}

const FEWEST = 3;
const MOST = 5;
/** Days an action item is given: to check a number, to settle a conflict, to prepare a condition. */
const DAYS = { check: 7, settle: 10, prepare: 14 } as const;

const THEMES: readonly { readonly title: string; readonly roles: readonly CsuiteRole[] }[] = [
  { title: "Money", roles: ["cfo"] },
  { title: "Demand", roles: ["cro", "cmo"] },
  { title: "People and operations", roles: ["coo", "chro"] },
  { title: "Product and capacity", roles: ["cpo", "cto"] },
  { title: "Direction and risk", roles: ["ceo", "ciso"] },
];

const upper = (role: CsuiteRole): string => role.toUpperCase();
const bare = (text: string): string => text.replace(/\.$/, "");

/** What the founder gets to decide on; the same for the same input. `today` is an ISO date. */
export function synthesise(
  contributions: readonly Contribution[],
  critique: Critique,
  today: string,
): Synthesis {
  return {
    question: critique.question,
    themes: themesOf(contributions, critique),
    conflicts: conflictsOf(contributions, critique),
    actions: actionsOf(contributions, critique, today),
    openQuestions: questionsOf(contributions, critique),
    leaning: leaningOf(contributions),
  };
}

function themesOf(contributions: readonly Contribution[], critique: Critique): Synthesis["themes"] {
  const bled = new Set(critique.domainBleed.map(({ role, point }) => `${role}\n${point}`));
  const themes = THEMES.flatMap(({ title, roles }) => {
    const entries = contributions.filter(({ role }) => roles.includes(role));
    if (entries.length === 0) return [];
    const text = entries.map((entry) => {
      const point = entry.keyPoints.find((candidate) => !bled.has(`${entry.role}\n${candidate}`));
      return `${upper(entry.role)}: ${point === undefined ? bare(entry.recommendation) : bare(point)}`;
    });
    return [{ title, text: oneLine(`${text.join("; ")}.`, 800), roles: entries.map(({ role }) => role) }];
  });
  const all = contributions.map(({ role }) => role);
  const assumed = contributions.flatMap(({ assumptions }) => assumptions);
  const low = contributions.filter(({ confidence }) => confidence === "low").map(({ role }) => upper(role));
  // With few roles at the table what all have in common makes up the number.
  const common = [
    {
      title: "Assumptions",
      text:
        assumed.length === 0
          ? "Nothing was assumed."
          : `${assumed.length} assumptions carry the contributions, ${critique.sharedAssumptions.length} of them shared and confirmed by nobody.`,
      roles: all,
    },
    {
      title: "Confidence",
      text: low.length === 0 ? "Nobody's confidence is low." : `Confidence is low with ${listed(low)}.`,
      roles: all,
    },
    {
      title: "What would change minds",
      text: oneLine(
        contributions.length === 0
          ? "Nobody has contributed."
          : `${contributions.map((entry) => `${upper(entry.role)}: ${bare(entry.wouldChangeMyMind)}`).join("; ")}.`,
        800,
      ),
      roles: all,
    },
  ];
  return [...themes, ...common.slice(0, Math.max(0, FEWEST - themes.length))].slice(0, MOST);
}

function conflictsOf(contributions: readonly Contribution[], critique: Critique): readonly string[] {
  const of = (...stances: readonly Stance[]) =>
    contributions.filter((entry) => stances.includes(stanceOf(entry)));
  const opposed = of("against").flatMap((against) =>
    of("for", "conditional").map(
      (support) =>
        `${upper(support.role)} ("${bare(support.recommendation)}") against ${upper(against.role)} ("${bare(against.recommendation)}")`,
    ),
  );
  const conditions =
    opposed.length > 0
      ? []
      : of("conditional").flatMap((held) =>
          of("for")
            .slice(0, 1)
            .map(
              (free) =>
                `${upper(free.role)} would go now ("${bare(free.recommendation)}"), ${upper(held.role)} on a condition only ("${bare(held.recommendation)}")`,
            ),
        );
  return [...opposed, ...conditions, ...critique.contradictions.map(({ text }) => text)].map((text) =>
    oneLine(text, 900),
  );
}

function actionsOf(
  contributions: readonly Contribution[],
  critique: Critique,
  today: string,
): readonly ActionItem[] {
  const by = (days: number): string => workday(addDays(today, days));
  const wanted: ActionItem[] = [
    ...critique.contradictions.map(({ text, roles }) => ({
      text: `Settle the number: ${text}`,
      owner: roles[1],
      deadline: by(DAYS.check),
    })),
    ...critique.missing.map(({ role }) => ({
      text: `Give the view that was missing on: ${critique.question}`,
      owner: role,
      deadline: by(DAYS.check),
    })),
    ...contributions
      .filter((entry) => stanceOf(entry) === "conditional")
      .map((entry) => ({
        text: `Prove or drop the condition: ${bare(entry.recommendation)}`,
        owner: entry.role,
        deadline: by(DAYS.prepare),
      })),
    ...contributions
      .filter((entry) => stanceOf(entry) === "against")
      .map((entry) => ({
        text: `Say what would make it acceptable: ${bare(entry.wouldChangeMyMind)}`,
        owner: entry.role,
        deadline: by(DAYS.settle),
      })),
    ...(critique.unnamedRisk === undefined
      ? []
      : [
          {
            text: `Assess the risk nobody named: ${critique.unnamedRisk.text}`,
            owner: critique.unnamedRisk.owner,
            deadline: by(DAYS.prepare),
          },
        ]),
    ...critique.sharedAssumptions.map(({ assumption, roles }) => ({
      text: `Confirm or replace what ${listed(roles.map(upper))} assume: ${assumption}`,
      owner: roles[0] ?? "ceo",
      deadline: by(DAYS.check),
    })),
    ...contributions
      .filter((entry) => entry.assumptions.length > 0)
      .map((entry) => ({
        text: `Check the assumption: ${entry.assumptions[0] ?? ""}`,
        owner: entry.role,
        deadline: by(DAYS.check),
      })),
    ...contributions.map((entry) => ({
      text: `Watch, and report at the next meeting: ${bare(entry.wouldChangeMyMind)}`,
      owner: entry.role,
      deadline: by(DAYS.prepare),
    })),
    {
      text: "Write down when the decision is to be reviewed, and by which number",
      owner: "ceo",
      deadline: by(DAYS.prepare),
    },
    {
      text: `Put the numbers on "${critique.question}" into one page for the founder`,
      owner: "cfo",
      deadline: by(DAYS.settle),
    },
    { text: "Name one person who answers for the outcome", owner: "ceo", deadline: by(DAYS.check) },
  ];
  return fair(wanted.map((item) => ({ ...item, text: oneLine(item.text) })));
}

/** In the order of weight; no one gets a second item while others have none, so that no kind crowds out the rest. */
function fair(wanted: readonly ActionItem[]): readonly ActionItem[] {
  const unique = wanted.filter(
    (item, index) => wanted.findIndex((other) => other.text === item.text) === index,
  );
  const first = unique
    .filter((item, index) => unique.findIndex((other) => other.owner === item.owner) === index)
    .slice(0, MOST);
  const rest = unique.filter((item) => !first.includes(item));
  return [...first, ...rest.slice(0, Math.max(0, FEWEST - first.length))];
}

function questionsOf(contributions: readonly Contribution[], critique: Critique): readonly string[] {
  const missing = contributions.flatMap(({ role, keyPoints }) =>
    keyPoints
      .filter((point) => point.startsWith("Missing in company.yaml"))
      .map((point) => `${upper(role)}: ${point}`),
  );
  return [
    ...missing,
    ...critique.sharedAssumptions.map(({ assumption }) => `Is it so? ${assumption}`),
    ...(critique.unnamedRisk === undefined ? [] : [`Nobody named: ${critique.unnamedRisk.text}`]),
    ...contributions
      .filter((entry) => stanceOf(entry) !== "for")
      .map((entry) => `What would change the ${upper(entry.role)}'s mind: ${bare(entry.wouldChangeMyMind)}?`),
  ].map((text) => oneLine(text));
}

function leaningOf(contributions: readonly Contribution[]): string {
  const count = (stance: Stance) => contributions.filter((entry) => stanceOf(entry) === stance).length;
  return `${count("for")} for, ${count("conditional")} for under a condition, ${count("against")} against, ${count("undecided")} undecided`;
}
