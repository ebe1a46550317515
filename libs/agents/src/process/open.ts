// Owns a child that is spoken with while it works: lines in, lines out, bounded; its tree ends with it, with the abort, with the time.
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { FirmError } from "@firm/protocol";
import type { Env } from "./env.ts";
import { guard } from "./guard.ts";
import { isolated } from "./isolated.ts";
import { collect } from "./output.ts";
import { endTree, signalTo } from "./tree.ts";

export interface OpenOptions {
  readonly cwd: string;
  /** Variables this child needs besides the allow-list. */
  readonly env?: Env;
  readonly signal: AbortSignal;
  /** Bytes of its whole output after which it is ended. */
  readonly maxOutputBytes: number;
  /** ms between SIGTERM and SIGKILL; default 2000. */
  readonly graceMs?: number;
}

/** How it ended: `exitCode` is undefined where a signal ended it. */
export interface OpenEnd {
  readonly exitCode: number | undefined;
  /** The beginning and the end of what it wrote to stderr. */
  readonly stderr: string;
  /** It wrote more than it may. */
  readonly flooded: boolean;
}

export interface OpenProcess {
  /** Its output, line by line, to its end. */
  readonly lines: AsyncIterable<string>;
  /** It has written more than it may, and is ended. */
  readonly flooded: boolean;
  /** Writes one line to its input; a child that is gone does not hear it. */
  write(line: string): void;
  /** Ends its whole tree, if it has not ended by itself. */
  end(): Promise<OpenEnd>;
}

/** Bytes of stderr that are kept. */
const STDERR = 16_384;

/**
 * Starts a program, without a shell, in a process group of its own.
 * @throws FirmError `agent-failed` where it cannot be started; the signal's reason.
 */
export async function openProcess(
  file: string,
  args: readonly string[],
  options: OpenOptions,
): Promise<OpenProcess> {
  const { execa } = await import("execa");
  options.signal.throwIfAborted();
  const child = execa(file, args, {
    ...isolated(options.cwd, options.env),
    stdin: "pipe",
  });
  const stderr = collect(child.stderr, STDERR);
  const { pid } = child;
  if (pid === undefined) {
    const { cause, message } = await child;
    throw new FirmError("agent-failed", `cannot start ${file}: ${message ?? "unknown reason"}`, { cause });
  }
  const watch = guard(pid, execa);
  let ending: Promise<void> | undefined;
  const stop = (): Promise<void> => (ending ??= endTree(pid, options.graceMs ?? 2_000));
  const onAbort = (): void => void stop();
  options.signal.addEventListener("abort", onAbort, { once: true });
  // It may end before it has read its input: its exit code says so.
  child.stdin.on("error", () => undefined);

  const output = new PassThrough();
  let size = 0;
  let flooded = false;
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= options.maxOutputBytes) output.write(chunk);
    else if (!flooded) {
      flooded = true;
      void stop();
    }
  });
  const closed = new Promise<void>((done) => {
    child.stdout.once("close", done);
    child.nodeChildProcess.once("exit", () => {
      // What it left running in its group belongs to the same work; a stray that holds the pipe open is not waited for.
      signalTo(-pid, "SIGKILL");
      setTimeout(done, 500).unref();
    });
  });
  void closed.then(() => output.end());
  return {
    lines: createInterface(output),
    get flooded() {
      return flooded;
    },
    write: (line) => void child.stdin.write(`${line}\n`),
    end: async () => {
      const gone = child.nodeChildProcess.exitCode !== null || child.nodeChildProcess.signalCode !== null;
      if (!gone) await stop();
      const { exitCode } = await child;
      await ending;
      watch.release();
      options.signal.removeEventListener("abort", onAbort);
      return { exitCode, stderr: stderr.get().text, flooded };
    },
  };
}
