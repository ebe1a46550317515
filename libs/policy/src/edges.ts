// Pure: handoffs run along the org chart's edges only (DESIGN, rule 5).
import { USER, type Role } from "@firm/protocol";
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

/** Users hand to the CEO alone; a role hands to its direct reports alone. */
export function checkEdge(
  reportsOf: (role: Role) => readonly Role[],
  from: Role | typeof USER,
  to: Role,
): Verdict {
  const reports = from === USER ? ["ceo"] : reportsOf(from);
  if (reports.includes(to)) return ALLOWED;
  const may =
    reports.length === 0 ? `${from} has no direct reports` : `${from} may hand to ${reports.join(", ")}`;
  return refuse("edge-not-in-org-chart", `${from} may not hand work to ${to}: ${may}`);
}
