// Owns the gateway's metrics; labels are roles, verbs, rules and outcomes, never a run.
import { END_STATUSES, RUN_END_STATUSES, STREAMS, type Role } from "@firm/protocol";
import { Counter, Histogram, type Registry } from "prom-client";

const DECISION_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1];
const RUN_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

export interface GatewayMetrics {
  readonly runsAccepted: Counter;
  readonly runs: Counter<"status">;
  readonly runSeconds: Histogram<"status">;
  readonly handoffs: Counter<"role">;
  readonly handoffEnds: Counter<"role" | "status">;
  readonly handoffSeconds: Histogram<"role">;
  readonly deadlineMisses: Counter<"role">;
  readonly late: Counter<"role">;
  readonly spawns: Counter;
  readonly retries: Counter<"role">;
  readonly invocations: Counter<"role" | "outcome">;
  readonly assumptions: Counter<"role">;
  readonly chainDepth: Histogram;
  readonly refusals: Counter<"verb" | "rule">;
  readonly decisionSeconds: Histogram<"verb">;
  readonly deadLetters: Counter<"stream">;
  readonly tokens: Counter<"role" | "agent" | "kind">;
  readonly cost: Counter<"role" | "agent">;
  readonly spawnsLeft: Histogram;
  readonly budgetUsed: Histogram<"budget">;
  readonly jointSessions: Counter;
  readonly boards: Counter<"state">;
}

/** Budgets that an objective can set. */
export const BUDGETS = ["usd", "tokens", "invocations", "spawns", "seconds"] as const;

/**
 * Registers the gateway's own metrics beside those of every process.
 * @param roles the roles of the org chart, whose counters start at 0
 */
export function createGatewayMetrics(registry: Registry, roles: readonly Role[]): GatewayMetrics {
  const metrics = define(registry);
  // A counter that appears with its first event has not increased in Prometheus' eyes, and no alert would see that event.
  for (const status of RUN_END_STATUSES) metrics.runs.inc({ status }, 0);
  for (const stream of [STREAMS.work, STREAMS.objectives]) metrics.deadLetters.inc({ stream }, 0);
  for (const budget of BUDGETS) metrics.budgetUsed.zero({ budget });
  for (const role of roles) {
    if (role === "ceo") continue;
    metrics.deadlineMisses.inc({ role }, 0);
    for (const status of END_STATUSES) metrics.handoffEnds.inc({ role, status }, 0);
  }
  return metrics;
}

function define(registry: Registry): GatewayMetrics {
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: T[] = []): Counter<T> =>
    new Counter({ name, help, labelNames, registers });
  return {
    runsAccepted: counter("firm_runs_accepted_total", "Objectives accepted as runs"),
    runs: counter("firm_runs_total", "Runs ended, by status", ["status"]),
    runSeconds: new Histogram({
      name: "firm_run_duration_seconds",
      help: "From acceptance to the end of a run",
      labelNames: ["status"],
      buckets: RUN_BUCKETS,
      registers,
    }),
    handoffs: counter("firm_handoffs_issued_total", "Handoffs dispatched, by receiving role", ["role"]),
    handoffEnds: counter("firm_handoff_ends_total", "Handoffs ended, by role and status", ["role", "status"]),
    handoffSeconds: new Histogram({
      name: "firm_handoff_dispatch_to_end_seconds",
      help: "From dispatch to the end of a handoff, queueing and retries included",
      labelNames: ["role"],
      buckets: RUN_BUCKETS,
      registers,
    }),
    deadlineMisses: counter("firm_deadline_misses_total", "Handoffs ended by their deadline", ["role"]),
    late: counter("firm_late_results_total", "Results that came after their handoff's end", ["role"]),
    spawns: counter("firm_spawns_total", "Sessions spawned"),
    retries: counter(
      "firm_handoff_retries_total",
      "Handoffs taken again after their worker was lost, under a new attempt",
      ["role"],
    ),
    invocations: counter("firm_invocations_total", "Invocations, by role asked and outcome", [
      "role",
      "outcome",
    ]),
    assumptions: counter("firm_assumptions_total", "Assumptions stated instead of an answer", ["role"]),
    chainDepth: new Histogram({
      name: "firm_invocation_chain_depth_hops",
      help: "Hops an allowed invocation makes its chain long",
      buckets: [0, 1, 2],
      registers,
    }),
    refusals: counter(
      "firm_refusals_total",
      "Requests refused, by rule and verb; what users ask has the verbs `objective`, `control` and `ask`",
      ["verb", "rule"],
    ),
    decisionSeconds: new Histogram({
      name: "firm_gateway_decision_seconds",
      help: "From a request's arrival to its answer, the waiting of collect left out",
      labelNames: ["verb"],
      buckets: DECISION_BUCKETS,
      registers,
    }),
    deadLetters: counter("firm_dead_letters_total", "Messages moved to the dead letter queue", ["stream"]),
    tokens: counter("firm_tokens_total", "Tokens that agents used, by kind: input, cached, output", [
      "role",
      "agent",
      "kind",
    ]),
    cost: counter("firm_cost_usd_total", "US dollars that agents say they cost", ["role", "agent"]),
    spawnsLeft: new Histogram({
      name: "firm_run_spawns_left_sessions",
      help: "Sessions that a run could still have spawned at its end",
      buckets: [0, 1, 2, 5, 8, 10, 15, 20],
      registers,
    }),
    budgetUsed: new Histogram({
      name: "firm_run_budget_used_ratio",
      help: "Share of a budget that a run used, of runs that set one",
      labelNames: ["budget"],
      buckets: [0.1, 0.25, 0.5, 0.8, 0.9, 1, 1.25],
      registers,
    }),
    jointSessions: counter(
      "firm_joint_sessions_total",
      "Joint sessions of a blocked role and the one that blocks it",
    ),
    boards: counter("firm_board_phases_total", "Board meetings that reached a state of their decision", [
      "state",
    ]),
  };
}
