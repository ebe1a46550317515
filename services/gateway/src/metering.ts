// Owns what the gateway counts of the log: each event by the replica that stored it, so that the sum over replicas is right.
import { ROOT_HANDOFF, type HandoffEnded, type RunEvent, type RunFinished } from "@firm/protocol";
import { rootTimer } from "./board-state.ts";
import type { Activity, QueueState } from "./gauges.ts";
import { BUDGETS, type GatewayMetrics } from "./metrics.ts";
import type { RunView } from "./view.ts";

/**
 * Counts what an event says: of runs, handoffs, sessions, tokens, money, budgets and meetings.
 * @param view the run, the event applied
 * @param spawnLimit of a run
 */
export function meter(metrics: GatewayMetrics, view: RunView, event: RunEvent, spawnLimit: number): void {
  switch (event.type) {
    case "accepted":
      if (view.kind !== "ask") metrics.runsAccepted.inc();
      return;
    case "handoff":
      metrics.handoffs.inc({ role: event.contract.to });
      if (event.spawned) metrics.spawns.inc();
      return;
    case "session":
      metrics.jointSessions.inc();
      metrics.spawns.inc();
      return;
    case "end":
      meterEnd(metrics, view, event);
      meterUsage(metrics, view, event);
      return;
    case "late":
      metrics.late.inc({ role: event.role });
      return;
    case "board":
      metrics.boards.inc({ state: event.state });
      return;
    case "finished":
      if (view.kind !== "ask") meterRun(metrics, view, event, spawnLimit);
      return;
    case "started":
    case "checkpoint":
    case "message":
    case "refused":
    case "control":
    case "invocations":
      return;
  }
}

function meterEnd(metrics: GatewayMetrics, view: RunView, { handoff, role, status, at }: HandoffEnded): void {
  metrics.handoffEnds.inc({ role, status });
  if (status === "timeout") metrics.deadlineMisses.inc({ role });
  const issuedAt = view.handoffs.get(handoff)?.issuedAt;
  if (issuedAt !== undefined) metrics.handoffSeconds.observe({ role }, (at - issuedAt) / 1_000);
}

/** Agents whose names become labels; a worker could say a new one each time. */
const MAX_AGENTS = 32;
const AGENT_NAME = /^[a-z0-9][a-z0-9:._-]{0,63}$/;
const agents = new Set<string>();

/** A worker's word for its agent, as a label that cannot grow without bound. */
export function agentLabel(name: string | undefined, known: Set<string> = agents): string {
  if (name === undefined) return "unknown";
  if (!AGENT_NAME.test(name) || (!known.has(name) && known.size >= MAX_AGENTS)) return "other";
  known.add(name);
  return name;
}

/** A delegating role's usage holds that of its reports: only what is its own is counted. */
function meterUsage(metrics: GatewayMetrics, view: RunView, { handoff, role, result }: HandoffEnded): void {
  if (result?.usage === undefined) return;
  const below = [...view.handoffs.values()]
    .filter(({ parent }) => parent === handoff)
    .map(({ ended }) => ended?.result?.usage);
  const own = (field: "input_tokens" | "cached_tokens" | "output_tokens" | "usd"): number =>
    Math.max(0, (result.usage?.[field] ?? 0) - below.reduce((sum, usage) => sum + (usage?.[field] ?? 0), 0));
  const labels = { role, agent: agentLabel(result.agent?.name) };
  const count = (kind: string, amount: number): void => {
    if (amount > 0) metrics.tokens.inc({ ...labels, kind }, amount);
  };
  count("input", own("input_tokens"));
  count("cached", own("cached_tokens"));
  count("output", own("output_tokens"));
  const usd = own("usd");
  if (usd > 0) metrics.cost.inc(labels, usd);
}

function meterRun(
  metrics: GatewayMetrics,
  view: RunView,
  { at, status }: RunFinished,
  spawnLimit: number,
): void {
  const seconds = (at - view.acceptedAt) / 1_000;
  metrics.runs.inc({ status });
  metrics.runSeconds.observe({ status }, seconds);
  const { budget } = view.objective;
  // The CEO's own session is there from the start.
  const spawns = Math.max(0, view.sessions.size - 1);
  metrics.spawnsLeft.observe(Math.max(0, Math.min(spawnLimit, budget.spawns ?? spawnLimit) - spawns));
  const spent: Record<(typeof BUDGETS)[number], number> = { ...view.spent, spawns, seconds };
  for (const name of BUDGETS) {
    const limit = budget[name];
    if (limit !== undefined && limit > 0) metrics.budgetUsed.observe({ budget: name }, spent[name] / limit);
  }
}

/** Pure: what waits in each role's queue. @param now epoch ms */
export function queuesOf(views: Iterable<RunView>, now: number): ReadonlyMap<string, QueueState> {
  const queues = new Map<string, QueueState>();
  for (const view of views) {
    if (view.finished !== undefined) continue;
    for (const { id, role, started, ended, issuedAt } of view.handoffs.values()) {
      if (id === ROOT_HANDOFF || started || ended !== undefined) continue;
      const { depth, oldestSeconds } = queues.get(role) ?? { depth: 0, oldestSeconds: 0 };
      queues.set(role, {
        depth: depth + 1,
        oldestSeconds: Math.max(oldestSeconds, (now - issuedAt) / 1_000),
      });
    }
  }
  return queues;
}

/** Pure: the runs that have not ended. A board that waits for its founder is overdue once the founder's time is. @param now epoch ms */
export function activityOf(views: Iterable<RunView>, now: number): Activity {
  const byKind = new Map<string, number>([
    ["run", 0],
    ["board", 0],
    ["ask", 0],
  ]);
  let overdue = 0;
  for (const view of views) {
    if (view.finished !== undefined) continue;
    byKind.set(view.kind, (byKind.get(view.kind) ?? 0) + 1);
    const until = rootTimer(view, view.handoffs.get(ROOT_HANDOFF)?.deadline ?? view.deadline);
    if (until !== undefined && until < now) overdue++;
  }
  return { byKind, overdue };
}
