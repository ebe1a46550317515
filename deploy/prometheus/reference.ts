// Owns `npm run metrics`: docs/metrics.md, written from the metrics that the processes register.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createMetrics, createWorkerMetrics, type Metrics } from "@firm/actor";
import * as z from "zod";
import { registerProcesses } from "../../services/cli/src/supervisor/metrics.ts";
import { registerDeadLetters, registerState } from "../../services/gateway/src/gauges.ts";
import { createGatewayMetrics } from "../../services/gateway/src/metrics.ts";

/** What prom-client keeps of a metric. */
const Metric = z.object({
  name: z.string(),
  help: z.string(),
  type: z.enum(["counter", "gauge", "histogram", "summary"]),
  labelNames: z.array(z.string()),
});
type Metric = z.infer<typeof Metric>;

const PLACES: readonly (readonly [title: string, register: (registry: Metrics["registry"]) => void])[] = [
  [
    "The gateway",
    (registry) => {
      createGatewayMetrics(registry, []);
      registerState(registry, {
        activity: () => ({ byKind: new Map(), overdue: 0 }),
        queues: () => new Map(),
      });
      registerDeadLetters(registry, {
        bus: { connected: false, held: () => Promise.resolve(0) },
        onFailure: () => undefined,
      }).stop();
    },
  ],
  ["A role's process", (registry) => void createWorkerMetrics(registry)],
  ["The supervisor of `firm up`", (registry) => registerProcesses(registry, () => [])],
];

/** The page's text. */
export async function metricsPage(): Promise<string> {
  const every = createMetrics("x", "0").registry;
  const sections = [await section("Every process", every, (name) => name.startsWith("firm_"))];
  for (const [title, register] of PLACES) {
    const { registry } = createMetrics("x", "0");
    register(registry);
    sections.push(await section(title, registry, (name) => every.getSingleMetric(name) === undefined));
  }
  return `# Metrics

Every process serves Prometheus' text format at \`/metrics\`. Names end in their unit; a counter ends in \`_total\`. Labels are roles,
verbs, rules, outcomes: never a run. Beside these every process has Node's own (\`process_*\`, \`nodejs_*\`, the event loop's delay
among them). Written by \`npm run metrics\`; alerts are in [deploy/prometheus/rules.yml](../deploy/prometheus/rules.yml), their
[runbooks](runbooks) say what to do.

The gateway's counters are counted by the replica that stored the event, so they are summed over replicas; its gauges are of the
whole system in every replica, so the largest counts.

Under \`firm up\` every process has a port of its own; the supervisor keeps them, by name, in \`.firm/targets.json\`:

\`\`\`yaml
rule_files: [deploy/prometheus/rules.yml]
scrape_configs:
  - job_name: firm
    file_sd_configs: [{ files: [.firm/targets.json] }]
\`\`\`

${sections.join("\n\n")}
`;
}

async function section(
  title: string,
  registry: Metrics["registry"],
  fits: (name: string) => boolean,
): Promise<string> {
  const metrics: Metric[] = (await Promise.resolve(registry.getMetricsAsArray())).map((metric) =>
    Metric.parse(metric),
  );
  const rows = metrics
    .filter(({ name }) => fits(name))
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(
      ({ name, type, labelNames, help }) =>
        `| \`${name}\` | ${type} | ${labelNames.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
    );
  return `## ${title}\n\n| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n${rows.join("\n")}`;
}

if (import.meta.main) {
  writeFileSync(resolve(import.meta.dirname, "../../docs/metrics.md"), await metricsPage());
  process.stdout.write("docs/metrics.md written\n");
  process.exit();
}
