// The promise: what is written for Prometheus and Grafana follows from the code, and the alerts fire when they should.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { DASHBOARDS } from "../../deploy/grafana/definitions.ts";
import { grafanaJson, TARGETS } from "../../deploy/grafana/generate.ts";
import { metricsPage } from "../../deploy/prometheus/reference.ts";
import { promtool, RULES } from "../harness/prometheus.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const RULE_TESTS = join(ROOT, "deploy/prometheus/rules.test.yml");
const RULEBOOK = z.object({
  groups: z.array(
    z.object({
      rules: z.array(z.object({ alert: z.string(), annotations: z.object({ runbook: z.string() }) })),
    }),
  ),
});
const TESTS = z.object({
  tests: z.array(
    z.object({
      alert_rule_test: z.array(
        z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()).default([]) }),
      ),
    }),
  ),
});
const alerts = RULEBOOK.parse(parse(readFileSync(RULES, "utf8"))).groups.flatMap(({ rules }) => rules);

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

  it("the Prometheus of docker compose scrapes every service that has metrics", () => {
    const Compose = z.object({ services: z.record(z.string(), z.unknown()) });
    const Scraped = z.object({
      scrape_configs: z.tuple([
        z.object({ dns_sd_configs: z.tuple([z.object({ names: z.array(z.string()) })]) }),
      ]),
    });
    const { services } = Compose.parse(
      parse(readFileSync(join(ROOT, "docker-compose.yml"), "utf8"), { merge: true }),
    );
    const [{ dns_sd_configs: found }] = Scraped.parse(
      parse(readFileSync(join(ROOT, "deploy/prometheus/prometheus.yml"), "utf8")),
    ).scrape_configs;
    const others = ["nats", "init", "bus-init", "prometheus", "grafana"];
    expect(found[0].names.toSorted()).toEqual(
      Object.keys(services)
        .filter((name) => !others.includes(name))
        .toSorted(),
    );
  });

  it("dashboards and rules ask for metrics that there are", async () => {
    const page = await metricsPage();
    const asked = [
      ...DASHBOARDS.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))),
      readFileSync(RULES, "utf8"),
    ].flatMap((text) => text.match(/\bfirm_[a-z_]+/g) ?? []);
    const unknown = asked.filter(
      (name) => !page.includes(`\`${name.replace(/_(?:bucket|sum|count)$/, "")}\``),
    );
    expect(unknown).toEqual([]);
  });
});

describe("the dashboards", () => {
  const Provisioned = z.object({ datasources: z.array(z.object({ uid: z.string() })) });
  const Placed = z.object({
    uid: z.string().max(40),
    panels: z.array(
      z.object({
        id: z.int(),
        datasource: z.object({ uid: z.string() }),
        gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
      }),
    ),
  });
  it("ask the data source that is provisioned, and lay no panel over another", () => {
    const sources = readFileSync(
      join(ROOT, "deploy/grafana/provisioning/datasources/prometheus.yml"),
      "utf8",
    );
    const [source] = Provisioned.parse(parse(sources)).datasources;
    for (const dashboard of DASHBOARDS) {
      const { panels } = Placed.parse(JSON.parse(grafanaJson(dashboard)));
      expect(new Set(panels.map(({ datasource }) => datasource.uid))).toEqual(new Set([source?.uid]));
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
      );
      expect([dashboard.uid, new Set(cells).size]).toEqual([dashboard.uid, cells.length]);
      expect(panels.every(({ gridPos }) => gridPos.x + gridPos.w <= 24)).toBe(true);
    }
  });
});

describe("every alert", () => {
  it.each(alerts)("$alert has its runbook", ({ alert, annotations }) => {
    const text = readFileSync(join(ROOT, annotations.runbook), "utf8");
    for (const part of [alert, "## What it means", "## What to look at", "## What to do"])
      expect(text).toContain(part);
  });

  it("is tested to fire, and every runbook is of an alert", () => {
    const fired = TESTS.parse(parse(readFileSync(RULE_TESTS, "utf8")))
      .tests.flatMap((one) => one.alert_rule_test)
      .filter((one) => one.exp_alerts.length > 0);
    expect(new Set(fired.map(({ alertname }) => alertname))).toEqual(
      new Set(alerts.map(({ alert }) => alert)),
    );
    expect(readdirSync(join(ROOT, "docs/runbooks")).toSorted()).toEqual(
      [
        ...new Set(alerts.map(({ annotations }) => annotations.runbook.replace("docs/runbooks/", ""))),
      ].toSorted(),
    );
  });
});

describe.skipIf(promtool === undefined)("promtool", () => {
  const run = (...args: string[]): string =>
    execFileSync(promtool ?? "", args, { encoding: "utf8", cwd: join(ROOT, "deploy/prometheus") });
  it("finds the rules right, and each fires when it should", () => {
    expect(run("check", "rules", "--lint=all", "--lint-fatal", "rules.yml")).toContain("SUCCESS");
    expect(run("test", "rules", "rules.test.yml")).toContain("SUCCESS");
    expect(run("check", "config", "--syntax-only", "prometheus.yml")).toContain("SUCCESS");
  });
});
