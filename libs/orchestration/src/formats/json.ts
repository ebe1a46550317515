// Pure: the deliverable for programs: every field but the body itself, with the parts' and blockers' full text.
import type { Report } from "./report-input.ts";

export function jsonReport({ deliverable, parts, blockers, resolved }: Report): string {
  const { disclaimer, ...fields } = deliverable;
  return JSON.stringify({ ...fields, parts, blockers, resolved_blockers: resolved, disclaimer }, null, 2);
}
