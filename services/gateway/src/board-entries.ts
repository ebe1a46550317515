// Pure: what a board meeting's log holds of its roles' words (board meeting, phases 2, 3 and 6).
import {
  boardDeliverable,
  CHAIR,
  CONTRIBUTION_KIND,
  participantsOf,
  readContribution,
  readCritique,
} from "@firm/orchestration";
import { ROOT_HANDOFF, type Deliverable, type HistoryEntry, type Result } from "@firm/protocol";
import { CRITIC_PHASE, ISOLATED_PHASE } from "@firm/policy";
import type { RunView } from "./view.ts";

/** Characters of all contributions that travel with one work order. */
const ENTRIES_LIMIT = 262_144;

/** What each role contributed, oldest first; the CEO's own is its handoff's checkpoint. */
export function contributionsOf(view: RunView): HistoryEntry[] {
  return fitted([...ownEntry(view), ...entriesOf(view, ISOLATED_PHASE)].toSorted((a, b) => a.at - b.at));
}

/** Contributions and critique, oldest first. */
export function boardEntriesOf(view: RunView): HistoryEntry[] {
  return fitted([...contributionsOf(view), ...entriesOf(view, CRITIC_PHASE)]);
}

function entriesOf(view: RunView, phase: number): HistoryEntry[] {
  return [...view.handoffs.values()].flatMap(({ phase: own, role, ended }) => {
    const text = own === phase ? textOf(ended?.result) : "";
    return text === "" || ended === undefined
      ? []
      : [{ at: ended.at, from: role, kind: CONTRIBUTION_KIND, text }];
  });
}

function ownEntry(view: RunView): HistoryEntry[] {
  const text = textOf(view.handoffs.get(ROOT_HANDOFF)?.checkpoint?.result);
  return text === "" ? [] : [{ at: view.acceptedAt, from: CHAIR, kind: CONTRIBUTION_KIND, text }];
}

function textOf(result: Result | undefined): string {
  if (result === undefined) return "";
  return (result.output.trim() === "" ? result.summary : result.output).trim();
}

function fitted(entries: readonly HistoryEntry[]): HistoryEntry[] {
  const share = Math.floor(ENTRIES_LIMIT / Math.max(1, entries.length));
  return entries.map((entry) =>
    entry.text.length <= share
      ? entry
      : {
          ...entry,
          text: `${entry.text.slice(0, share)}\n[cut: ${entry.text.length - share} characters more]`,
        },
  );
}

/** The minutes of a meeting that ended before its draft: every contribution that is there, and who is missing. */
export function boardSoFar(view: RunView, reason: string): Deliverable {
  const participants = participantsOf(view.objective);
  const handoffs = [...view.handoffs.values()];
  const resultOf = (role: string): Result | undefined =>
    role === CHAIR
      ? view.handoffs.get(ROOT_HANDOFF)?.checkpoint?.result
      : handoffs.findLast(
          (one) => one.role === role && one.phase === ISOLATED_PHASE && one.ended?.result !== undefined,
        )?.ended?.result;
  const positions = participants.flatMap((role) => readContribution(role, resultOf(role)) ?? []);
  const critic = readCritique(handoffs.find(({ phase }) => phase === CRITIC_PHASE)?.ended?.result);
  return boardDeliverable({
    run: view.run,
    question: view.objective.objective,
    format: view.objective.delivery_format,
    date: new Date(view.acceptedAt).toISOString().slice(0, 10),
    participants,
    outcome: {
      positions,
      missing: participants
        .filter((role) => positions.every((position) => position.role !== role))
        .map((role) => ({ role, reason })),
      challenged: handoffs.some(({ phase, cycle }) => phase === ISOLATED_PHASE && cycle > 0),
      critic,
      results: positions.flatMap(({ role }) => resultOf(role) ?? []),
    },
    layer2: "",
    synthesise: () => ({
      themes: [],
      conflicts: [],
      decisions: [],
      action_items: [],
      open_questions: [reason],
    }),
  });
}
