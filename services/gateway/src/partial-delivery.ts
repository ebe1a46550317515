// Pure: the deliverable of a run whose CEO did not deliver, merged from what the log has (DESIGN, rules 8 and 10).
import { mergeRun } from "@firm/orchestration";
import { ROOT_HANDOFF, type Deliverable } from "@firm/protocol";
import { boardSoFar } from "./board-entries.ts";
import type { Gateway } from "./deps.ts";
import type { HandoffView, RunView } from "./view.ts";

/** What each department has brought by now; what is open counts as its checkpoint, and is named. */
export function mergeWhatIsThere(
  gateway: Pick<Gateway, "chart">,
  view: RunView,
  reason: string,
): Deliverable {
  if (view.kind === "board") return view.board?.draft ?? boardSoFar(view, reason);
  const latest = new Map<string, HandoffView>();
  for (const handoff of view.handoffs.values()) {
    if (handoff.parent !== ROOT_HANDOFF || !gateway.chart.departments.includes(handoff.role)) continue;
    const before = latest.get(handoff.role);
    if (before === undefined || before.cycle <= handoff.cycle) latest.set(handoff.role, handoff);
  }
  const wanted = view.accepted.roles.filter((role) => gateway.chart.departments.includes(role));
  const outcomes = wanted.map((role) => {
    const handoff = latest.get(role);
    const status = handoff?.ended?.status ?? (view.cancelled ? "cancelled" : "timeout");
    return {
      role,
      status,
      result: handoff?.ended?.result ?? handoff?.checkpoint?.result,
      reason: handoff?.ended?.reason ?? reason,
      ...(handoff === undefined
        ? {}
        : { durationMs: Math.max(0, (handoff.endedAt ?? handoff.deadline) - handoff.issuedAt) }),
    };
  });
  return mergeRun({
    run: view.run,
    objective: view.objective,
    order: gateway.chart.departments,
    outcomes,
    blockers: [],
  });
}
