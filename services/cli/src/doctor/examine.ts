// Owns the checks of `firm doctor`; each says what it found, none changes anything.
import { statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { readinessOfAll } from "@firm/agents";
import { execa } from "execa";
import type { Context } from "../commands/context.ts";
import { runningSupervisor } from "../client/firm.ts";
import { errorLine } from "../errors.ts";
import { loadConfig } from "../home.ts";
import { LOOP_AT } from "../supervisor/backoff.ts";
import { findNatsServer, findProgram } from "../nats/find.ts";
import { BY_HAND } from "../nats/resolve.ts";
import { NATS_VERSION, releaseFor } from "../nats/releases.ts";
import { natsVersionOf } from "../nats/version.ts";
import { tryJetStream } from "./jetstream.ts";

export interface Check {
  readonly name: string;
  /** `warn`: the firm runs without it. */
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
}

type Env = NodeJS.ProcessEnv;

const GIB = 1024 ** 3;
/** A store that fills up refuses new work; below this it may happen within a day. */
const LOW_DISK = 1 * GIB;
const NO_DISK = 0.05 * GIB;

/** Runs all checks. */
export async function examine(
  context: Context,
  env: Env = process.env,
): Promise<{ ok: boolean; checks: Check[] }> {
  const groups = await Promise.all([
    check("node", async () => ({
      name: "node",
      status: "ok",
      detail: `${process.version} (${process.execPath})`,
    })),
    check("firm.yaml", () => configuration(context)),
    natsChecks(context, env),
    agents(context, env),
    ...["claude", "codex", "gemini"].map((name) => check(name, () => program(name, env, "agent CLI"))),
    check("git", () => program("git", env, "git checkpoints")),
    check("gh", () => program("gh", env, "pull requests on GitHub")),
    check("ports", loopback),
    check("disk", () => disk(context.paths.home)),
    check("supervisor", () => supervisor(context)),
  ]);
  const checks = groups.flat();
  return { ok: checks.every(({ status }) => status !== "fail"), checks };
}

/** A check that cannot be made has failed, with the reason. */
async function check(name: string, run: () => Promise<Check>): Promise<Check> {
  try {
    return await run();
  } catch (error) {
    return { name, status: "fail", detail: errorLine(error).replace(/^firm: /, "") };
  }
}

async function configuration({ paths, global }: Context): Promise<Check> {
  const { config, file } = await loadConfig(paths, global);
  const departments = config.departments.map(({ name }) => name).join(", ");
  return { name: "firm.yaml", status: "ok", detail: `${file ?? "defaults"}: ${departments}` };
}

async function natsChecks(context: Context, env: Env): Promise<Check[]> {
  if (env.FIRM_NATS_URL !== undefined && env.FIRM_NATS_URL !== "") {
    const { FIRM_NATS_URL: url } = env;
    return [
      { name: "nats-server", status: "ok", detail: `${url} (FIRM_NATS_URL)` },
      await check("jetstream", async () => ({
        name: "jetstream",
        status: "ok",
        detail: await tryJetStream(url, env.FIRM_NKEY_FILE || undefined),
      })),
    ];
  }
  let program: { path: string; version: string } | undefined;
  const server = await check("nats-server", async () => {
    const found = await findNatsServer(env);
    if (found === undefined) {
      const release = releaseFor(process.platform, process.arch);
      return release === undefined
        ? { name: "nats-server", status: "fail", detail: `missing; ${BY_HAND}` }
        : {
            name: "nats-server",
            status: "warn",
            detail: `missing; ${NATS_VERSION} is fetched when it is first needed`,
          };
    }
    const version = await natsVersionOf(found.path);
    program = { path: found.path, version };
    return { name: "nats-server", status: "ok", detail: `${version} (${found.path}, ${found.source})` };
  });
  if (program === undefined) return [server];
  const { path, version } = program;
  return [
    server,
    await check("jetstream", async () => {
      const { tryOwnServer } = await import("./jetstream.ts");
      return {
        name: "jetstream",
        status: "ok",
        detail: await tryOwnServer(path, version, context.paths.home),
      };
    }),
  ];
}

/** The agents that firm.yaml may name. */
async function agents({ paths, global }: Context, env: Env): Promise<Check[]> {
  // A firm.yaml that is wrong has a check of its own.
  const programs = await loadConfig(paths, global).then(
    ({ config }) => config.agents.programs,
    () => ({}),
  );
  const all = await readinessOfAll({ stateDir: paths.state, env, programs });
  return all.map(({ name, ready, detail }) => ({
    name: `agent ${name}`,
    status: ready ? "ok" : "warn",
    detail,
  }));
}

async function program(name: string, env: Env, what: string): Promise<Check> {
  const path = await findProgram(name, env);
  if (path === undefined) return { name, status: "warn", detail: `not found (${what})` };
  const ran = await execa(path, ["--version"], {
    reject: false,
    timeout: 10_000,
    stdin: "ignore",
    all: true,
  });
  const version = ran.all?.trim().split("\n")[0] ?? "";
  return ran.exitCode === 0
    ? { name, status: "ok", detail: `${version} (${path})` }
    : { name, status: "warn", detail: `${path} does not run: ${ran.shortMessage ?? version}` };
}

function loopback(): Promise<Check> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) =>
      resolve({ name: "ports", status: "fail", detail: `127.0.0.1 takes no listener: ${error.message}` }),
    );
    server.listen(0, "127.0.0.1", () =>
      server.close(() => resolve({ name: "ports", status: "ok", detail: "127.0.0.1 has free ports" })),
    );
  });
}

async function disk(directory: string): Promise<Check> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const status = free < NO_DISK ? "fail" : free < LOW_DISK ? "warn" : "ok";
  return { name: "disk", status, detail: `${(free / GIB).toFixed(1)} GiB free in ${directory}` };
}

async function supervisor({ paths }: Context): Promise<Check> {
  const state = await runningSupervisor(paths);
  if (state === undefined)
    return { name: "supervisor", status: "ok", detail: "none runs here; `firm run` and `firm up` start one" };
  const looping = state.processes.filter(({ crashes }) => crashes >= LOOP_AT).map(({ name }) => name);
  return looping.length === 0
    ? { name: "supervisor", status: "ok", detail: `process ${state.pid} at ${state.nats_url}` }
    : {
        name: "supervisor",
        status: "fail",
        detail: `these keep crashing: ${looping.join(", ")}; see ${paths.logs}`,
      };
}
