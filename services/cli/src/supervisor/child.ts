// Owns one child process for as long as it is wanted: starts it, keeps its log, starts it again after a crash.
//
// C1  A child is a process group of its own: a Ctrl-C at the terminal reaches the supervisor alone, which ends things in order.
// C2  A child's standard input is a pipe that only the supervisor holds: its end, however the supervisor died, ends the child.
// C3  After `stop` resolves, the child is gone.
// C4  When a child has ended, what it left of its group is killed: a new one never meets the old one's rest on a port or a store.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { CrashHistory } from "./backoff.ts";
import { afterCrash, NO_CRASHES } from "./backoff.ts";
import { LogFile } from "./log-file.ts";

export interface ChildSpec {
  /** For messages and the log's name, e.g. `department:engineering`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly logFile: string;
  /** `eof`: the end of its input asks it to stop; `sigterm`: a signal does. */
  readonly stopBy: "eof" | "sigterm";
  /** ms between asking and killing. */
  readonly graceMs: number;
}

/** What a supervisor wants to know. */
export interface ChildEvents {
  /** It ended by itself, so often in a row; `delayMs` until it starts again. */
  crashed?(name: string, how: string, delayMs: number, crashes: number): void;
  /** It crashed so often in a row that somebody should look. */
  looping?(name: string, how: string, lastLine: string | undefined): void;
  started?(name: string, pid: number): void;
  /** It wrote something. */
  said?(name: string, text: string): void;
  /** It did not end within its grace and is killed. */
  killed?(name: string, graceMs: number): void;
}

export class Child {
  readonly spec: ChildSpec;
  readonly #events: ChildEvents;
  readonly #log: LogFile;
  #process: ChildProcess | undefined;
  #history: CrashHistory = NO_CRASHES;
  #restart: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;
  #starts = 0;
  #lastExit: string | undefined;

  constructor(spec: ChildSpec, events: ChildEvents = {}) {
    this.spec = spec;
    this.#events = events;
    this.#log = new LogFile(spec.logFile);
    this.#start();
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get running(): boolean {
    return this.#process !== undefined;
  }

  get restarts(): number {
    return this.#starts - 1;
  }

  /** Crashes in a row; 0 while all is well. */
  get crashes(): number {
    return this.#history.crashes;
  }

  /** How it ended last; undefined while it never did. */
  get lastExit(): string | undefined {
    return this.#lastExit;
  }

  lastLines(count: number): string[] {
    return this.#log.lastLines(count);
  }

  /** Asks it to end, kills it after the grace. Resolves once it is gone; may be called again. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Asks the process to end, by the end of its input; it starts again as after a crash. */
  restart(): void {
    this.#process?.stdin?.end();
  }

  #start(): void {
    const { command, args, env, cwd } = this.spec;
    const startedAt = Date.now();
    const child = spawn(command, args, {
      cwd,
      env: { ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.#process = child;
    this.#starts++;
    // A child that died with the pipe open breaks it; its exit says all there is to say.
    child.stdin.on("error", () => undefined);
    for (const output of [child.stdout, child.stderr]) {
      this.#log.follow(output);
      output.on("data", (chunk: Buffer) => this.#events.said?.(this.spec.name, chunk.toString()));
    }
    let ended = false;
    const end = (how: string): void => {
      if (ended) return;
      ended = true;
      this.#ended(how, Date.now() - startedAt);
    };
    child.once("error", (error) => end(`did not start: ${error.message}`));
    child.once("exit", (code, signal) =>
      end(signal === null ? `exit code ${String(code)}` : `signal ${signal}`),
    );
    if (child.pid !== undefined) this.#events.started?.(this.spec.name, child.pid);
  }

  #ended(how: string, ranMs: number): void {
    if (this.#process !== undefined) {
      this.#process.stdin?.destroy();
      killGroup(this.#process);
    }
    this.#process = undefined;
    if (this.#stopping !== undefined) return;
    this.#lastExit = how;
    const { history, delayMs, loop } = afterCrash(this.#history, ranMs);
    this.#history = history;
    this.#events.crashed?.(this.spec.name, how, delayMs, history.crashes);
    if (loop) this.#events.looping?.(this.spec.name, how, this.#log.lastLines(1)[0]);
    this.#restart = setTimeout(() => this.#start(), delayMs);
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#restart);
    const child = this.#process;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const gone = once(child, "exit");
      child.stdin?.end();
      if (this.spec.stopBy === "sigterm") child.kill("SIGTERM");
      const timer = setTimeout(() => {
        this.#events.killed?.(this.spec.name, this.spec.graceMs);
        killGroup(child);
      }, this.spec.graceMs);
      await gone;
      clearTimeout(timer);
    }
    this.#log.close();
  }
}

/** SIGKILL for the child and whatever it started in its group. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group is gone already, which is what was wanted.
  }
}
