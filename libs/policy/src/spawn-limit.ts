// Pure: at most so many sessions are spawned in a run (seed: firm-orchestration, "Security": 20; DESIGN, rule 6).
import { refuse, type Refusal } from "./verdict.ts";

/** Allowed: which sessions are new, and how many more the run may spawn after them. */
export type SpawnVerdict = { readonly ok: true; readonly fresh: string[]; readonly left: number } | Refusal;

/**
 * All or nothing: sessions that are there already are reused and not counted.
 * @param spawned session keys this run has spawned
 * @param wanted session keys that are needed now
 */
export function checkSpawns(
  spawned: readonly string[],
  wanted: readonly string[],
  limit: number,
): SpawnVerdict {
  const there = new Set(spawned);
  const fresh = [...new Set(wanted)].filter((key) => !there.has(key));
  const left = limit - there.size - fresh.length;
  if (fresh.length > 0 && left < 0) {
    return refuse(
      "spawn-limit",
      `${fresh.length} more would exceed the run's limit of ${limit} spawns (${there.size} so far): ${fresh.join(", ")}`,
    );
  }
  return { ok: true, fresh, left: Math.max(0, left) };
}
