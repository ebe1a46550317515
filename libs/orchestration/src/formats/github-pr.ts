// Pure: the delivery format `github_pr`: a draft pull request labelled needs-review (seed: firm-orchestration, Phase 6).
import type { Deliverable, PullRequest } from "@firm/protocol";
import { clip } from "../report.ts";
import { lineStart } from "./escape.ts";
import type { Report } from "./report-input.ts";
import {
  blockersSection,
  departmentsSection,
  findingsSection,
  listSection,
  partSections,
} from "./sections.ts";

/** What marks a pull request as not to be merged before a person has looked. */
const REVIEW_LABEL = "needs-review";
/** Forges cut longer titles in their lists. */
const TITLE_LENGTH = 72;

/** The body; its last line is the disclaimer. */
export function pullRequestBody(report: Report): string {
  const { deliverable, blockers, resolved } = report;
  const sections = [
    "## Summary",
    lineStart(deliverable.summary),
    ...partSections(report),
    findingsSection(deliverable.findings),
    listSection("Decisions", deliverable.decisions),
    listSection("Assumptions", deliverable.assumptions),
    listSection("Open items", deliverable.open_items),
    departmentsSection(deliverable.departments),
    blockersSection("Blocker reports", blockers),
    blockersSection("Settled blockers", resolved),
    `Run \`${deliverable.run}\`. Draft: to be reviewed by a person before it is merged.`,
    deliverable.disclaimer,
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

export function pullRequestTitle(objective: string): string {
  return clip(objective, TITLE_LENGTH);
}

/** The pull request of a run's branch, ready to be put on a forge or into files. */
export function draftPullRequest(
  deliverable: Pick<Deliverable, "objective" | "body">,
  refs: { readonly branch: string; readonly base: string },
): PullRequest {
  const title = pullRequestTitle(deliverable.objective);
  return {
    title,
    body: deliverable.body,
    branch: refs.branch,
    base: refs.base,
    draft: true,
    labels: [REVIEW_LABEL],
    files: [],
  };
}
