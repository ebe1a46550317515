// Pure: one plain line for an event, for pipes and logs.
import { ROOT_HANDOFF, type RunEvent } from "@firm/protocol";
import type { RunView } from "./run-view.ts";
import { duration, oneLine } from "./text.ts";

/** Longest line: what is longer belongs into the report. */
const WIDTH = 160;

/** The line for an event; undefined for what only a tree shows. @param view before the event */
export function eventLine(view: RunView, event: RunEvent): string | undefined {
  const text = textOf(view, event);
  if (text === undefined) return undefined;
  const since = event.type === "accepted" ? 0 : event.at - view.acceptedAt;
  return `${`+${duration(since)}`.padStart(7)}  ${oneLine(text, WIDTH)}`;
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
    // What is new in the log is shown once somebody has said how.
    default:
      return undefined;
  }
}
