// Owns the one way to start a child process: no shell, an environment by allow-list, a time limit, bounded output, and an
// abort that ends the whole process tree.
import { FirmError } from "@firm/protocol";
import type { Env } from "./env.ts";
import { guard } from "./guard.ts";
import { isolated } from "./isolated.ts";
import { collect } from "./output.ts";
import { endTree, signalTo } from "./tree.ts";

export interface RunOptions {
  readonly cwd: string;
  /** Variables this child needs besides the allow-list. */
  readonly env?: Env;
  /** ms until the tree is ended. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Text for the child's input, which is closed after it; absent: no input. */
  readonly input?: string;
  /** Bytes kept of each of stdout and stderr; default 256 KiB. */
  readonly maxOutputBytes?: number;
  /** ms between SIGTERM and SIGKILL; default 2000. */
  readonly graceMs?: number;
  /** False for a program that ends by itself within moments, such as a git query: no guardian is started for it. */
  readonly guarded?: boolean;
}

/** How a child ended. */
export interface RunResult {
  /** Undefined where a signal ended it. */
  readonly exitCode: number | undefined;
  readonly ended: "exit" | "timeout" | "aborted" | "signal";
  readonly stdout: string;
  readonly stderr: string;
  /** Output was dropped to stay within the limit. */
  readonly truncated: boolean;
  readonly durationMs: number;
}

/**
 * Runs a program to its end, or until the time limit or the abort. A non-zero exit is a result, not an error.
 * @throws FirmError `agent-failed` where the program cannot be started (`cause` is the system's error).
 */
export async function runProcess(
  file: string,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  const began = performance.now();
  const limit = options.maxOutputBytes ?? 262_144;
  // Loaded with the first child: most workers never start one.
  const { execa } = await import("execa");
  // From here to the listener below nothing waits, so that no abort is missed.
  if (options.signal?.aborted === true) return ended("aborted", began);
  const child = execa(file, args, {
    ...isolated(options.cwd, options.env),
    stdin: options.input === undefined ? "ignore" : "pipe",
  });
  const stdout = collect(child.stdout, limit);
  const stderr = collect(child.stderr, limit);
  const pid = child.pid;
  if (pid === undefined) {
    const { cause, message } = await child;
    throw new FirmError("agent-failed", `cannot start ${file}: ${message ?? "unknown reason"}`, { cause });
  }
  let watch: { release(): void } | undefined;
  if (options.input !== undefined) {
    // The child may end before it has read its input: its exit code says so.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input);
  }
  let why: "timeout" | "aborted" | undefined;
  let ending: Promise<void> | undefined;
  const closeOutput = (): void => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const end = (reason: "timeout" | "aborted"): void => {
    why ??= reason;
    ending ??= endTree(pid, options.graceMs ?? 2_000).then(closeOutput);
  };
  child.nodeChildProcess.once("exit", () => {
    // What the child left running in its group belongs to the same work. A stray outside the group may hold the pipes open:
    // it gets a moment to write its last, then nobody waits for it.
    signalTo(-pid, "SIGKILL");
    setTimeout(closeOutput, 500).unref();
  });
  const onAbort = (): void => end("aborted");
  options.signal?.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => end("timeout"), options.timeoutMs);
  try {
    if (options.guarded !== false) watch = guard(pid, execa);
    const result = await child;
    await ending;
    const out = stdout.get();
    const err = stderr.get();
    return {
      exitCode: result.exitCode,
      ended: why ?? (result.exitCode === undefined ? "signal" : "exit"),
      stdout: out.text,
      stderr: err.text,
      truncated: out.dropped + err.dropped > 0,
      durationMs: performance.now() - began,
    };
  } catch (error) {
    // Without a guardian there shall be no child.
    await endTree(pid, 0);
    throw error;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
    watch?.release();
  }
}

function ended(how: "aborted", began: number): RunResult {
  return {
    exitCode: undefined,
    ended: how,
    stdout: "",
    stderr: "",
    truncated: false,
    durationMs: performance.now() - began,
  };
}
