// Pure: the CEO's own: the priorities, and whether a question is about one of them.
import { cannot, type Draft, type TopicInput } from "../draft.ts";

/** Words that say nothing about what a priority is about. */
const COMMON = new Set([
  "with",
  "from",
  "into",
  "that",
  "this",
  "than",
  "more",
  "less",
  "year",
  "next",
  "over",
  "before",
  "after",
  "should",
  "would",
]);

/** The priority that shares most words with a text, and its rank from 1; undefined where none shares any. */
export function priorityOf(text: string, priorities: readonly string[]) {
  const words = new Set(significant(text));
  let best: { readonly rank: number; readonly priority: string; readonly shared: number } | undefined;
  for (const [index, priority] of priorities.entries()) {
    const shared = significant(priority).filter((word) => words.has(word)).length;
    if (shared > (best?.shared ?? 0)) best = { rank: index + 1, priority, shared };
  }
  return best;
}

function significant(text: string): readonly string[] {
  return (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).filter((word) => !COMMON.has(word));
}

export function priorities({ figures, q }: TopicInput): Draft {
  const list = figures.situation.role === "ceo" ? (figures.situation.company.strategy?.priorities ?? []) : [];
  const [first] = list;
  if (first === undefined) {
    figures.missing.add("strategy.priorities");
    return cannot("What has priority", figures);
  }
  const match = priorityOf(q.text, list);
  return {
    finding:
      match === undefined
        ? `The first priority is: ${first}.`
        : `Priority ${match.rank} of ${list.length} is about this: ${match.priority}.`,
    data: [
      ...list.slice(0, 2).map((priority, index) => `Priority ${index + 1}: ${priority}`),
      list.length > 2 ? `Further priorities: ${list.slice(2).join("; ")}` : `Priorities set: ${list.length}`,
    ],
    confidence: "high",
    caveat: "Priorities are set for the year and change when the facts do.",
    computed: true,
  };
}
