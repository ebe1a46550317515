// The promise: a real Prometheus scrapes the firm, its queries return what a run did, every dashboard's query runs, and the rules hold.
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { freePort } from "../harness/nats.ts";
import { DASHBOARDS, grafanaJson, TARGETS } from "../../deploy/grafana/generate.ts";
import { metricsPage } from "../../deploy/prometheus/reference.ts";
import { answerOf, askRole } from "../harness/questions.ts";
import { startSystem, type FirmSystem } from "../harness/system.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const RULES = join(ROOT, "deploy/prometheus/rules.yml");
const program = (variable: string, name: string): string | undefined => {
  const path = process.env[variable] ?? name;
  return spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0 ? path : undefined;
};
const promtool = program("FIRM_PROMTOOL", "promtool");
const prometheus = program("FIRM_PROMETHEUS", "prometheus");
for (const [name, found] of Object.entries({ promtool, prometheus }))
  if (found === undefined)
    process.stderr.write(`prometheus.test.ts: ${name} is not here; its tests are skipped\n`);

describe("what is written from code", () => {
  it("docs/metrics.md is current", async () => {
    expect(readFileSync(join(ROOT, "docs/metrics.md"), "utf8")).toBe(await metricsPage());
  });

  it("the dashboards are current, here and in the chart; so are the chart's rules", () => {
    for (const target of TARGETS) {
      expect(readdirSync(target).toSorted()).toEqual(DASHBOARDS.map(({ uid }) => `${uid}.json`).toSorted());
      for (const dashboard of DASHBOARDS)
        expect(readFileSync(join(target, `${dashboard.uid}.json`), "utf8")).toBe(grafanaJson(dashboard));
    }
    expect(readFileSync(join(ROOT, "deploy/helm/firm/files/rules.yaml"), "utf8")).toBe(
      readFileSync(RULES, "utf8"),
    );
  });

  it("every alert has its runbook", () => {
    const Rules = z.object({
      groups: z.array(
        z
          .object({
            rules: z.array(
              z.object({ alert: z.string(), annotations: z.object({ runbook: z.string() }).loose() }).loose(),
            ),
          })
          .loose(),
      ),
    });
    const alerts = Rules.parse(parse(readFileSync(RULES, "utf8"))).groups.flatMap(({ rules }) => rules);
    for (const { alert, annotations } of alerts) {
      const text = readFileSync(join(ROOT, annotations.runbook), "utf8");
      expect([alert, text]).toEqual([alert, expect.stringContaining(alert)]);
      for (const part of ["## What it means", "## What to look at", "## What to do"])
        expect(text).toContain(part);
    }
  });
});

describe.skipIf(promtool === undefined)("promtool", () => {
  const run = (...args: string[]) =>
    execFileSync(promtool ?? "", args, { encoding: "utf8", cwd: join(ROOT, "deploy/prometheus") });
  it("finds the rules right, and each fires when it should", () => {
    expect(run("check", "rules", "rules.yml")).toContain("SUCCESS");
    expect(run("test", "rules", "rules.test.yml")).toContain("SUCCESS");
    expect(run("check", "config", "--syntax-only", "prometheus.yml")).toContain("SUCCESS");
  });
});

describe.skipIf(prometheus === undefined || promtool === undefined)("a real Prometheus", () => {
  let system: FirmSystem;
  let child: ChildProcess;
  let directory: string;
  let url: string;

  beforeAll(async () => {
    system = await startSystem({
      yaml: "agents: { default: scripted }\ndepartments:\n  - { name: engineering, services: [{ name: backend, employees: [{ name: implementer }] }] }\n",
      roles: ["ceo", "department:engineering", "service:backend", "employee:implementer", "cfo", "cro"],
    });
    directory = mkdtempSync(join(tmpdir(), "firm-prometheus-"));
    const names = [
      "gateway",
      "ceo",
      "department:engineering",
      "service:backend",
      "employee:implementer",
      "cfo",
      "cro",
    ];
    const targets = await Promise.all(names.map(async (name) => system.processesOf(name)[0]?.http()));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    writeFileSync(join(directory, "targets.json"), JSON.stringify([{ targets }]));
    writeFileSync(
      join(directory, "prometheus.yml"),
      `global: { scrape_interval: 250ms, evaluation_interval: 1s }\nrule_files: [${RULES}]\nscrape_configs:\n  - job_name: firm\n    file_sd_configs: [{ files: [targets.json] }]\n`,
    );
    child = spawn(
      prometheus ?? "",
      [
        `--config.file=${directory}/prometheus.yml`,
        `--storage.tsdb.path=${directory}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
        "--log.level=error",
      ],
      { stdio: "ignore" },
    );
    // Work, usage, a circular question and a blocked department: something for every panel.
    await system.script({
      "employee:implementer": [
        {
          do: "result",
          result: { output: "Built.", usage: { input_tokens: 100, output_tokens: 20, usd: 0.5 } },
        },
      ],
      cro: [
        { do: "result", result: { output: "[INVOKE:cfo|Runway?]" } },
        { do: "result", result: { output: answerOf("cro") } },
      ],
      cfo: [
        { do: "result", result: { output: "[INVOKE:cro|Deals?]" } },
        { do: "result", result: { output: answerOf("cfo") } },
      ],
    });
    await until(async () => (await query("sum(up)")) === 7);
  });
  afterAll(async () => {
    child.kill("SIGTERM");
    await new Promise((done) => child.once("exit", done));
    await system.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const Answer = z.object({
    data: z.object({
      result: z.array(
        z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) }),
      ),
    }),
  });
  async function series(expr: string): Promise<{ metric: Record<string, string>; value: number }[]> {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const body: unknown = await response.json();
    if (!response.ok) throw new Error(`${expr}: ${JSON.stringify(body)}`);
    return Answer.parse(body).data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  }
  async function query(expr: string): Promise<number | undefined> {
    return (await series(expr).catch(() => []))[0]?.value;
  }
  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((done) => setTimeout(done, 100));
  }

  it("returns what a run and a question did", async () => {
    const { run } = await system.objective({
      objective: "Build a payment API",
      budget: { usd: 1, spawns: 10 },
    });
    expect((await system.finished(run)).status).toBe("delivered");
    const asked = await askRole(system, "cro", "Watched?");
    await asked.reply;
    await asked.items();
    await until(
      async () =>
        (await query("sum(firm_invocations_total)")) === 3 &&
        (await query('sum(firm_runs_total{status="delivered"})')) === 1,
    );
    const expected: Record<string, number> = {
      'sum(firm_handoff_ends_total{role="department:engineering",status="ok"})': 1,
      "sum(firm_handoffs_issued_total)": 3,
      "sum(firm_spawns_total)": 3,
      'sum(firm_invocations_total{outcome="blocked"})': 1,
      'sum(firm_refusals_total{rule="circular-call"})': 1,
      'sum(firm_tokens_total{role="employee:implementer",agent="scripted",kind="input"})': 100,
      "sum(firm_tokens_total)": 120,
      'sum(firm_cost_usd_total{role="employee:implementer"})': 0.5,
      "sum(firm_run_budget_used_ratio_count)": 2,
      'sum(firm_run_budget_used_ratio_sum{budget="usd"})': 0.5,
      "sum(firm_run_spawns_left_sessions_sum)": 7,
      "max(firm_active_runs)": 0,
      "sum(firm_nats_connected)": 7,
      'sum(firm_asks_total{outcome="answered"})': 2,
    };
    const found = Object.fromEntries(
      await Promise.all(Object.keys(expected).map(async (expr) => [expr, await query(expr)] as const)),
    );
    expect(found).toEqual(expected);
  });

  it("sees work that waits, by role and age", async () => {
    await system.script({});
    const [worker] = system.processesOf("employee:implementer");
    await worker?.kill("SIGKILL");
    const { run } = await system.objective({ objective: "Wait for a worker" });
    await until(
      async () =>
        (await query('max(firm_queue_depth{role="employee:implementer"})')) === 1 &&
        ((await query('max(firm_queue_oldest_age_seconds{role="employee:implementer"})')) ?? 0) > 1,
    );
    await system.heal();
    await system.finished(run);
    await until(async () => (await query("max(firm_queue_depth)")) === undefined);
  });

  it.each(
    DASHBOARDS.flatMap(({ title, panels }) =>
      panels.flatMap((panel) =>
        panel.queries.map((one) => ({ name: `${title}: ${panel.title}: ${one.legend}`, ...one })),
      ),
    ),
  )("$name", async ({ expr, hasData }) => {
    const found = await series(expr.replaceAll("$__rate_interval", "1m"));
    if (hasData) expect(found).not.toEqual([]);
  });

  it("no alert fires on a firm that is well, and every process's metrics are well named", async () => {
    for (const name of ["gateway", "ceo", "cfo"]) {
      const text = await (await fetch(`http://${await system.processesOf(name)[0]?.http()}/metrics`)).text();
      const { status, stderr, stdout } = spawnSync(promtool ?? "", ["check", "metrics"], {
        input: text,
        encoding: "utf8",
      });
      // prom-client's own default metrics have one name that promtool would have otherwise.
      const own = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("firm_"));
      expect([name, own, [0, 3]]).toEqual([name, [], expect.arrayContaining([status])]);
      expect(text).not.toMatch(/01[0-9A-HJKMNP-TV-Z]{24}/);
    }
    const firing = await series('ALERTS{alertstate="firing"}');
    expect(
      firing.filter(({ metric }) => !["FirmRestartLoop", "FirmRefusals"].includes(metric["alertname"] ?? "")),
    ).toEqual([]);
  });
});
