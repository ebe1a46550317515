// Pure: the risks a board should have named, by topic; the first that nobody named is the one the mentor names.
import type { CsuiteRole } from "../owners.ts";
import type { BoardTopic } from "../topics.ts";

interface Risk {
  readonly words: RegExp;
  readonly text: string;
  readonly owner: CsuiteRole;
}

const FOCUS: Risk = {
  words: /\b(?:attention|focus|distract\w*|opportunity cost|instead of)\b/i,
  text: "Opportunity cost: what the same people and money would bring elsewhere",
  owner: "ceo",
};
const EXIT: Risk = {
  words: /\b(?:exit|undo|revers\w+|stop criteri\w+|kill criteri\w+|withdraw\w*)\b/i,
  text: "No way back: when it is to be stopped, and what that costs",
  owner: "ceo",
};

const RISKS: Readonly<Record<BoardTopic, readonly Risk[]>> = {
  "market expansion": [
    {
      words: /\b(?:regulat\w+|legal|complian\w+|gdpr|licen[cs]\w+|tax)\b/i,
      text: "Regulation, tax and compliance in the new market",
      owner: "ciso",
    },
    {
      words: /\b(?:compet\w+|incumbents?|rivals?)\b/i,
      text: "Local competitors and what customers there use today",
      owner: "cmo",
    },
    EXIT,
    FOCUS,
  ],
  pricing: [
    {
      words: /\b(?:grandfather\w*|contracts?|renewals?)\b/i,
      text: "Contracts that run: which customers can be moved to the new price, and when",
      owner: "cro",
    },
    { words: /\b(?:compet\w+|rivals?)\b/i, text: "Competitors' answer to the new price", owner: "cmo" },
    EXIT,
  ],
  hiring: [
    {
      words: /\b(?:onboard\w*|ramp)\b/i,
      text: "Onboarding: the time of those who already work here",
      owner: "coo",
    },
    {
      words: /\b(?:manager\w*|span of control|leadership)\b/i,
      text: "Leadership: who manages the new people",
      owner: "chro",
    },
    EXIT,
  ],
  technology: [
    { words: /\b(?:lock-?in|vendor)\b/i, text: "Dependence on a vendor that cannot be left", owner: "cto" },
    {
      words: /\b(?:migrat\w+|downtime|data loss|rollback)\b/i,
      text: "Migration: downtime and the way back",
      owner: "cto",
    },
    FOCUS,
  ],
  "product direction": [
    {
      words: /\b(?:existing customers|cannibal\w*|deprecat\w+)\b/i,
      text: "Existing customers: what they lose when the direction changes",
      owner: "cpo",
    },
    { words: /\b(?:compet\w+|rivals?)\b/i, text: "Competitors who already do this", owner: "cmo" },
    FOCUS,
  ],
  general: [FOCUS, EXIT],
};

/** The first risk of the topic's list that no contribution names; undefined where all are named. */
export function riskUnnamed(
  topic: BoardTopic,
  said: string,
): { readonly text: string; readonly owner: CsuiteRole } | undefined {
  const risk = RISKS[topic].find(({ words }) => !words.test(said));
  return risk === undefined ? undefined : { text: risk.text, owner: risk.owner };
}
