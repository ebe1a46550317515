// Owns the processes a measurement needs; their seeds are the benchmark's own, made for this run.
import { spawn } from "node:child_process";
import { join } from "node:path";

export interface Child {
  stop(): Promise<void>;
}

/** Starts `parts/<file>` and waits until it says that it is ready. */
export async function startPart(file: string, args: readonly string[]): Promise<Child> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      if (chunk.toString().includes("ready")) resolve();
    });
    void exited.then(() => reject(new Error(`${file} ended before it was ready`)));
  });
  return {
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
