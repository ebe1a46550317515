// Pure: the delivery format `markdown_report` (seed: firm-orchestration, Phase 5).
import { inline, lineStart } from "./escape.ts";
import type { Report } from "./report-input.ts";
import {
  blockersSection,
  departmentsSection,
  findingsSection,
  listSection,
  partSections,
} from "./sections.ts";

/** The whole report; its last line is the disclaimer. */
export function markdownReport(report: Report): string {
  const { deliverable, blockers, resolved } = report;
  const sections = [
    `# ${inline(firstLine(deliverable.objective))}`,
    lineStart(deliverable.summary),
    ...partSections(report),
    findingsSection(deliverable.findings),
    listSection("Decisions", deliverable.decisions),
    listSection("Assumptions", deliverable.assumptions),
    listSection("Open items", deliverable.open_items),
    departmentsSection(deliverable.departments),
    blockersSection("Blocker reports", blockers),
    blockersSection("Settled blockers", resolved),
    listSection("Suggestions for the next run", deliverable.suggestions),
    `Run \`${deliverable.run}\``,
    deliverable.disclaimer,
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? text;
}
