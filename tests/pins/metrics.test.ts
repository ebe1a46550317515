// Pins the names of metrics, on which dashboards and alerts stand, and holds them to Prometheus' conventions.
import { expect, it } from "vitest";
import { isTest, sourceFiles } from "../harness/sources.ts";

const NAMES = [
  "firm_active_runs",
  "firm_ask_duration_seconds",
  "firm_asks_total",
  "firm_agent_duration_seconds",
  "firm_build_info",
  "firm_dead_letter_queue_messages",
  "firm_dead_letters_total",
  "firm_deadline_misses_total",
  "firm_gateway_decision_seconds",
  "firm_gateway_request_duration_seconds",
  "firm_handoff_duration_seconds",
  "firm_handoff_ends_total",
  "firm_handoff_retries_total",
  "firm_handoffs_issued_total",
  "firm_handoffs_total",
  "firm_handoff_dispatch_to_end_seconds",
  "firm_invocation_chain_depth_hops",
  "firm_assumptions_total",
  "firm_inflight",
  "firm_invocations_total",
  "firm_late_results_total",
  "firm_nats_connected",
  "firm_nats_reconnects_total",
  "firm_permission_refusals_total",
  "firm_redeliveries_total",
  "firm_refusals_total",
  "firm_run_duration_seconds",
  "firm_runs_accepted_total",
  "firm_runs_total",
  "firm_slots",
  "firm_slots_in_use",
  "firm_overdue_runs",
  "firm_slow_consumers_total",
  "firm_supervisor_process_restarts_total",
  "firm_supervisor_process_up",
  "firm_spawns_total",
  "firm_agent_errors_total",
  "firm_board_phases_total",
  "firm_cost_usd_total",
  "firm_joint_sessions_total",
  "firm_nats_rtt_seconds",
  "firm_queue_depth",
  "firm_queue_oldest_age_seconds",
  "firm_run_budget_used_ratio",
  "firm_run_spawns_left_sessions",
  "firm_tokens_total",
];

/** Every metric name in the sources, with the text that follows it up to the end of its definition. */
const defined = sourceFiles("libs", "services")
  .filter((file) => !isTest(file.path))
  .flatMap((file) => [
    ...file.code.matchAll(/(?:new (\w+)\(\{\s*name: |\b(counter|gauge|histogram)\(\s*)"(firm_[a-z_]+)"/g),
  ])
  .map(([, type, helper, name]) => ({ name: name ?? "", type: (type ?? helper ?? "").toLowerCase() }));

it("names", () => {
  expect(defined.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
});

it("a counter ends in _total and nothing else does; a histogram ends in its unit", () => {
  const odd = defined.filter(
    ({ name, type }) =>
      name.endsWith("_total") !== (type === "counter") ||
      (type === "histogram" && !/_(?:seconds|bytes|hops|sessions|ratio)$/.test(name)),
  );
  expect(odd).toEqual([]);
});
