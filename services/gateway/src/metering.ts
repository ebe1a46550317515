// Owns what the gateway counts of the log: each event by the replica that stored it, so that the sum over replicas is right.
import { ROOT_HANDOFF, type HandoffEnded, type RunEvent } from "@firm/protocol";
import type { GatewayMetrics, QueueState } from "./metrics.ts";
import type { RunView } from "./view.ts";

/** Counts what an event says of tokens, money, spawns, budgets and meetings. @param spawnLimit of a run */
export function meter(metrics: GatewayMetrics, view: RunView, event: RunEvent, spawnLimit: number): void {
  if (event.type === "end") meterUsage(metrics, view, event);
  else if (event.type === "session") metrics.jointSessions.inc();
  else if (event.type === "board") metrics.boards.inc({ state: event.state });
  else if (event.type === "finished" && view.kind !== "ask") meterRun(metrics, view, event.at, spawnLimit);
}

/** A delegating role's usage holds that of its reports: only what is its own is counted. */
function meterUsage(metrics: GatewayMetrics, view: RunView, { handoff, role, result }: HandoffEnded): void {
  if (result?.usage === undefined) return;
  const below = [...view.handoffs.values()]
    .filter(({ parent }) => parent === handoff)
    .map(({ ended }) => ended?.result?.usage);
  const own = (field: "input_tokens" | "cached_tokens" | "output_tokens" | "usd"): number =>
    Math.max(0, (result.usage?.[field] ?? 0) - below.reduce((sum, usage) => sum + (usage?.[field] ?? 0), 0));
  const labels = { role, agent: result.agent?.name ?? "unknown" };
  const count = (kind: string, amount: number): void => {
    if (amount > 0) metrics.tokens.inc({ ...labels, kind }, amount);
  };
  count("input", own("input_tokens"));
  count("cached", own("cached_tokens"));
  count("output", own("output_tokens"));
  const usd = own("usd");
  if (usd > 0) metrics.cost.inc(labels, usd);
}

function meterRun(metrics: GatewayMetrics, view: RunView, at: number, spawnLimit: number): void {
  const { budget } = view.objective;
  // The CEO's own session is there from the start.
  const spawns = Math.max(0, view.sessions.size - 1);
  metrics.spawnsLeft.observe(Math.max(0, Math.min(spawnLimit, budget.spawns ?? spawnLimit) - spawns));
  const used: Record<string, readonly [number, number | undefined]> = {
    usd: [view.spent.usd, budget.usd],
    tokens: [view.spent.tokens, budget.tokens],
    invocations: [view.spent.invocations, budget.invocations],
    spawns: [spawns, budget.spawns],
    seconds: [(at - view.acceptedAt) / 1_000, budget.seconds],
  };
  for (const [name, [spent, limit]] of Object.entries(used)) {
    if (limit !== undefined && limit > 0) metrics.budgetUsed.observe({ budget: name }, spent / limit);
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
