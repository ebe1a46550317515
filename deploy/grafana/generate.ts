// Owns `npm run dashboards`: the Grafana dashboards as code, written to deploy/grafana/dashboards and into the chart.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DASHBOARDS } from "./definitions.ts";
import type { Dashboard } from "./panels.ts";

/** A dashboard as Grafana imports it. */
export function grafanaJson({ uid, title, description, panels }: Dashboard): string {
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
    description,
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
