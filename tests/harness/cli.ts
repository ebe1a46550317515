// Owns a `firm` command in a directory of its own, started as a user starts it, and the list of what it leaves running.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { RunEvent, type LoggedEvent } from "@firm/protocol";
import * as z from "zod";

const BIN = resolve(import.meta.dirname, "../../services/cli/bin/firm.js");
const Line = z.object({ seq: z.int(), event: RunEvent });

/** What a command ended with. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface Command {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Resolves with the first event of a `--json` run that fits. */
  event(fits: (event: RunEvent) => boolean): Promise<LoggedEvent>;
  /** Resolves once it has said these words on stderr. */
  said(words: string): Promise<void>;
  /** As a terminal's Ctrl-C does: the whole process group gets it. */
  interrupt(): void;
  kill(signal: NodeJS.Signals): void;
}

export interface CliHome {
  readonly dir: string;
  /** Starts a command. */
  start(args: readonly string[], options?: StartOptions): Command;
  /** Starts a command and waits for its end. */
  run(args: readonly string[], options?: StartOptions): Promise<Ended>;
  /** Replaces what the scripted agents do. */
  script(steps: unknown): Promise<void>;
  /** Processes that belong to this directory. */
  processes(): Promise<number[]>;
  /** Resolves when none is left. */
  empty(): Promise<void>;
  remove(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Node that starts bin/firm.js; default: the one that runs the tests. */
  readonly node?: string;
}

/** A fresh directory whose roles are played by the scripted agent. */
export async function cliHome(yaml = "agents: {default: scripted}\n"): Promise<CliHome> {
  const dir = await mkdtemp(join(tmpdir(), "firm-cli-"));
  const scriptFile = join(dir, "script.json");
  const script = (steps: unknown): Promise<void> => writeFile(scriptFile, JSON.stringify(steps));
  await Promise.all([writeFile(join(dir, "firm.yaml"), yaml), script({})]);
  const start = (
    args: readonly string[],
    { env = {}, node = process.execPath }: StartOptions = {},
  ): Command => {
    const child = spawn(node, [BIN, "--dir", dir, ...args], {
      cwd: dir,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      env: {
        PATH: process.env["PATH"],
        HOME: dir,
        FIRM_NATS_SERVER: process.env["FIRM_NATS_SERVER"],
        FIRM_SCRIPTED_FILE: scriptFile,
        ...env,
      },
    });
    return watched(child);
  };
  const processes = (): Promise<number[]> => processesOf(dir);
  return {
    dir,
    start,
    run: (args, options) => start(args, options).ended,
    script,
    processes,
    empty: async () => {
      while ((await processes()).length > 0) await new Promise((done) => setTimeout(done, 20));
    },
    remove: async () => {
      for (const pid of await processes()) process.kill(pid, "SIGKILL");
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function watched(child: ChildProcess): Command {
  let stdout = "";
  let stderr = "";
  const events: LoggedEvent[] = [];
  const waiting = new Set<() => void>();
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    for (const look of waiting) look();
  });
  if (child.stdout !== null) {
    createInterface(child.stdout).on("line", (line) => {
      if (!line.startsWith('{"seq"')) return;
      events.push(Line.parse(JSON.parse(line)));
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<Ended>((done, failed) => {
    child.once("error", failed);
    child.once("close", (code) => done({ code, stdout, stderr }));
  });
  const until = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((found, failed) => {
      const look = (): void => {
        const value = find();
        if (value === undefined) return;
        waiting.delete(look);
        found(value);
      };
      waiting.add(look);
      look();
      ended.then(() => failed(new Error(`it ended before:\n${stdout}\n${stderr}`)), failed);
    });
  return {
    pid: child.pid ?? 0,
    ended,
    event: (fits) => until(() => events.find(({ event }) => fits(event))),
    said: async (words) => void (await until(() => stderr.includes(words) || undefined)),
    interrupt: () => process.kill(-(child.pid ?? 0), "SIGINT"),
    kill: (signal) => void child.kill(signal),
  };
}

/** Processes that name the directory in their arguments or their environment. */
async function processesOf(dir: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const named = await Promise.all(
    pids.map(async (pid) => {
      const texts = await Promise.all(
        ["cmdline", "environ"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
      );
      return pid !== process.pid && texts.some((text) => text.includes(dir)) ? [pid] : [];
    }),
  );
  return named.flat();
}
