// Owns the lock on a run's worktree: one holder at a time, across processes; a holder that died holds nothing.
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { signalTo } from "../process/tree.ts";

/** Gives the lock back. */
export type Release = () => Promise<void>;

/** Waits for the lock file; rejects with the signal's reason on abort. */
export async function lock(file: string, signal: AbortSignal): Promise<Release> {
  await mkdir(dirname(file), { recursive: true });
  for (;;) {
    signal.throwIfAborted();
    try {
      const handle = await open(file, "wx");
      await handle.writeFile(String(process.pid));
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    const holder = Number(await readFile(file, "utf8").catch(() => "")) || 0;
    if (holder !== 0 && !signalTo(holder, 0)) await rm(file, { force: true });
    else await delay(25, undefined, { signal });
  }
}
