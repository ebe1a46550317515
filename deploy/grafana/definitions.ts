// Pure: the dashboards, panel by panel.
import { lines, p, q, stat, type Dashboard } from "./panels.ts";

export const DASHBOARDS: readonly Dashboard[] = [
  {
    uid: "firm-overview",
    title: "Firm: overview",
    description: "How many runs there are, how they end, how long they take.",
    panels: [
      stat("Active runs", "none", q('max(firm_active_runs{kind="run"})')),
      stat("Runs delivered", "none", q('sum(firm_runs_total{status="delivered"})')),
      stat("Gateways", "none", q('count(firm_build_info{service="gateway"})')),
      stat("Roles", "none", q('count(firm_build_info{service!="gateway"})')),
      lines(
        "Runs by status",
        "reqps",
        q("sum by (status) (rate(firm_runs_total[$__rate_interval]))", "{{status}}"),
      ),
      lines(
        "Run duration",
        "s",
        q(p(0.5, "firm_run_duration_seconds"), "p50"),
        q(p(0.99, "firm_run_duration_seconds"), "p99"),
      ),
      lines(
        "Departments by outcome",
        "reqps",
        q(
          'sum by (status) (rate(firm_handoff_ends_total{role=~"department:.*"}[$__rate_interval]))',
          "{{status}}",
        ),
      ),
      lines(
        "Runs that have not ended",
        "short",
        q("max by (kind) (firm_active_runs)", "{{kind}}"),
        q("max(firm_overdue_runs)", "beyond their deadline"),
      ),
      lines(
        "Deadline misses",
        "reqps",
        q("sum by (role) (rate(firm_deadline_misses_total[$__rate_interval]))", "{{role}}"),
      ),
      lines(
        "Spawns left at a run's end",
        "short",
        q(p(0.1, "firm_run_spawns_left_sessions"), "p10"),
        q(p(0.5, "firm_run_spawns_left_sessions"), "p50"),
      ),
      lines(
        "Event loop delay",
        "s",
        q("max by (job) (nodejs_eventloop_lag_p99_seconds)", "p99, worst process"),
      ),
    ],
  },
  {
    uid: "firm-run",
    title: "Firm: what a run goes through",
    description:
      "The stations of a run, over all runs: metrics carry no run ids. A single run is in `firm status <run>`, in the log lines with its id, and in its trace.",
    panels: [
      lines(
        "Handoffs dispatched",
        "reqps",
        q("sum by (role) (rate(firm_handoffs_issued_total[$__rate_interval]))", "{{role}}"),
      ),
      lines(
        "From dispatch to end, by role",
        "s",
        q(p(0.9, "firm_handoff_dispatch_to_end_seconds", "role"), "{{role}} p90"),
      ),
      lines(
        "At the worker, by role",
        "s",
        q(p(0.9, "firm_handoff_duration_seconds", "role"), "{{role}} p90"),
      ),
      lines("Queue depth", "short", q("max by (role) (firm_queue_depth)", "{{role}}")),
      lines("Oldest work in a queue", "s", q("max by (role) (firm_queue_oldest_age_seconds)", "{{role}}")),
      lines(
        "Retries and redeliveries",
        "reqps",
        q("sum by (role) (rate(firm_handoff_retries_total[$__rate_interval]))", "{{role}} retried"),
        q("sum by (role) (rate(firm_redeliveries_total[$__rate_interval]))", "{{role}} redelivered"),
      ),
      lines(
        "Late results",
        "reqps",
        q("sum by (role) (rate(firm_late_results_total[$__rate_interval]))", "{{role}}"),
      ),
      lines(
        "Joint sessions, board decisions",
        "short",
        q("sum(increase(firm_joint_sessions_total[1h]))", "joint sessions"),
        q("sum by (state) (increase(firm_board_phases_total[1h]))", "board: {{state}}"),
      ),
    ],
  },
  {
    uid: "firm-gateway",
    title: "Firm: gateway and rules",
    description: "What the gateways decide, how fast, and what they refuse.",
    panels: [
      lines(
        "Decision time",
        "s",
        q(p(0.5, "firm_gateway_decision_seconds"), "p50"),
        q(p(0.99, "firm_gateway_decision_seconds"), "p99"),
      ),
      lines(
        "Decision time by verb",
        "s",
        q(p(0.99, "firm_gateway_decision_seconds", "verb"), "{{verb}} p99"),
      ),
      lines(
        "Requests",
        "reqps",
        q("sum by (verb) (rate(firm_gateway_decision_seconds_count[$__rate_interval]))", "{{verb}}"),
      ),
      lines(
        "Refusals by rule",
        "reqps",
        q("sum by (rule) (rate(firm_refusals_total[$__rate_interval]))", "{{rule}}"),
      ),
      lines(
        "Questions by outcome",
        "reqps",
        q("sum by (outcome) (rate(firm_invocations_total[$__rate_interval]))", "{{outcome}}"),
      ),
      lines("Hops of a chain", "short", q(p(0.9, "firm_invocation_chain_depth_hops"), "p90")),
      lines(
        "Assumptions instead of answers",
        "reqps",
        q("sum by (role) (rate(firm_assumptions_total[$__rate_interval]))", "{{role}}"),
      ),
      lines(
        "Dead letters",
        "short",
        q("max(firm_dead_letter_queue_messages)", "in the queue"),
        q("sum by (stream) (increase(firm_dead_letters_total[1h]))", "{{stream}}, in an hour"),
      ),
    ],
  },
  {
    uid: "firm-agents",
    title: "Firm: agents and cost",
    description: "What the agents take: time, tokens, money, slots; and their errors.",
    panels: [
      lines("Agent time", "s", q(p(0.9, "firm_agent_duration_seconds", "role"), "{{role}} p90")),
      lines(
        "Agent calls",
        "reqps",
        q("sum by (agent) (rate(firm_agent_duration_seconds_count[$__rate_interval]))", "{{agent}}"),
      ),
      lines(
        "Agent errors",
        "reqps",
        q("sum by (role, code) (rate(firm_agent_errors_total[$__rate_interval]))", "{{role}}: {{code}}"),
      ),
      lines(
        "Tokens a second",
        "short",
        q("sum by (agent, kind) (rate(firm_tokens_total[$__rate_interval]))", "{{agent}} {{kind}}"),
      ),
      lines(
        "US dollars an hour",
        "currencyUSD",
        q("sum by (agent) (increase(firm_cost_usd_total[1h]))", "{{agent}}"),
      ),
      lines(
        "Share of budgets used",
        "percentunit",
        q(p(0.9, "firm_run_budget_used_ratio", "budget"), "{{budget}} p90"),
      ),
      lines("Slots in use", "short", q("sum by (role) (firm_slots_in_use)", "{{role}}")),
      lines(
        "Questions answered",
        "reqps",
        q("sum by (role, outcome) (rate(firm_asks_total[$__rate_interval]))", "{{role}} {{outcome}}"),
      ),
    ],
  },
  {
    uid: "firm-nats",
    title: "Firm: NATS and processes",
    description: "The connections to NATS and the processes, as each process sees itself.",
    panels: [
      stat("Processes connected", "none", q("sum(firm_nats_connected)")),
      lines(
        "Round trip",
        "s",
        q("max(firm_nats_rtt_seconds)", "worst"),
        q("avg(firm_nats_rtt_seconds)", "mean"),
      ),
      lines("Reconnects", "short", q("sum(increase(firm_nats_reconnects_total[1h]))", "reconnects")),
      lines("Slow consumers", "short", q("sum(increase(firm_slow_consumers_total[1h]))", "slow consumers")),
      lines(
        "Permission refusals",
        "short",
        q("sum by (operation) (increase(firm_permission_refusals_total[1h]))", "{{operation}}"),
      ),
      lines(
        "Requests to the gateway, round trip",
        "s",
        q(p(0.99, "firm_gateway_request_duration_seconds", "verb"), "{{verb}} p99"),
      ),
      lines("Resident memory", "bytes", q("process_resident_memory_bytes", "{{instance}}")),
      lines(
        "Processor time",
        "percentunit",
        q("rate(process_cpu_seconds_total[$__rate_interval])", "{{instance}}"),
      ),
    ],
  },
];
