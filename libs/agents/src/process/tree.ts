// Owns the end of a child's whole process tree (DESIGN, rule 10: cancel reaches the leaves).
// T1: a child leads its own process group, so one signal reaches all that did not leave it.
// T2: descendants that left the group are found through the process table before the first signal, while the tree still stands.
// T3: SIGTERM first, SIGKILL after the grace period to whoever is left.
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** Parent by process id, from /proc; empty where the system has none, and then T1 alone holds. */
async function parents(): Promise<Map<number, number>> {
  const names = await readdir("/proc").catch(() => []);
  const found = new Map<number, number>();
  await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        // A process may end between the listing and the read.
        const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
        const parent = /^\d+ \(.*\) \S (\d+)/s.exec(stat)?.[1];
        if (parent !== undefined) found.set(Number(name), Number(parent));
      }),
  );
  return found;
}

/** Process ids below `root`, nearest first. */
export async function descendantsOf(root: number): Promise<number[]> {
  const table = await parents();
  const found: number[] = [];
  let level = [root];
  while (level.length > 0) {
    const next = [...table].filter(([, parent]) => level.includes(parent)).map(([pid]) => pid);
    found.push(...next.filter((pid) => !found.includes(pid)));
    level = next;
  }
  return found;
}

/** Signals a process, or a group where `pid` is negative. @returns false where it is gone. */
export function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    // ESRCH: it has ended, which is what was wanted. EPERM: it changed its user and is not ours to end.
    if (error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM"))
      return false;
    throw error;
  }
}

/**
 * Ends the group that `leader` leads and all its descendants. Resolves when none is left or all were sent SIGKILL.
 * @param graceMs between SIGTERM and SIGKILL
 */
export async function endTree(leader: number, graceMs: number): Promise<void> {
  const strays = await descendantsOf(leader);
  const all = [-leader, ...strays];
  for (const pid of all) signalTo(pid, "SIGTERM");
  const until = Date.now() + graceMs;
  while (Date.now() < until && all.some((pid) => signalTo(pid, 0))) await delay(20);
  for (const pid of all) signalTo(pid, "SIGKILL");
}
