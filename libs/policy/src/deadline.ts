// Pure: deadlines are absolute and hard, and a child's is earlier than its parent's (seed: firm-orchestration, Phase 3; DESIGN, rule 8).
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

/** Share of the remaining time that a parent keeps for itself. */
const MARGIN_SHARE = 0.05;
/** Less is not enough to collect and answer, ms. */
const MARGIN_MIN = 50;
/** More is not needed, ms. */
const MARGIN_MAX = 1_000;

/**
 * The deadline of work handed down now. Where the parent has less than the margin left, it lies in the past: too late to hand anything down.
 * @param parentDeadline epoch ms
 * @param now epoch ms
 */
export function childDeadline(parentDeadline: number, now: number): number {
  const share = Math.round((parentDeadline - now) * MARGIN_SHARE);
  return parentDeadline - Math.min(MARGIN_MAX, Math.max(MARGIN_MIN, share));
}

/** @param deadline epoch ms; the deadline itself is too late */
export function checkDeadline(deadline: number, now: number): Verdict {
  if (now < deadline) return ALLOWED;
  return refuse("deadline-passed", `the deadline passed ${Math.round(now - deadline)} ms ago`);
}
