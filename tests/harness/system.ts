// Owns a whole firm of real processes on a real nats-server, started without the supervisor: each can be killed and started alone.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { initBus, type Bus } from "@firm/bus";
import {
  levelOf,
  isExecutive,
  ObjectiveReply,
  parseJson,
  RunEvent,
  STREAMS,
  subjects,
  type LoggedEvent,
  type Role,
  type RunFinished,
} from "@firm/protocol";
import { NODE_ARGS } from "../../services/cli/src/supervisor/roster.ts";
import { IN_CONTAINERS, startContainer } from "./container.ts";
import { startFirmNats, type FirmNats } from "./firm-nats.ts";
import type { NatsOptions } from "./nats.ts";

const SERVICES = resolve(import.meta.dirname, "../../services");

export interface SystemOptions {
  /** firm.yaml's text; default: every role is played by the scripted agent. */
  yaml?: string;
  /** Role → behaviours of the scripted agent. */
  script?: unknown;
  nats?: NatsOptions;
  gateways?: number;
  /** Roles to start; default: the whole pyramid. */
  roles?: readonly Role[];
  /** More of each process's environment. */
  env?: Readonly<Record<string, string>>;
}

/** One process of the firm. */
export interface FirmProcess {
  readonly name: string;
  readonly pid: number;
  readonly alive: boolean;
  /** `host:port` of its metrics, once it listens. */
  http(): Promise<string>;
  log(): string;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

export interface FirmSystem extends FirmNats {
  readonly user: Bus;
  readonly directory: string;
  /** Starts one more process of the gateway or of a role. */
  spawn(name: "gateway" | Role): Promise<FirmProcess>;
  /** Processes of a role, or of the gateway, that were not killed. */
  processesOf(name: string): FirmProcess[];
  /** What the scripted agent does from now on. */
  script(steps: unknown): Promise<void>;
  /** Starts what was killed, so that every role and gateway has a process again. */
  heal(): Promise<void>;
  /** Publishes an objective as a user does. */
  objective(body: unknown): Promise<ObjectiveReply>;
  /** The run's log so far, and what comes; resolves with all of it once `until` holds. */
  events(run: string, until: (events: readonly LoggedEvent[]) => boolean): Promise<readonly LoggedEvent[]>;
  finished(run: string): Promise<RunFinished>;
}

/** Starts the firm and waits until every process is ready. */
export async function startSystem(options: SystemOptions = {}): Promise<FirmSystem> {
  const yaml = options.yaml ?? "agents: {default: scripted}\n";
  const nats = await startFirmNats(yaml, options.nats);
  const directory = await mkdtemp(join(tmpdir(), "firm-system-"));
  const file = (name: string): string => join(directory, name);
  await Promise.all([
    writeFile(file("firm.yaml"), yaml),
    writeFile(file("script.json"), JSON.stringify(options.script ?? {})),
    writeFile(file("token.key"), randomBytes(32).toString("base64url"), { mode: 0o600 }),
  ]);
  const operator = await nats.connectAs("operator");
  await initBus(operator, nats.config, nats.chart);

  const processes: FirmProcess[] = [];
  let count = 0;
  const start = async (name: "gateway" | Role): Promise<FirmProcess> => {
    const id = `${name.replace(":", "-")}-${count++}`;
    await writeFile(file(`${id}.nk`), new TextDecoder().decode(seedOf(nats.keyOf(name).seed)), {
      mode: 0o600,
    });
    const service =
      name === "gateway" || name === "ceo" ? name : isExecutive(name) ? "executive" : (levelOf(name) ?? name);
    const env = {
      HOME: directory,
      FIRM_NATS_URL: nats.server.url,
      FIRM_NKEY_FILE: file(`${id}.nk`),
      FIRM_CONFIG: file("firm.yaml"),
      FIRM_TOKEN_KEY_FILE: file("token.key"),
      FIRM_HTTP_FILE: file(`${id}.http`),
      FIRM_STATE_DIR: directory,
      FIRM_SCRIPTED_FILE: file("script.json"),
      ...(name === "gateway" ? { FIRM_SERVICE: "gateway" } : { FIRM_ROLE: name }),
      ...options.env,
    };
    const running = IN_CONTAINERS
      ? await inContainer(id, env, directory)
      : await asProcess(id, join(SERVICES, service, "src/main.ts"), env);
    processes.push(running);
    return running;
  };
  const alive = (name: string): FirmProcess[] =>
    processes.filter((one) => one.alive && one.name.startsWith(`${name.replace(":", "-")}-`));
  const gateways = Array.from({ length: options.gateways ?? 1 }, () => start("gateway"));
  await Promise.all([...gateways, ...(options.roles ?? nats.chart.roles).map(start)]);
  const user = await nats.connectAs("user");

  const events = async (
    run: string,
    until: (events: readonly LoggedEvent[]) => boolean,
  ): Promise<readonly LoggedEvent[]> => {
    const all: LoggedEvent[] = [];
    const done = Promise.withResolvers<void>();
    const feed = await user.follow(STREAMS.runs, subjects.run.of(run), 1, (message) => {
      all.push({ seq: message.seq, event: parseJson(RunEvent, message.text(), message.subject) });
      if (until(all)) done.resolve();
    });
    await done.promise;
    await feed.stop();
    return all;
  };
  return {
    ...nats,
    user,
    directory,
    spawn: start,
    processesOf: alive,
    script: (steps) => writeFile(file("script.json"), JSON.stringify(steps)),
    heal: async () => {
      const wanted = ["gateway" as const, ...(options.roles ?? nats.chart.roles)];
      await Promise.all(wanted.filter((name) => alive(name).length === 0).map(start));
    },
    objective: async (body) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return parseJson(ObjectiveReply, (await user.request(subjects.objective, text)).text(), "reply");
    },
    events,
    finished: async (run) => {
      const all = await events(run, (seen) => seen.some(({ event }) => event.type === "finished"));
      const last = all.find(({ event }) => event.type === "finished")?.event;
      if (last?.type !== "finished") throw new Error("no end");
      return last;
    },
    stop: async () => {
      await Promise.all(processes.map((one) => one.kill("SIGTERM")));
      await nats.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function seedOf(seed: string | Uint8Array): Uint8Array {
  return typeof seed === "string" ? new TextEncoder().encode(seed) : seed;
}

/** Starts a service as the supervisor does. */
async function asProcess(
  name: string,
  main: string,
  env: Readonly<Record<string, string>> & { readonly FIRM_HTTP_FILE: string },
): Promise<FirmProcess> {
  const child = spawn(process.execPath, [...NODE_ARGS, main], {
    stdio: ["pipe", "ignore", "pipe"],
    env: {
      ...env,
      // As under the supervisor: without it each process loads the type stripper again.
      NODE_COMPILE_CACHE: join(tmpdir(), "firm-tests-compile-cache"),
      MALLOC_ARENA_MAX: "1",
      PATH: process.env.PATH,
      FIRM_PARENT_PIPE: "1",
    },
  });
  let log = "";
  const exited = new Promise<number | null>((done) => {
    child.once("exit", (code) => done(code));
  });
  await new Promise<void>((done, failed) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('"msg":"ready"')) done();
    });
    child.once("error", failed);
    void exited.then((code) => failed(new Error(`${name} exited with ${code} before it was ready:\n${log}`)));
  });
  return {
    name,
    pid: child.pid ?? 0,
    get alive() {
      return child.exitCode === null && child.signalCode === null;
    },
    http: async () => (await readFile(env.FIRM_HTTP_FILE, "utf8")).trim(),
    log: () => log,
    kill: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return exited;
    },
  };
}

/** Starts a service in the project's own image, the scripted agent included. */
async function inContainer(
  name: string,
  env: Readonly<Record<string, string>> & { readonly FIRM_HTTP_FILE: string },
  directory: string,
): Promise<FirmProcess> {
  let log = "";
  const container = await startContainer({
    image: process.env["FIRM_TEST_IMAGE"] ?? "firm-test:latest",
    command: [],
    env: { ...env, FIRM_HTTP_HOST: "127.0.0.1", FIRM_HTTP_PORT: "0" },
    mounts: [directory],
    ready: /"msg":"ready"/,
    onText: (text) => {
      log += text;
    },
  });
  return {
    name,
    pid: 0,
    get alive() {
      return container.alive;
    },
    http: async () => (await readFile(env.FIRM_HTTP_FILE, "utf8")).trim(),
    log: () => log,
    kill: async (signal) => {
      await container.kill(signal);
      return container.exited;
    },
  };
}
