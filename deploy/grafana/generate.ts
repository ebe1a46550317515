// Owns `npm run dashboards`: the Grafana dashboards as code, written to deploy/grafana/dashboards and into the chart.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** One query of a panel. */
interface Query {
  readonly expr: string;
  readonly legend: string;
  /** A run of the offline firm leaves something to see. */
  readonly hasData: boolean;
}
export interface Panel {
  readonly title: string;
  readonly unit: "short" | "s" | "percentunit" | "reqps" | "bytes" | "currencyUSD" | "none";
  readonly kind: "timeseries" | "stat";
  readonly queries: readonly Query[];
}
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const q = (expr: string, legend = "", hasData = true): Query => ({ expr, legend, hasData });
const maybe = (expr: string, legend = ""): Query => q(expr, legend, false);
const lines = (title: string, unit: Panel["unit"], ...queries: Query[]): Panel => ({
  title,
  unit,
  kind: "timeseries",
  queries,
});
const stat = (title: string, unit: Panel["unit"], query: Query): Panel => ({
  title,
  unit,
  kind: "stat",
  queries: [query],
});
const p = (share: number, histogram: string, by = ""): string =>
  `histogram_quantile(${share}, sum by (le${by === "" ? "" : `, ${by}`}) (rate(${histogram}_bucket[$__rate_interval])))`;

export const DASHBOARDS: readonly Dashboard[] = [
  {
    uid: "firm-overview",
    title: "Firm: overview",
    panels: [
      stat("Active runs", "none", q("max(firm_active_runs)")),
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
        "Deadline misses",
        "reqps",
        maybe("sum by (role) (rate(firm_deadline_misses_total[$__rate_interval]))", "{{role}}"),
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
      lines("Queue depth", "short", maybe("max by (role) (firm_queue_depth)", "{{role}}")),
      lines(
        "Oldest work in a queue",
        "s",
        maybe("max by (role) (firm_queue_oldest_age_seconds)", "{{role}}"),
      ),
      lines(
        "Retries and redeliveries",
        "reqps",
        maybe("sum by (role) (rate(firm_handoff_retries_total[$__rate_interval]))", "{{role}} retried"),
        maybe("sum by (role) (rate(firm_redeliveries_total[$__rate_interval]))", "{{role}} redelivered"),
      ),
      lines(
        "Late results",
        "reqps",
        maybe("sum by (role) (rate(firm_late_results_total[$__rate_interval]))", "{{role}}"),
      ),
      lines(
        "Joint sessions, board decisions",
        "short",
        q("sum(increase(firm_joint_sessions_total[1h]))", "joint sessions"),
        maybe("sum by (state) (increase(firm_board_phases_total[1h]))", "board: {{state}}"),
      ),
    ],
  },
  {
    uid: "firm-gateway",
    title: "Firm: gateway and rules",
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
        maybe("sum by (role) (rate(firm_assumptions_total[$__rate_interval]))", "{{role}}"),
      ),
      lines(
        "Dead letters",
        "short",
        maybe("sum by (stream) (increase(firm_dead_letters_total[1h]))", "{{stream}}"),
      ),
    ],
  },
  {
    uid: "firm-agents",
    title: "Firm: agents and cost",
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
        maybe("sum by (role, code) (rate(firm_agent_errors_total[$__rate_interval]))", "{{role}}: {{code}}"),
      ),
      lines(
        "Tokens",
        "reqps",
        maybe("sum by (agent, kind) (rate(firm_tokens_total[$__rate_interval]))", "{{agent}} {{kind}}"),
      ),
      lines(
        "US dollars an hour",
        "currencyUSD",
        maybe("sum by (agent) (increase(firm_cost_usd_total[1h]))", "{{agent}}"),
      ),
      lines(
        "Share of budgets used",
        "percentunit",
        maybe(p(0.9, "firm_run_budget_used_ratio", "budget"), "{{budget}} p90"),
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
        maybe("sum by (operation) (increase(firm_permission_refusals_total[1h]))", "{{operation}}"),
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

/** A dashboard as Grafana imports it. */
export function grafanaJson({ uid, title, panels }: Dashboard): string {
  let y = 0;
  let x = 0;
  const placed = panels.map(({ title: name, unit, kind, queries }, index) => {
    const w = kind === "stat" ? 6 : 12;
    if (x + w > 24) {
      x = 0;
      y += 8;
    }
    const gridPos = { x, y, w, h: 8 };
    x += w;
    return {
      id: index + 1,
      type: kind,
      title: name,
      gridPos,
      datasource: { type: "prometheus", uid: "firm-prometheus" },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(({ expr, legend }, n) => ({
        refId: String.fromCharCode(65 + n),
        expr,
        legendFormat: legend,
      })),
    };
  });
  const dashboard = {
    uid,
    title,
    tags: ["firm"],
    schemaVersion: 41,
    editable: false,
    refresh: "10s",
    time: { from: "now-1h", to: "now" },
    panels: placed,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

/** Where the files go. */
export const TARGETS = ["dashboards", "../helm/firm/files/dashboards"].map((path) =>
  resolve(import.meta.dirname, path),
);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const target of TARGETS) {
    mkdirSync(target, { recursive: true });
    for (const dashboard of DASHBOARDS)
      writeFileSync(join(target, `${dashboard.uid}.json`), grafanaJson(dashboard));
  }
  process.stdout.write(`${DASHBOARDS.length} dashboards written\n`);
}
