// Owns the promise that no child outlives its worker: on a normal exit the groups are killed at once, and a guardian
// process kills them when the worker itself was killed (its end of the pipe closes, whatever the reason).
import { Socket } from "node:net";
import type { execa as Execa } from "execa";
import { signalTo } from "./tree.ts";

/** Runs in the guardian: reads `+pid` and `-pid` lines; at the end of its input it ends the groups that are left. */
const GUARDIAN = `
const groups = new Set(); let rest = "";
process.on("SIGTERM", () => {}); process.on("SIGINT", () => {}); process.on("SIGHUP", () => {});
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n"); rest = lines.pop();
  for (const line of lines) line[0] === "+" ? groups.add(line.slice(1)) : groups.delete(line.slice(1));
});
process.stdin.on("end", () => {
  for (const id of groups) { try { process.kill(-id, "SIGKILL"); } catch {} }
  process.exit(0);
});`;

const groups = new Set<number>();
let guardian: { write(line: string): void } | undefined;

function startGuardian(execa: typeof Execa): { write(line: string): void } {
  const child = execa(process.execPath, ["--input-type=commonjs", "-e", GUARDIAN], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
    extendEnv: false,
    env: {},
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
  });
  child.nodeChildProcess.unref();
  // The pipe must not keep the worker alive: it closes when the worker ends, which is the signal.
  if (child.stdin instanceof Socket) child.stdin.unref();
  // A guardian that was killed is started anew with the next child.
  child.stdin.on("error", () => (guardian = undefined));
  process.once("exit", killAll);
  return { write: (line) => void child.stdin.write(line) };
}

function killAll(): void {
  for (const pid of groups) signalTo(-pid, "SIGKILL");
}

/** Watches over the group that `pid` leads until `release`. */
export function guard(pid: number, execa: typeof Execa): { release(): void } {
  groups.add(pid);
  if (guardian === undefined) {
    guardian = startGuardian(execa);
    for (const other of groups) if (other !== pid) guardian.write(`+${other}\n`);
  }
  guardian.write(`+${pid}\n`);
  return {
    release: () => {
      groups.delete(pid);
      guardian?.write(`-${pid}\n`);
    },
  };
}
