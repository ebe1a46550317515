// Pure: pull requests are drafts labelled needs-review, never direct merges (seed: firm-orchestration, Phase 6).
import type { PullRequest } from "@firm/protocol";
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

export const REVIEW_LABEL = "needs-review";

/** @param defaultBranch the repository's, e.g. `main` */
export function checkPullRequest(pr: PullRequest, defaultBranch: string): Verdict {
  if (!pr.draft) return refuse("invalid-input", `the pull request of ${pr.branch} must be a draft`);
  if (!pr.labels.includes(REVIEW_LABEL))
    return refuse("invalid-input", `the pull request of ${pr.branch} must carry the label ${REVIEW_LABEL}`);
  const branch = shortName(pr.branch);
  if (branch === shortName(defaultBranch) || branch === shortName(pr.base)) {
    return refuse(
      "invalid-input",
      `the pull request's branch is ${branch} itself: work on a branch of its own`,
    );
  }
  return ALLOWED;
}

function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}
