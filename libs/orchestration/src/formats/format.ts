// Pure: the one place where a delivery format picks its writer (seed: firm-orchestration, "Merge strategy" 4).
import type { Deliverable } from "@firm/protocol";
import { pullRequestBody } from "./github-pr.ts";
import { jsonReport } from "./json.ts";
import { markdownReport } from "./markdown.ts";
import type { Report } from "./report-input.ts";

export function formatBody(report: Report): Deliverable["body"] {
  switch (report.deliverable.format) {
    case "markdown_report":
      return markdownReport(report);
    case "json":
      return jsonReport(report);
    case "github_pr":
      return pullRequestBody(report);
  }
}
