// The promise: Prometheus finds every process of `firm up` by `.firm/targets.json`, also those that start anew on another port.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { cliHome, type CliHome } from "../harness/cli.ts";
import {
  askPromtool,
  prometheus,
  promtool,
  startPrometheus,
  type Prometheus,
} from "../harness/prometheus.ts";

const State = z.object({
  http: z.string(),
  processes: z.array(z.object({ name: z.string(), pid: z.int().optional(), http: z.string().optional() })),
});

describe.skipIf(prometheus === undefined || promtool === undefined)("firm up", () => {
  let home: CliHome;
  let watched: Prometheus;
  beforeAll(async () => {
    home = await cliHome();
    const { code, stderr } = await home.run(["up", "--detach"]);
    if (code !== 0) throw new Error(stderr);
    watched = await startPrometheus(join(home.dir, ".firm", "targets.json"));
  });
  afterAll(async () => {
    await watched.stop();
    await home.run(["down"]);
    await home.empty();
    await home.remove();
  });
  const state = async () =>
    State.parse(JSON.parse(await readFile(join(home.dir, ".firm", "supervisor.json"), "utf8")));
  const up = (name: string): string => `up{job="firm",process="${name}"}`;

  it("is scraped whole, the supervisor too; a run shows", async () => {
    expect((await home.run(["run", "Watched", "-q", "-d", "strategy"])).code).toBe(0);
    await watched.until('sum(firm_runs_total{status="delivered"})', (runs) => runs === 1);
    const { processes } = await state();
    const names = [
      "supervisor",
      ...processes.flatMap(({ name, http }) => (http === undefined ? [] : [name])),
    ];
    expect(names).toEqual(expect.arrayContaining(["supervisor", "gateway", "ceo", "department:strategy"]));
    for (const name of names) await watched.until(up(name), (value) => value === 1);
    expect(await watched.value('firm_supervisor_process_up{name="gateway"}')).toBe(1);
    expect(await watched.value('firm_supervisor_process_restarts_total{name="ceo"}')).toBe(0);
  });

  it("a process that is killed comes back under its name, on its new port, and the supervisor counts it", async () => {
    const find = async () => (await state()).processes.find(({ name }) => name === "department:strategy");
    const before = await find();
    process.kill(before?.pid ?? 0, "SIGKILL");
    await watched.until(
      'firm_supervisor_process_restarts_total{name="department:strategy"}',
      (restarts) => restarts === 1,
    );
    const old = before?.http ?? "";
    await watched.until(
      `sum(up{process="department:strategy",instance!="${old}"})`,
      (processes) => processes === 1,
    );
    expect((await find())?.http).not.toBe(old);
  });

  it("promtool finds nothing wrong with what the supervisor says", async () => {
    const text = await (await fetch(`http://${(await state()).http}/metrics`)).text();
    expect(askPromtool(["check", "metrics"], text)).toEqual({ ok: true, text: "" });
  });
});
