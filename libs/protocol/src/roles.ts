// Pure: what a role is called and how it is spelt in a subject (seed: firm-orchestration, "Handoff contract"; agent-protocol, "Valid roles").
import * as z from "zod";
import { FirmError } from "./errors.ts";

/** C-suite roles that can be invoked (seed: agent-protocol, "Valid roles"). */
export const INVOCABLE_ROLES = ["ceo", "cfo", "cro", "cmo", "cpo", "cto", "chro", "coo", "ciso"] as const;

/** Roles served by the executive image: the C-suite without the CEO's own process, and the board's critic. */
export const EXECUTIVE_ROLES = ["cfo", "cro", "cmo", "cpo", "cto", "chro", "coo", "ciso", "mentor"] as const;

/** A seat of the org chart below the CEO. */
export const LEVELS = ["department", "service", "employee"] as const;
export type Level = (typeof LEVELS)[number];

const SLUG = "[a-z][a-z0-9-]{0,39}";
const ROLE = new RegExp(`^(?:ceo|${EXECUTIVE_ROLES.join("|")}|(?:${LEVELS.join("|")}):${SLUG})$`);

/** A seat in the firm: `ceo`, `department:engineering`, `service:backend`, `employee:implementer`, `cfo`, `mentor`. */
export const Role = z.string().regex(ROLE, {
  error: (issue) =>
    `"${String(issue.input)}" is not a role: use ceo, a C-suite role (${EXECUTIVE_ROLES.join(", ")}), or department:<name>, service:<name>, employee:<name> in lower case`,
});
export type Role = z.infer<typeof Role>;

/** A name inside a level, e.g. the `engineering` of `department:engineering`. */
export const Slug = z.string().regex(new RegExp(`^${SLUG}$`), {
  error: (issue) =>
    `"${String(issue.input)}" is not a name: lower-case letters, digits and hyphens, starting with a letter, at most 40`,
});

/** True for a well-formed role name. */
export function isRole(text: string): boolean {
  return ROLE.test(text);
}

/** True for a role that the executive image serves. */
export function isExecutive(role: Role): boolean {
  return (EXECUTIVE_ROLES as readonly string[]).includes(role);
}

/** The level of a role of the pyramid; undefined for the CEO and the executives. */
export function levelOf(role: Role): Level | undefined {
  const level = role.split(":")[0] ?? "";
  return (LEVELS as readonly string[]).includes(level) && role.includes(":") ? (level as Level) : undefined;
}

/** The part after the level: `engineering` of `department:engineering`; the role itself where there is no level. */
export function nameOf(role: Role): string {
  return role.split(":")[1] ?? role;
}

/** A role's address in a subject: `department.engineering`, `executive.cfo`, `ceo`. */
export function addressOf(role: Role): string {
  if (!isRole(role)) throw new FirmError("unknown-role", `"${role}" is not a role`, { field: "role" });
  return isExecutive(role) ? `executive.${role}` : role.replace(":", ".");
}

/**
 * The role behind subject tokens.
 * @throws FirmError `unknown-role` if the tokens spell none.
 */
export function roleOfAddress(tokens: readonly string[]): Role {
  const [first = "", second] = tokens;
  const role = second === undefined ? first : first === "executive" ? second : `${first}:${second}`;
  if (!isRole(role) || addressOf(role) !== tokens.join(".")) {
    throw new FirmError("unknown-role", `"${tokens.join(".")}" is not a role's address`, { field: "role" });
  }
  return role;
}
