// Owns a real Prometheus that scrapes what a test names, and promtool; each is looked up, and a test without it says so and is skipped.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as z from "zod";
import { freePort } from "./nats.ts";

/** The alerts' rules. */
export const RULES = resolve(import.meta.dirname, "../../deploy/prometheus/rules.yml");

/** A program of Prometheus' by its variable or on PATH; undefined, with a line that says so, where it is not here. */
function program(variable: string, name: string): string | undefined {
  const path = process.env[variable] ?? name;
  if (spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0) return path;
  process.stderr.write(`${name} is not on PATH, and ${variable} names none: its tests are skipped\n`);
  return undefined;
}
export const promtool = program("FIRM_PROMTOOL", "promtool");
export const prometheus = program("FIRM_PROMETHEUS", "prometheus");

/** What promtool says, and whether it is content. */
export function askPromtool(args: readonly string[], input = ""): { ok: boolean; text: string } {
  const { status, stdout, stderr } = spawnSync(promtool ?? "promtool", args, { input, encoding: "utf8" });
  return { ok: status === 0, text: `${stdout}${stderr}` };
}

/** One series of an answer. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Prometheus {
  readonly url: string;
  /** An instant query. @throws with Prometheus' own words where the expression is wrong */
  series(expr: string): Promise<readonly Series[]>;
  /** The first series' value. */
  value(expr: string): Promise<number | undefined>;
  /** How many series an expression has had since the start, as a dashboard asks. */
  range(expr: string): Promise<number>;
  /** Asks until it holds. */
  until(expr: string, holds: (value: number | undefined) => boolean): Promise<void>;
  stop(): Promise<void>;
}

const Range = z.object({ data: z.object({ result: z.array(z.unknown()) }) });
const Answer = z.object({
  data: z.object({
    result: z.array(
      z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) }),
    ),
  }),
});

/** Starts one. @param targets a file of targets (file_sd), read anew whenever it changes */
export async function startPrometheus(targets: string): Promise<Prometheus> {
  const directory = mkdtempSync(join(tmpdir(), "firm-prometheus-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = {
    global: { scrape_interval: "250ms", evaluation_interval: "1s" },
    rule_files: [RULES],
    scrape_configs: [{ job_name: "firm", file_sd_configs: [{ files: [targets], refresh_interval: "1s" }] }],
  };
  // JSON is YAML.
  writeFileSync(join(directory, "prometheus.yml"), JSON.stringify(config));
  const child = spawn(
    prometheus ?? "prometheus",
    [
      `--config.file=${directory}/prometheus.yml`,
      `--storage.tsdb.path=${directory}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const exited = new Promise<void>((done) => {
    child.once("exit", () => done());
  });
  const began = Date.now() / 1_000;
  const ask = async (path: string, query: Record<string, string>): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(query).toString()}`);
    const body: unknown = await response.json();
    if (!response.ok) throw new Error(`${query["query"]}: ${JSON.stringify(body)}`);
    return body;
  };
  const series = async (expr: string): Promise<readonly Series[]> => {
    const body = await ask("query", { query: expr });
    return Answer.parse(body).data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  };
  const value = async (expr: string): Promise<number | undefined> => (await series(expr))[0]?.value;
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`prometheus exited with ${child.exitCode}`);
    return fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  while (!(await isReady())) await new Promise((done) => setTimeout(done, 50));
  return {
    url,
    series,
    value,
    range: async (query) => {
      const body = await ask("query_range", {
        query,
        start: String(began),
        end: String(Date.now() / 1_000),
        step: "1",
      });
      return Range.parse(body).data.result.length;
    },
    until: async (expr, holds) => {
      while (!holds(await value(expr))) await new Promise((done) => setTimeout(done, 100));
    },
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
