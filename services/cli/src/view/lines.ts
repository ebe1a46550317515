// Pure: one plain line for an event, for pipes and logs.
import { ROOT_HANDOFF, type InvocationItem, type RunEvent } from "@firm/protocol";
import { endNote, type RunView } from "./run-view.ts";
import { duration, oneLine } from "./text.ts";

/** Longest line: what is longer belongs into the report. */
const WIDTH = 160;

/** The lines for an event; none for what only a tree shows. @param view before the event */
export function eventLines(view: RunView, event: RunEvent): string[] {
  // Who joins in the middle counts from there.
  const start = view.run === "" ? event.at : view.acceptedAt;
  const stamped = (at: number, text: string): string =>
    `${`+${duration(at - start)}`.padStart(7)}  ${oneLine(text, WIDTH)}`;
  if (event.type === "invocations") return event.items.map((item) => stamped(item.at, itemText(item)));
  const text = textOf(view, event);
  return text === undefined ? [] : [stamped(event.at, text)];
}

/** What a question, its end or an assumption says in one line. */
function itemText(item: InvocationItem): string {
  switch (item.state) {
    case "asked":
      return `${item.chain.length > 1 ? item.chain.slice(0, -1).join(" → ") : "asked"} → ${item.role}: ${item.question}`;
    case "assumed":
      return `${item.role} assumes: ${item.assumption}`;
    case "ended":
      return `${item.role} ${item.outcome}: ${endNote(item)}`;
  }
}

function textOf(view: RunView, event: RunEvent): string | undefined {
  const took = (handoff: string): string => {
    const node = view.nodes.get(handoff);
    return node === undefined ? "" : ` after ${duration(event.at - node.since)}`;
  };
  const because = (text: string | undefined): string =>
    text === undefined || text === "" ? "" : `: ${text}`;
  switch (event.type) {
    case "accepted":
      return `run ${event.run} accepted, ${duration(event.deadline - event.at)} to go: ${event.objective.objective}`;
    case "handoff":
      return `${event.contract.from} → ${event.contract.to}${event.cycle > 0 ? ` (again ${event.cycle})` : ""}`;
    case "started":
      return event.attempt > 1 || event.handoff === ROOT_HANDOFF
        ? `${event.role} works${event.attempt > 1 ? ` (attempt ${event.attempt})` : ""}`
        : undefined;
    case "checkpoint":
      return event.note === "" ? undefined : `${event.role} … ${event.note}`;
    case "end":
      return `${event.role} ${event.status}${took(event.handoff)}${because(event.reason ?? event.result?.summary)}`;
    case "late":
      return `${event.role} came too late (${event.code}): recorded, not merged`;
    case "session":
      return `session of ${event.participants.join(" and ")}: ${event.objective}`;
    case "message":
      return `${event.from} says in ${event.session}: ${event.text}`;
    case "refused":
      return `refused ${event.from} to ${event.verb} (${event.code}): ${event.reason}`;
    case "control":
      return `${event.verb}${because(event.reason)}`;
    case "finished": {
      const open = event.deliverable?.open_items.length ?? 0;
      const items = open === 0 ? "" : `, ${open} open item${open === 1 ? "" : "s"}`;
      return `run ${event.status}${items}${because(event.reason)}`;
    }
    case "board":
      return boardText(event);
    case "invocations":
      return undefined;
  }
}

function boardText(event: Extract<RunEvent, { type: "board" }>): string {
  const by = event.decide_by === undefined ? "" : ` until ${new Date(event.decide_by).toISOString()}`;
  switch (event.state) {
    case "open":
      return `board phase ${event.phase}`;
    case "awaiting-decision":
      return `the draft awaits the founder's decision${by}`;
    case "pending-review":
      return "nobody decided in time: pending review";
  }
}
