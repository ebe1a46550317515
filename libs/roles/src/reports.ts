// Pure: what a role's agent is told of each report, checked against what the report was asked for (seed: firm-orchestration, Phase 4).
import type { ChildReport } from "@firm/agents";
import { validated, type ChildOutcome } from "@firm/orchestration";

/** The outcomes with each result judged by its own definition of done. */
export function judged(children: readonly ChildOutcome[]): ChildOutcome[] {
  return children.map((child) =>
    child.result === undefined
      ? child
      : { ...child, result: validated(child.result, child.definitionOfDone) },
  );
}

/** Outcomes as an agent reads them. */
export function reportsOf(children: readonly ChildOutcome[]): ChildReport[] {
  return children.map(({ role, status, result, reason }) => ({ role, status, result, reason }));
}
