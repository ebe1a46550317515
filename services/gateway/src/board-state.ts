// Pure: where a board meeting stands, read from its run's view (board meeting, phase 5).
import type { RunView } from "./view.ts";

/** True while the founder has the word: nothing of the CEO's is awaited. */
export function waitsForFounder(view: RunView): boolean {
  return view.kind === "board" && view.board !== undefined && view.board.state !== "open";
}

/** True once the founder's word ends the meeting; a question does not. */
export function isDecided({ decision }: RunView): boolean {
  return decision !== undefined && decision.verb !== "ask";
}

/** When a board's root needs attention next, epoch ms; undefined: not before somebody speaks. @param deadline the root's */
export function rootTimer({ board }: RunView, deadline: number): number | undefined {
  if (board === undefined || board.state === "open") return deadline;
  return board.state === "awaiting-decision" ? board.decideBy : undefined;
}
