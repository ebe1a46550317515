// Owns being told to stop: Ctrl-C, a signal, or the end of the launcher that runs us under another Node.
import { Socket } from "node:net";

/** Under a launcher a Ctrl-C comes twice, from the terminal and forwarded; within this it is one. */
const SAME_PRESS_MS = 500;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

export interface Interrupts {
  /** Aborted by the first. */
  readonly signal: AbortSignal;
  /** Resolves at the first, with what it was. */
  readonly first: Promise<string>;
  /** Resolves at the second: the user does not want to wait. */
  readonly second: Promise<void>;
  /** Signals have their default effect again. */
  release(): void;
}

/** Takes signals over until released. */
export function takeInterrupts(): Interrupts {
  const controller = new AbortController();
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const on = (signal: string): void => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      first.resolve(signal);
      controller.abort(new Error(`interrupted (${signal})`));
    } else if (Date.now() - firstAt > SAME_PRESS_MS) second.resolve();
  };
  for (const signal of SIGNALS) process.on(signal, on);
  return {
    signal: controller.signal,
    first: first.promise,
    second: second.promise,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, on);
    },
  };
}

/** The launcher (bin/firm.js) holds the other end of a pipe: when it is gone, we were told to stop. */
export function watchLauncher(env: NodeJS.ProcessEnv = process.env): void {
  const fd = Number(env.FIRM_LAUNCHER_FD);
  delete env.FIRM_LAUNCHER_FD;
  if (!Number.isInteger(fd) || fd <= 2) return;
  const pipe = new Socket({ fd, readable: true, writable: false });
  pipe.on("error", () => undefined);
  pipe.once("close", () => process.kill(process.pid, "SIGTERM"));
  pipe.resume();
  pipe.unref();
}
