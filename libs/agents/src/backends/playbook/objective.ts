// Pure: what an objective's words say without a model: its kind, its topic, its parts, and which constraints bind.
import type { HandoffContract } from "@firm/protocol";

export type Kind = "audit" | "build" | "fix" | "document" | "migrate" | "test" | "release" | "other";

/** First match wins: an objective to "audit the build" is an audit. */
const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ["audit", /\b(?:audit|review|assess|analy[sz]e|inspect|evaluate|examine|check|report on|health)\b/i],
  ["fix", /\b(?:fix|repair|debug|resolve|correct|investigate)\b/i],
  ["migrate", /\b(?:migrate|upgrade|port|move|convert|replace|refactor|rewrite)\b/i],
  ["document", /\b(?:document|describe|explain|write (?:a |the )?(?:docs?|guide|readme|manual|tutorial))\b/i],
  ["release", /\b(?:release|ship|deploy|publish|launch|roll out)\b/i],
  ["test", /\b(?:test|cover|verify|benchmark)\b/i],
  ["build", /\b(?:build|create|implement|add|develop|design|make|write|introduce|extend)\b/i],
];

export function kindOf(objective: string): Kind {
  return KINDS.find(([, pattern]) => pattern.test(objective))?.[0] ?? "other";
}

const STOP = new Set(
  (
    "a an the and or of to in on for with from by as at is are be this that these those it its our your their all any every each into using use via not no only " +
    "audit review assess analyze analyse inspect evaluate examine check report fix repair debug resolve correct investigate migrate upgrade port move convert replace refactor " +
    "rewrite document describe explain write release ship deploy publish launch test cover verify build create implement add develop design make introduce extend please " +
    "repository repo project code codebase module modules system software application app whole entire full new current existing summary findings recommendations risks steps next severity"
  ).split(" "),
);

/** The words that carry the topic, in order, each once. */
export function topicWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[a-z][a-z0-9+#-]{2,}/g) ?? [];
  return [...new Set(words.filter((word) => !STOP.has(word)))].slice(0, 24);
}

/** True where a path or line speaks of one of the words: `auth.ts` for "authentication". */
export function concerns(text: string, words: readonly string[]): boolean {
  const tokens =
    text
      .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[a-z][a-z0-9]{2,}/g) ?? [];
  return words.some((word) => tokens.some((token) => sameStem(word, token)));
}

function sameStem(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short === long || stem(short) === stem(long)) return true;
  return short.length >= 4 && long.startsWith(short) && short.length * 4 >= long.length;
}

function stem(word: string): string {
  return word.replace(/(?:ations?|ings?|ers?|ed|es|s)$/, "");
}

/** The objective's parts: its list items, or its sentences and clauses. */
export function partsOf(objective: string): readonly string[] {
  const items = objective
    .split("\n")
    .flatMap((line) => /^\s*(?:[-*•]|\d+[.)])\s+(.+)$/.exec(line)?.[1] ?? []);
  if (items.length > 1) return items.slice(0, 20);
  const clauses = objective
    .split(/(?<=[.!?;])\s+|\n+|,?\s+and\s+(?=(?:then\s+)?[a-z]+\b)/i)
    .map((part) => part.trim().replace(/[.;]$/, ""));
  return clauses.filter((part) => part.length > 2).slice(0, 20);
}

/** The user's constraints, without the scope that the org chart adds for the role. */
export function constraintsOf(contract: HandoffContract): readonly string[] {
  return contract.constraints.filter((constraint) => !/^(?:scope:|resolution\b)/i.test(constraint));
}

/** The constraint that forbids writing, if there is one. */
export function readOnlyConstraint(contract: HandoffContract): string | undefined {
  return constraintsOf(contract).find(
    (constraint) =>
      /\bread[- ]?only\b|\b(?:no|without(?: any)?) (?:code |file |repository )?(?:changes?|writes?|modifications?|commits?|branch(?:es)?)\b(?! to (?:prod|main|master))|\b(?:do not|don't|never) (?:change|modify|write|touch|commit|edit)\b/i.test(
        constraint,
      ) && !/\bproduction\b/i.test(constraint),
  );
}

/** What a joint session decided for this role, if it did (seed: firm-orchestration, Phase 2). */
export function resolutionIn(contract: HandoffContract): string | undefined {
  return contract.constraints.findLast((constraint) => /^resolution\b/i.test(constraint));
}
