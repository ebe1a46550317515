// Owns `npm run bench`: what the rules cost, as ratios to a floor measured in the same run on the same server.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { HEADERS, parseJson, subjects, WorkOrder, type Role } from "@firm/protocol";
import { connect, nkeyAuthenticator } from "nats";
import { startSystem, type FirmSystem } from "../tests/harness/system.ts";
import { many, measureHop, type HopFigures, type HopPlan } from "./measure.ts";
import { startPart } from "./parts/children.ts";
import { latencyOf, ms, rate, table, type Latency } from "./stats.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false, description: "a tenth of the repetitions" },
    json: { type: "string", description: "also write the figures to this file" },
  } as const,
});
const scale = values.quick ? 0.1 : 1;
const HOPS: HopPlan = {
  warmUp: 2_000 * scale,
  sequential: 3_000 * scale,
  concurrent: 20_000 * scale,
  inFlight: 64,
};
const RUNS = { warmUp: 60 * scale, sequential: 300 * scale, concurrent: 600 * scale, inFlight: 16 };
/** The role that asks and the one that answers. */
const ASKER: Role = "ceo";
const ANSWERER: Role = "cfo";

const text = (seed: string | Uint8Array): string =>
  typeof seed === "string" ? seed : new TextDecoder().decode(seed);

async function floor(system: FirmSystem): Promise<HopFigures> {
  const { url } = system.server;
  const operator = text(system.keyOf("operator").seed);
  const relay = await startPart("relay.ts", [url, "relay", operator]);
  const answer = await startPart("relay.ts", [url, "answer", operator]);
  const nc = await connect({
    servers: url,
    authenticator: nkeyAuthenticator(new TextEncoder().encode(operator)),
  });
  const question = new TextEncoder().encode(
    JSON.stringify({ role: ANSWERER, question: "What is the runway?" }),
  );
  const figures = await measureHop(
    async () => void (await nc.request("bench.relay", question, { timeout: 10_000 })),
    HOPS,
  );
  await nc.close();
  await relay.stop();
  await answer.stop();
  return figures;
}

/** A worker's question to another worker through the gateway: token, rules, rate limit, metrics. */
async function governed(system: FirmSystem): Promise<HopFigures> {
  const answerer = await startPart("answerer.ts", [
    system.server.url,
    ANSWERER,
    text(system.keyOf(ANSWERER).seed),
  ]);
  const ceo = await system.connectAs(ASKER);
  const source = await ceo.work("FIRM_WORK", ASKER);
  const order = Promise.withResolvers<WorkOrder>();
  let taken = false;
  const pulling = source.run(
    { acquire: () => Promise.resolve(!taken), release: () => undefined },
    (delivery) => {
      taken = true;
      order.resolve(parseJson(WorkOrder, delivery.text(), "order"));
      void delivery.ack();
      source.stop();
    },
  );
  const { run } = await system.objective({ objective: "measure", deadline_seconds: 3_600 });
  const { token } = await order.promise;
  await pulling;
  const headers = { [HEADERS.token]: token, [HEADERS.run]: run };
  const body = JSON.stringify({ role: ANSWERER, question: "What is the runway?" });
  const subject = subjects.from(ASKER, "invoke");
  const figures = await measureHop(
    async () => void (await ceo.request(subject, body, { headers, timeoutMs: 10_000 })),
    HOPS,
  );
  await system.user.request(subjects.control(run, "cancel"), "");
  await ceo.drain();
  await answerer.stop();
  return figures;
}

interface RunFigures {
  readonly latency: Latency;
  readonly perSecond: number;
  /** ms of processor time a run takes, all roles and the gateway together. */
  readonly cpuMs: number;
  /** MiB, by process. */
  readonly memory: readonly { readonly name: string; readonly mib: number }[];
}

/** A whole run of the default pyramid, from the objective to its deliverable. */
async function wholeRun(system: FirmSystem): Promise<RunFigures> {
  const waiting = new Map<string, () => void>();
  const early = new Set<string>();
  system.user.subscribe(subjects.allFinished, (message) => {
    const run = message.subject.split(".")[2] ?? "";
    const done = waiting.get(run);
    if (done === undefined) early.add(run);
    else done();
    waiting.delete(run);
  });
  const once = async (): Promise<void> => {
    const { run } = await system.objective({ objective: "Build a payment API" });
    if (early.delete(run)) return;
    await new Promise<void>((done) => waiting.set(run, done));
  };
  await many(once, RUNS.warmUp, 1);
  const names = ["gateway", ...system.chart.roles];
  const cpuBefore = await total(system, names, "process_cpu_seconds_total");
  const samples: number[] = [];
  for (let i = 0; i < RUNS.sequential; i++) {
    const start = performance.now();
    await once();
    samples.push(performance.now() - start);
  }
  const cpuMs =
    ((await total(system, names, "process_cpu_seconds_total")) - cpuBefore) * (1000 / RUNS.sequential);
  const start = performance.now();
  await many(once, RUNS.concurrent, RUNS.inFlight);
  const perSecond = RUNS.concurrent / ((performance.now() - start) / 1000);
  const memory = await Promise.all(
    names.map(async (name) => ({
      name,
      mib: (await metricOf(system, name, "process_resident_memory_bytes")) / 1_048_576,
    })),
  );
  return { latency: latencyOf(samples), perSecond, cpuMs, memory };
}

async function total(system: FirmSystem, names: readonly string[], metric: string): Promise<number> {
  const values = await Promise.all(names.map((name) => metricOf(system, name, metric)));
  return values.reduce((sum, value) => sum + value, 0);
}

async function metricOf(system: FirmSystem, name: string, metric: string): Promise<number> {
  const [one] = system.processesOf(name);
  const metrics = await (await fetch(`http://${await one?.http()}/metrics`)).text();
  return Number(new RegExp(`^${metric} (\\S+)`, "m").exec(metrics)?.[1]);
}

const yaml = "agents: {default: instant}\nlimits: {requests_per_second: 1000000}\n";
const bare = await startSystem({ yaml, roles: [] });
const a = await floor(bare);
const b = await governed(bare);
await bare.stop();
const system = await startSystem({ yaml });
const c = await wholeRun(system);
await system.stop();

const worker = c.memory.filter(({ name }) => name !== "gateway").toSorted((x, y) => y.mib - x.mib)[0];
const figures = {
  floor: a,
  governed: b,
  ratio: { p50: b.latency.p50 / a.latency.p50, throughput: b.perSecond / a.perSecond },
  run: c,
  goals: { "b/a p50": 1.4, "b/a throughput": 0.7, "run p50 ms": 20, "worker MiB": 90 },
};
process.stdout.write(
  `${table([
    ["", "p50 ms", "p99 ms", "per second"],
    [
      "(a) floor: request through one relaying process",
      ms(a.latency.p50),
      ms(a.latency.p99),
      rate(a.perSecond),
    ],
    [
      "(b) governed hop: worker, gateway, worker, back",
      ms(b.latency.p50),
      ms(b.latency.p99),
      rate(b.perSecond),
    ],
    [
      "    b/a (goal: p50 at most 1.40, throughput at least 0.70)",
      figures.ratio.p50.toFixed(2),
      "",
      figures.ratio.throughput.toFixed(2),
    ],
    [
      "(c) whole run, 13 roles (goal: p50 at most 20)",
      ms(c.latency.p50),
      ms(c.latency.p99),
      `${rate(c.perSecond)} at ${RUNS.inFlight}`,
    ],
  ])}\n\nresident memory: ${worker?.name ?? "?"} ${worker?.mib.toFixed(0) ?? "?"} MiB is the largest worker (goal: at most 90); gateway ${c.memory[0]?.mib.toFixed(0) ?? "?"} MiB\nprocessor time: ${c.cpuMs.toFixed(1)} ms a run, all roles and the gateway together\n`,
);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit();
