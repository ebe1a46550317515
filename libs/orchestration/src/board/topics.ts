// Pure: who sits at the table, by the topic of the question (board meeting, phase 1: roles by topic).
import type { INVOCABLE_ROLES } from "@firm/protocol";
import { normalise } from "../words.ts";

/** A role that may sit on the board. */
export type BoardRole = (typeof INVOCABLE_ROLES)[number];

interface Topic {
  readonly name: string;
  readonly roles: readonly BoardRole[];
  readonly words: RegExp;
}

/** The one with most words in the question counts; of equals the first. */
const TOPICS: readonly Topic[] = [
  {
    name: "market expansion",
    roles: ["ceo", "cmo", "cfo", "cro", "coo"],
    words:
      /\b(?:expan\w*|markets?|countr\w*|regions?|international\w*|abroad|german\w*|france|europe\w*|asia|emea|dach|uk|launch in|enter\w*)\b/g,
  },
  {
    name: "pricing",
    roles: ["cmo", "cfo", "cro", "cpo"],
    words: /\b(?:pric\w*|discounts?|tiers?|packag\w*|freemium|monetis\w*|monetiz\w*|subscription fees?)\b/g,
  },
  {
    name: "hiring and organisation",
    roles: ["ceo", "chro", "cfo", "coo"],
    words:
      /\b(?:hir\w*|recruit\w*|headcount|layoffs?|lay off|team size|reorg\w*|organi[sz]ation\w*|salar\w*|compensation|onboarding)\b/g,
  },
  {
    name: "product direction",
    roles: ["ceo", "cpo", "cto", "cmo"],
    words: /\b(?:products?|features?|roadmap|ship\w*|mvp|user experience|beta)\b/g,
  },
  {
    name: "technology",
    roles: ["cto", "cpo", "cfo", "ciso"],
    words:
      /\b(?:technolog\w*|architecture|migrat\w*|cloud|platform|database|rewrite|infrastructure|security|kubernetes|technical debt|stack)\b/g,
  },
];

/** For a question of no known topic: what it means for money, sales and operations. */
const GENERAL: Omit<Topic, "words"> = { name: "general", roles: ["ceo", "cfo", "cro", "coo"] };

/** The topic of a question and the roles that it needs. */
export function topicOf(question: string): { readonly name: string; readonly roles: readonly BoardRole[] } {
  const text = normalise(question);
  const hits = TOPICS.map((topic) => ({ topic, count: text.match(topic.words)?.length ?? 0 }));
  const best = hits.reduce((a, b) => (b.count > a.count ? b : a));
  const { name, roles } = best.count === 0 ? GENERAL : best.topic;
  return { name, roles };
}

/** The roles of a meeting: those the user named, else by topic. */
export function participantsOf(objective: {
  readonly objective: string;
  readonly board?: { readonly roles?: readonly BoardRole[] | undefined } | undefined;
}): readonly BoardRole[] {
  return [...new Set(objective.board?.roles ?? topicOf(objective.objective).roles)];
}
