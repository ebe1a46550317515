// Pure: the whole chain of a question, from a run's log: who asked whom what, each answer, refusal and assumption.
import type { InvocationItem, RunEvent } from "@firm/protocol";

type Asked = Extract<InvocationItem, { state: "asked" }>;
type Ended = Extract<InvocationItem, { state: "ended" }>;

/** The items of all `invocations` events, in their order. */
export function itemsOf(events: readonly RunEvent[]): InvocationItem[] {
  return events.flatMap((event) => (event.type === "invocations" ? event.items : []));
}

/** The question that a question was asked in; undefined for a first one. A role asks while its own question is open. */
export function parentOf(items: readonly InvocationItem[], asked: Asked): Asked | undefined {
  const before = items.slice(0, items.indexOf(asked));
  const through = asked.chain.slice(0, -1).join("→");
  return before
    .filter((item) => item.state === "asked")
    .findLast(
      (item) =>
        item.chain.join("→") === through &&
        !before.some((end) => end.state === "ended" && end.id === item.id),
    );
}

/** The chain as indented text: questions in the order in which they were asked. */
export function chainText(events: readonly RunEvent[]): string {
  const items = itemsOf(events);
  const asked = items.filter((item) => item.state === "asked");
  const ends = new Map(
    items.flatMap((item): [string, Ended][] => (item.state === "ended" ? [[item.id, item]] : [])),
  );
  const lines: string[] = [];
  const walk = (item: Asked, depth: number): void => {
    const lead = "  ".repeat(depth);
    lines.push(`${lead}[CHAIN: ${item.chain.join(" → ")}]`, `${lead}[INVOKE:${item.role}|${item.question}]`);
    for (const child of asked.filter((one) => parentOf(items, one) === item)) walk(child, depth + 1);
    for (const one of items) {
      if (one.state === "assumed" && one.id === item.id) lines.push(`${lead}[ASSUMPTION: ${one.assumption}]`);
    }
    lines.push(...endText(ends.get(item.id)).map((line) => lead + line));
  };
  for (const item of asked.filter((one) => parentOf(items, one) === undefined)) walk(item, 0);
  return lines.join("\n");
}

function endText(end: Ended | undefined): string[] {
  if (end === undefined) return ["(no end yet)"];
  if (end.outcome === "answered") return (end.text ?? "").split("\n");
  return (end.reason ?? end.outcome).split("\n");
}
