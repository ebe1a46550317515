// Owns what the CEO does with an objective: hand it to the departments, judge, merge, deliver (seed: firm-orchestration, Phases 1 to 5).
import type { WorkHandler } from "@firm/actor";
import { mergeRun, planTargets, type ChildOutcome } from "@firm/orchestration";
import { checkPullRequest } from "@firm/policy";
import { handDown, type RoleContext } from "@firm/roles";
import { boardHandler } from "./board.ts";

/** The run's deliverable; a department is never waited for beyond the deadline and never dropped. */
export function ceoHandler(context: RoleContext): WorkHandler {
  const board = boardHandler(context);
  return async (work) => {
    const { run, objective } = work.order;
    if (objective.kind === "board") return board(work);
    const { children, blockers, resolved } = await handDown(
      context,
      work,
      planTargets(objective, context.chart),
    );
    const deliverable = mergeRun({
      run,
      objective,
      order: context.chart.departments,
      outcomes: children.map(withReviewablePullRequest),
      blockers,
      resolved,
    });
    return { deliverable };
  };
}

/** A pull request that is no draft, or not labelled for review, is refused and named (Phase 6). */
export function withReviewablePullRequest(outcome: ChildOutcome): ChildOutcome {
  const { result } = outcome;
  if (result?.pull_request === undefined) return outcome;
  const verdict = checkPullRequest(result.pull_request, result.pull_request.base);
  if (verdict.ok) return outcome;
  const { pull_request: _refused, ...rest } = result;
  const item = `${outcome.role}: pull request refused — ${verdict.reason}`;
  return { ...outcome, result: { ...rest, quality: "partial", open_items: [...rest.open_items, item] } };
}
