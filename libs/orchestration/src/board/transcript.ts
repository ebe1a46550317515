// Pure: layer 1 of a board meeting's memory: who said what, raw; never a later meeting's context (board meeting, phase 6).
import type { Deliverable, HistoryEntry } from "@firm/protocol";
import { minutesOf } from "./deliverable.ts";

/** Kind of a history entry that is a role's contribution or the critique. */
export const CONTRIBUTION_KIND = "contribution";

/** The raw transcript. @param entries contributions and critique, oldest first */
export function boardTranscript(deliverable: Deliverable, entries: readonly HistoryEntry[]): string {
  const said = entries.map(
    ({ at, from, text }) => `## ${from.toUpperCase()} · ${new Date(at).toISOString()}\n\n${text.trim()}\n`,
  );
  return [
    `# Transcript: ${deliverable.objective}\n\nRun: ${deliverable.run}\n`,
    ...said,
    "---\n",
    minutesOf(deliverable),
  ].join("\n");
}
