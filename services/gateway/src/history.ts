// Pure: a session's history, read from the run's view (seed: firm-orchestration, `sessions_history`).
import type { HistoryEntry } from "@firm/protocol";
import type { HandoffView, RunView } from "./view.ts";

/** What was said in a session, oldest first. */
export function historyOf(view: RunView, session: string): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const handoff of view.handoffs.values()) {
    if (handoff.session !== session) continue;
    entries.push({
      at: handoff.issuedAt,
      from: handoff.contract?.from ?? "user",
      kind: "handoff",
      text: handoff.contract?.objective ?? view.objective.objective,
    });
    const end = endOf(handoff);
    if (end !== undefined) entries.push(end);
  }
  for (const { event } of view.messages) {
    if (event.type === "message" && event.session === session)
      entries.push({ at: event.at, from: event.from, kind: "message", text: event.text });
  }
  return entries.toSorted((a, b) => a.at - b.at);
}

function endOf({ ended, endedAt, role }: HandoffView): HistoryEntry | undefined {
  if (ended === undefined || endedAt === undefined) return undefined;
  const text = [ended.result?.summary, ended.result?.blocker, ended.reason].filter(Boolean).join("\n");
  return { at: endedAt, from: role, kind: ended.status, text: text === "" ? ended.status : text };
}
