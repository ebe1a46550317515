// Owns the measured runs: an objective through the whole pyramid, and questions to the C-suite's own processes.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SAMPLE_COMPANY_YAML } from "@firm/agents";
import { subjects } from "@firm/protocol";
import type { FirmSystem } from "../tests/harness/system.ts";
import { loses, many } from "./measure.ts";
import { latencyOf, type Latency } from "./stats.ts";

/** How often, and how many at once. */
export interface RunPlan {
  readonly warmUp: number;
  readonly sequential: number;
  readonly concurrent: number;
  readonly inFlight: number;
}

export interface RunFigures {
  readonly latency: Latency;
  readonly perSecond: number;
  /** ms of processor time a run takes, by process. */
  readonly cpu: readonly { readonly name: string; readonly ms: number }[];
  /** MiB, by process. */
  readonly memory: readonly { readonly name: string; readonly mib: number }[];
}

/** A whole run of the default pyramid, from the objective to its deliverable. */
export async function wholeRun(system: FirmSystem, plan: RunPlan): Promise<RunFigures> {
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
  await many(once, plan.warmUp, 1);
  const names = ["gateway", ...system.chart.roles];
  const cpuBefore = await each(system, names, "process_cpu_seconds_total");
  const samples: number[] = [];
  for (let i = 0; i < plan.sequential; i++) {
    const start = performance.now();
    await once();
    samples.push(performance.now() - start);
  }
  const cpuAfter = await each(system, names, "process_cpu_seconds_total");
  const start = performance.now();
  await many(once, plan.concurrent, plan.inFlight);
  const perSecond = plan.concurrent / ((performance.now() - start) / 1000);
  const memory = await each(system, names, "process_resident_memory_bytes");
  return {
    latency: latencyOf(samples),
    perSecond,
    cpu: cpuAfter.map(({ name, value }, i) => ({
      name,
      ms: (value - (cpuBefore[i]?.value ?? 0)) * (1000 / plan.sequential),
    })),
    memory: memory.map(({ name, value }) => ({ name, mib: value / 1_048_576 })),
  };
}

export interface AskFigures {
  readonly latency: Latency;
  readonly atOnce: number;
  readonly lost: number;
}

/** A user's question that the CRO passes to the CFO and the CFO to the COO, in their own processes, offline. */
export async function userChain(system: FirmSystem, sequential: number, atOnce: number): Promise<AskFigures> {
  await writeFile(join(system.directory, "company.yaml"), SAMPLE_COMPANY_YAML);
  const body = JSON.stringify({
    question: "What does our pipeline mean for hiring 5 engineers in Q3?",
    deadline_seconds: 300,
  });
  const once = async (): Promise<void> => {
    const answer = await system.user.request(subjects.invoke("cro"), body, { timeoutMs: 300_000 });
    if (!answer.text().includes("CFO: Hiring 5 engineers")) throw new Error(`no chain in ${answer.text()}`);
  };
  await many(once, Math.ceil(sequential / 10), 1);
  const samples: number[] = [];
  for (let i = 0; i < sequential; i++) {
    const start = performance.now();
    await once();
    samples.push(performance.now() - start);
  }
  return { latency: latencyOf(samples), atOnce, lost: await loses(once, atOnce) };
}

/** One metric of every process. */
function each(
  system: FirmSystem,
  names: readonly string[],
  metric: string,
): Promise<{ readonly name: string; readonly value: number }[]> {
  return Promise.all(names.map(async (name) => ({ name, value: await metricOf(system, name, metric) })));
}

async function metricOf(system: FirmSystem, name: string, metric: string): Promise<number> {
  const [one] = system.processesOf(name);
  const metrics = await (await fetch(`http://${await one?.http()}/metrics`)).text();
  return Number(new RegExp(`^${metric} (\\S+)`, "m").exec(metrics)?.[1]);
}
