// The promise: a real Prometheus that scrapes a firm sees what it did: every metric moves, every panel shows something, no rule of a firm that is well fires.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DASHBOARDS } from "../../deploy/grafana/definitions.ts";
import { metricsPage } from "../../deploy/prometheus/reference.ts";
import { PROCESSES, startBusyFirm, type BusyFirm } from "../harness/busy-firm.ts";
import {
  askPromtool,
  prometheus,
  promtool,
  startPrometheus,
  type Prometheus,
} from "../harness/prometheus.ts";

const IMPLEMENTER = 'role="employee:implementer"';
/** What no healthy system shows; each has its unit test. */
const NEVER_HERE = ["firm_overdue_runs", "firm_slow_consumers_total"];

describe.skipIf(prometheus === undefined || promtool === undefined)("a firm that is watched", () => {
  let firm: BusyFirm;
  let watched: Prometheus;
  beforeAll(async () => {
    firm = await startBusyFirm();
    watched = await startPrometheus(firm.targets);
    await watched.until("sum(up)", (up) => up === PROCESSES);
  });
  afterAll(async () => {
    await watched.stop();
    await firm.system.stop();
  });
  const equals =
    (wanted: number) =>
    (value: number | undefined): boolean =>
      value === wanted;
  /** Each process is scraped at its own moment: asks until all are as expected. */
  async function expectValues(expected: Readonly<Record<string, number>>): Promise<void> {
    const found = async (): Promise<object> =>
      Object.fromEntries(
        await Promise.all(
          Object.keys(expected).map(async (expr) => [expr, await watched.value(expr)] as const),
        ),
      );
    await expect.poll(found, { timeout: 30_000 }).toEqual(expected);
  }

  it("a run: its end, handoffs, departments, sessions, tokens, money, budgets", async () => {
    await firm.deliver();
    await expectValues({
      'sum(firm_runs_total{status="delivered"})': 1,
      "sum(firm_runs_accepted_total)": 1,
      "sum(firm_run_duration_seconds_count)": 1,
      'sum(firm_handoff_ends_total{role="department:engineering",status="ok"})': 1,
      "sum(firm_handoff_ends_total)": 3,
      "sum(firm_handoffs_issued_total)": 3,
      "sum(firm_spawns_total)": 3,
      [`sum(firm_tokens_total{${IMPLEMENTER},agent="scripted",kind="input"})`]: 100,
      "sum(firm_tokens_total)": 120,
      [`sum(firm_cost_usd_total{${IMPLEMENTER}})`]: 0.5,
      "sum(firm_run_budget_used_ratio_count)": 2,
      'sum(firm_run_budget_used_ratio_sum{budget="usd"})': 0.5,
      "sum(firm_run_spawns_left_sessions_sum)": 7,
      "max(sum by (instance) (firm_active_runs))": 0,
      "sum(firm_nats_connected)": PROCESSES,
    });
  });

  it("a question that goes in a circle: its ends, the refusal, the assumption, the chain's hops", async () => {
    await firm.askInCircles();
    await expectValues({
      "sum(firm_invocations_total)": 3,
      'sum(firm_invocations_total{outcome="blocked"})': 1,
      'sum(firm_refusals_total{verb="invoke",rule="circular-call"})': 1,
      'sum(firm_asks_total{outcome="answered"})': 2,
      'sum(firm_assumptions_total{role="cfo"})': 1,
      "sum(firm_invocation_chain_depth_hops_sum)": 1,
      "sum(firm_runs_total)": 1,
    });
  });

  it("a joint session, an agent that fails, a board meeting", async () => {
    await firm.stumble();
    await firm.meet();
    await expectValues({
      'sum(firm_runs_total{status="delivered"})': 4,
      "sum(firm_joint_sessions_total)": 1,
      'sum(firm_board_phases_total{state="awaiting-decision"})': 1,
    });
    // Its worker is killed next; a rate needs two samples.
    await watched.until(
      `sum(count_over_time(firm_agent_errors_total{${IMPLEMENTER},code="agent-failed"}[5m]))`,
      (samples = 0) => samples > 1,
    );
  });

  it("a lost worker: one redelivery, one retry; and a late result", async () => {
    await firm.loseWorker();
    await expectValues({
      'sum(firm_runs_total{status="delivered"})': 5,
      [`sum(firm_handoff_retries_total{${IMPLEMENTER}})`]: 1,
      [`sum(firm_redeliveries_total{${IMPLEMENTER}})`]: 1,
    });
    await firm.bringLate();
    await expectValues({ [`sum(firm_late_results_total{${IMPLEMENTER}})`]: 1 });
  });

  it("work that waits, by role and age, and its deadline: missed once, whichever of two gateways saw it", async () => {
    await firm.leaveWaiting(async () => {
      await watched.until(
        `max(firm_queue_oldest_age_seconds{${IMPLEMENTER}})`,
        (age) => age !== undefined && age > 1,
      );
      expect(await watched.value(`max(firm_queue_depth{${IMPLEMENTER}})`)).toBe(1);
      expect(await watched.value('max(firm_active_runs{kind="run"})')).toBe(1);
    });
    await watched.until("max(firm_queue_depth)", (depth) => depth === undefined);
    await expectValues({
      "max(sum by (instance) (firm_active_runs))": 0,
      [`sum(firm_deadline_misses_total{${IMPLEMENTER}})`]: 1,
      [`sum(firm_handoff_ends_total{${IMPLEMENTER},status="timeout"})`]: 1,
    });
  });

  it("what users are refused, and an objective in the dead letter queue", async () => {
    const firing = await watched.series('ALERTS{alertstate="firing"}');
    expect(firing).toEqual([]);
    await firm.misuse();
    await expectValues({
      'sum(firm_refusals_total{verb="objective",rule="invalid-input"})': 1,
      'sum(firm_refusals_total{verb="control",rule="unknown-run"})': 1,
      'sum(firm_refusals_total{verb="ask",rule="unknown-role"})': 1,
      'sum(firm_dead_letters_total{stream="FIRM_OBJECTIVES"})': 1,
      'sum(firm_dead_letters_total{stream="FIRM_WORK"})': 0,
    });
    await watched.until("max(firm_dead_letter_queue_messages)", equals(1));
    await watched.until('count(ALERTS{alertname="FirmDeadLetters",alertstate="firing"})', equals(1));
  });

  it.each(["gateway", "ceo", "department:engineering", "service:backend", "employee:implementer", "cfo"])(
    "promtool finds nothing wrong with what %s says, and no label is a run",
    async (name) => {
      const address = await firm.system.processesOf(name)[0]?.http();
      const text = await (await fetch(`http://${address}/metrics`)).text();
      expect(askPromtool(["check", "metrics"], text)).toEqual({ ok: true, text: "" });
      expect(text).not.toMatch(/[0-9A-HJKMNP-TV-Z]{26}/);
    },
  );

  it("a restart of NATS: every process comes back, and a right that is gone is an alert", async () => {
    await firm.restartNats();
    await expectValues({
      "sum(firm_nats_reconnects_total)": PROCESSES,
      "sum(firm_nats_connected)": PROCESSES,
    });
    await watched.until('count(ALERTS{alertname="FirmPermissionRefusals",alertstate="firing"})', equals(1));
    const refused = await watched.series("firm_permission_refusals_total > 0");
    expect(refused.map(({ metric }) => metric["process"])).toEqual(["cfo"]);
  });

  it("every metric has moved", async () => {
    const rows = [...(await metricsPage()).matchAll(/^\| `(firm_\w+)` \| (\w+) \|/gm)]
      .map(([, name = "", type]) => ({ name, series: type === "histogram" ? `${name}_count` : name }))
      .filter(({ name }) => !name.startsWith("firm_supervisor_") && !NEVER_HERE.includes(name));
    expect(rows.length).toBeGreaterThan(35);
    const still = await Promise.all(
      rows.map(async ({ name, series }) => {
        const highest = await watched.value(`max(max_over_time(${series}[15m]))`);
        return highest !== undefined && highest > 0 ? [] : [name];
      }),
    );
    expect(still.flat()).toEqual([]);
  });

  it.each(
    DASHBOARDS.flatMap(({ title, panels }) =>
      panels.flatMap((panel) =>
        panel.queries.map(({ expr, legend }) => ({ name: `${title}: ${panel.title}: ${legend}`, expr })),
      ),
    ),
  )("$name", async ({ expr }) => {
    expect(await watched.range(expr.replaceAll("$__rate_interval", "1m"))).toBeGreaterThan(0);
  });
});
