// Pure: blockers that the contract itself shows, and how one is resolved (seed: firm-orchestration, Phase 2).
import type { AgentInput } from "../../types.ts";
import { readOnlyConstraint, resolutionIn } from "./objective.ts";
import { emptyPart, section, type Part } from "./part.ts";

/** A contradiction in the contract that keeps this role from working; undefined where there is none or it was settled. */
export function contradictionIn(input: AgentInput): string | undefined {
  const forbids = readOnlyConstraint(input.contract);
  if (input.deliveryFormat !== "github_pr" || input.workspace === undefined || forbids === undefined)
    return undefined;
  if (resolutionIn(input.contract) !== undefined) return undefined;
  return `The delivery format github_pr needs commits on a branch, and the constraint "${forbids}" forbids writing. Choose markdown_report, or lift the constraint for a firm/<run> branch.`;
}

/** True where a settled blocker, or a constraint, says that nothing may be written. */
export function mayNotWrite(input: AgentInput): boolean {
  return readOnlyConstraint(input.contract) !== undefined;
}

export const isResolveBlocker = (objective: string): boolean => objective.startsWith("resolve_blocker");

interface Dispute {
  readonly blocked: string;
  readonly by: string;
  readonly reason: string;
}

function disputeIn(objective: string): Dispute {
  const [, blocked = "the blocked role", by = "this role", reason = objective] =
    /^resolve_blocker:?\s*(\S+) is blocked by (\S+):\s+([\s\S]*)$/.exec(objective) ?? [];
  return { blocked, by, reason: reason.replace(/^resolve_blocker:?\s*/, "").trim() };
}

/** A concrete way on for the blocked role. */
export function resolveBlocker(input: AgentInput): Part {
  const part = emptyPart();
  const below = input.children.map((child) => child.result?.summary ?? "").find((summary) => summary !== "");
  const { blocked, reason } = disputeIn(input.contract.objective);
  part.summary = below ?? resolutionOf(blocked, reason);
  part.sections = [section("Resolution", [part.summary]), section("Blocker", [reason])];
  part.decisions = [`${blocked} goes on under the conditions of ${input.role}: ${part.summary}`];
  part.assumptions = [`No person has confirmed the conditions under which ${blocked} goes on.`];
  part.openItems = [`Have a person confirm how this was settled: ${reason.slice(0, 500)}`];
  return part;
}

function resolutionOf(blocked: string, reason: string): string {
  if (/read[- ]?only|forbids writing|no changes/i.test(reason)) {
    return `${blocked} writes nothing to the repository: it delivers the change as text in its report, ready to be applied once a person allows it.`;
  }
  if (/licen[cs]e|legal|gdpr|privacy|personal data|compliance|contract|copyright/i.test(reason)) {
    return `${blocked} may go on with what is reversible and internal: no release, no merge and no real personal data before the named point is approved by a person. It states the point as an assumption and keeps the part concerned behind one switch or file, so that it can be taken out.`;
  }
  if (/secur|vulnerab|secret|credential|audit/i.test(reason)) {
    return `${blocked} may go on if the named point is closed or fenced off first: the part concerned stays switched off by default, and its test shows that it is. Release waits for a person's review.`;
  }
  if (/waits? for|needs?|depends? on|missing|require/i.test(reason)) {
    return `${blocked} may go on with a stated assumption in place of what is missing, behind an interface that can be filled later; it names the assumption and what would change if it is wrong.`;
  }
  return `${blocked} may go on with everything that the disputed point does not touch, leaves that point out, and names it as an open item for a person to decide.`;
}
