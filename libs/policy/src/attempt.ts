// Pure: only the current attempt at a handoff counts (DESIGN, rule 9).
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

/** @param current latest attempt claimed; @param presented the attempt in the worker's token */
export function checkAttempt(current: number, presented: number): Verdict {
  if (presented === current) return ALLOWED;
  return refuse(
    "stale-attempt",
    `attempt ${presented} does not count: attempt ${current} is the current one`,
  );
}
