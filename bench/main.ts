// Owns `npm run bench`: what the rules cost, as ratios to a floor measured in the same run on the same server.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { startSystem } from "../tests/harness/system.ts";
import { coldStart } from "./cold-start.ts";
import { floor, governed, type Plan } from "./hops.ts";
import { userChain, wholeRun, type RunFigures } from "./runs.ts";
import { ms, rate, table, type Latency } from "./stats.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false, description: "a tenth of the repetitions" },
    json: { type: "string", description: "also write the figures to this file" },
  } as const,
});
const scale = values.quick ? 0.1 : 1;
const HOPS: Plan = {
  hop: { warmUp: 2_000 * scale, sequential: 3_000 * scale, concurrent: 20_000 * scale, inFlight: 64 },
  chain: { warmUp: 1_000 * scale, sequential: 2_000 * scale, concurrent: 5_000 * scale, inFlight: 32 },
  atOnce: 1_000,
};
const RUNS = { warmUp: 60 * scale, sequential: 300 * scale, concurrent: 600 * scale, inFlight: 16 };
const GOALS = {
  "hop p50": 1.4,
  "hop throughput": 0.7,
  "chain p50": 1.4,
  "run p50 ms": 20,
  "worker MiB": 90,
  "cold start s": 4,
} as const;

const limits = "limits: {requests_per_second: 1000000}\n";
const bare = await startSystem({ yaml: `agents: {default: instant}\n${limits}`, roles: [] });
const a = await floor(bare, HOPS);
const b = await governed(bare, HOPS);
await bare.stop();
const pyramid = await startSystem({ yaml: `agents: {default: instant}\n${limits}` });
const c = await wholeRun(pyramid, RUNS);
await pyramid.stop();
const suite = await startSystem({ yaml: limits, roles: ["cro", "cfo", "coo"] });
const d = await userChain(suite, 200 * scale, 1_000);
await suite.stop();
const cold = await coldStart();

const worker = c.memory.filter(({ name }) => name !== "gateway").toSorted((x, y) => y.mib - x.mib)[0];
const figures = {
  floor: a,
  governed: b,
  ratio: {
    hop: { p50: b.hop.latency.p50 / a.hop.latency.p50, throughput: b.hop.perSecond / a.hop.perSecond },
    chain: {
      p50: b.chain.latency.p50 / a.chain.latency.p50,
      throughput: b.chain.perSecond / a.chain.perSecond,
    },
  },
  run: c,
  userChain: d,
  coldStartMs: cold,
  goals: GOALS,
};
/** Where a run's processor time goes: by kind of process, so that what is not reached has a place. */
const shares = ({ cpu }: RunFigures): string => {
  const kinds = Map.groupBy(cpu, ({ name }) => name.split(":")[0] ?? name);
  return Array.from(kinds, ([kind, all]) => {
    const sum = all.reduce((total, one) => total + one.ms, 0);
    return `${kind}${all.length > 1 ? ` (${all.length})` : ""} ${sum.toFixed(1)}`;
  }).join(", ");
};
const row = (name: string, { p50, p99 }: Latency, perSecond: string): string[] => [
  name,
  ms(p50),
  ms(p99),
  perSecond,
];
const ratio = (name: string, of: { p50: number; throughput: number }): string[] => [
  name,
  of.p50.toFixed(2),
  "",
  of.throughput.toFixed(2),
];
process.stdout.write(
  `${table([
    ["", "p50 ms", "p99 ms", "per second"],
    row("(a) floor: request through one relaying process", a.hop.latency, rate(a.hop.perSecond)),
    row("(b) governed hop: worker, gateway, worker, back", b.hop.latency, rate(b.hop.perSecond)),
    ratio("    b/a (goal: p50 at most 1.40, throughput at least 0.70)", figures.ratio.hop),
    row("(c) floor: two such requests, one inside the other", a.chain.latency, rate(a.chain.perSecond)),
    row("(d) C-suite chain of depth 2, three workers", b.chain.latency, rate(b.chain.perSecond)),
    ratio("    d/c (goal: p50 at most 1.40)", figures.ratio.chain),
    row(
      "(e) whole run, 13 roles (goal: p50 at most 20)",
      c.latency,
      `${rate(c.perSecond)} at ${RUNS.inFlight}`,
    ),
    row("(f) user's question, CRO to CFO to COO, offline agents", d.latency, ""),
  ])}\n\n` +
    `lost of ${HOPS.atOnce} chains at once (goal: 0): (c) ${a.lost}, (d) ${b.lost}, (f) ${d.lost}\n` +
    `resident memory: ${worker?.name ?? "?"} ${worker?.mib.toFixed(0) ?? "?"} MiB is the largest worker (goal: at most 90); gateway ${c.memory[0]?.mib.toFixed(0) ?? "?"} MiB\n` +
    `processor time of (e): ${c.cpu.reduce((sum, one) => sum + one.ms, 0).toFixed(1)} ms a run; ${shares(c)}\n` +
    `\`firm run\` from nothing to its first department's work (goal: at most 4 s): ${(cold / 1000).toFixed(1)} s\n`,
);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit();
