// Owns NATS clients that are not the firm's own, as processes with a user's credentials: the older npm line, and the `nats` command where there is one.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { RunEvent } from "@firm/protocol";
import { collector } from "./firm-nats.ts";

/** Address and credentials as `firm env` gives them, and a HOME without settings of the person who runs the tests. */
export type ForeignEnv = Readonly<Record<string, string>>;

/** A subscription of a foreign process. */
export interface Listening {
  /** The run's events that it has printed, once `until` holds for them. */
  events(until: (all: readonly RunEvent[]) => boolean): Promise<readonly RunEvent[]>;
  stop(): Promise<void>;
}

export interface ForeignClient {
  readonly name: string;
  pub(env: ForeignEnv, subject: string, body: string): Promise<void>;
  /** The answer's body. */
  req(env: ForeignEnv, subject: string, body: string): Promise<string>;
  /** The bodies of the first `count` answers. */
  all(env: ForeignEnv, subject: string, count: number): Promise<string[]>;
  /** What `nats micro ls` prints. */
  micro(env: ForeignEnv): Promise<string>;
  /** Listens to events of runs. */
  sub(env: ForeignEnv, subject: string): Promise<Listening>;
}

const ONE_SHOT = resolve(import.meta.dirname, "nats-command.ts");
const LISTENER = resolve(import.meta.dirname, "nats-v2-process.ts");

/** nats.js 2, which shares no code with the firm's own client. */
const olderLine: ForeignClient = {
  name: "nats.js 2",
  pub: async (env, subject, body) =>
    void (await ran(env, process.execPath, [ONE_SHOT, "pub", subject, body])),
  req: (env, subject, body) => ran(env, process.execPath, [ONE_SHOT, "req", subject, body]),
  all: async (env, subject, count) =>
    linesOf(await ran(env, process.execPath, [LISTENER, "all", subject, String(count)])),
  micro: (env) => ran(env, process.execPath, [ONE_SHOT, "micro", "ls"]),
  sub: (env, subject) => listening(env, process.execPath, [LISTENER, "sub", subject]),
};

/** The `nats` command. A body that starts with "@" would be the name of a file to it, so a line break goes first. */
function natsCommand(program: string): ForeignClient {
  const asBody = (body: string): string => (body.startsWith("@") ? `\n${body}` : body);
  return {
    name: "nats command",
    pub: async (env, subject, body) => void (await ran(env, program, ["pub", subject, asBody(body)])),
    req: (env, subject, body) => ran(env, program, ["req", "--raw", subject, asBody(body)]),
    all: async (env, subject, count) =>
      linesOf(await ran(env, program, ["req", "--raw", `--replies=${count}`, subject, ""])),
    micro: (env) => ran(env, program, ["micro", "ls"]),
    sub: (env, subject) => listening(env, program, ["sub", subject]),
  };
}

/** The clients that this machine has; the older npm line is always there. */
export function foreignClients(): ForeignClient[] {
  const program = process.env["FIRM_NATS_CLI"] ?? "nats";
  const found = spawnSync(program, ["--version"]).status === 0;
  if (!found && process.env["FIRM_NATS_CLI"] !== undefined)
    throw new Error(`FIRM_NATS_CLI: ${program} cannot be run`);
  return found ? [olderLine, natsCommand(program)] : [olderLine];
}

function started(env: ForeignEnv, program: string, args: readonly string[]): ChildProcess {
  return spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], ...env },
  });
}

async function ran(env: ForeignEnv, program: string, args: readonly string[]): Promise<string> {
  const child = started(env, program, args);
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${stderr}`);
  return stdout.trim();
}

async function listening(env: ForeignEnv, program: string, args: readonly string[]): Promise<Listening> {
  const child = started(env, program, args);
  const heard = collector<RunEvent>();
  const failed = once(child, "exit").then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
  failed.catch(() => undefined);
  if (child.stdout === null || child.stderr === null) throw new Error("no pipes");
  createInterface(child.stdout).on("line", (line) => {
    // The command prints subject and headers too.
    if (line.startsWith("{")) heard.push(RunEvent.parse(JSON.parse(line)));
  });
  await Promise.race([once(child.stderr, "data"), failed]);
  return {
    events: (until) => Promise.race([heard.until(until), failed]),
    stop: async () => {
      child.kill();
      await failed.catch(() => undefined);
    },
  };
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}
