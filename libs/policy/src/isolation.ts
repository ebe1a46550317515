// Pure: board meeting phases in which nobody is asked (seed: agent-protocol, "Isolation Rules").
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

/** Independent analysis: each role forms its own view first. */
export const ISOLATED_PHASE = 2;
/** The critic works on what was said, without new data. */
export const CRITIC_PHASE = 3;

/** @param phase board meeting phase, 0 outside one */
export function checkIsolation(phase: number): Verdict {
  if (phase === ISOLATED_PHASE) {
    return refuse(
      "isolated-phase",
      "no invocations in board meeting phase 2 (independent analysis): state an assumption instead",
    );
  }
  if (phase === CRITIC_PHASE) {
    return refuse(
      "isolated-phase",
      "no invocations in board meeting phase 3 (critic): the executive mentor may quote, not invoke",
    );
  }
  return ALLOWED;
}
