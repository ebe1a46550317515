// Pure: who may connect to the bus, and what each is called there (DESIGN "Subjects (v1)": permissions pin the sender).
import { addressOf, isRole, type Role } from "./roles.ts";
import { subjects } from "./subjects.ts";

/** Those who connect and are no role: who sets the bus up, the gateway, the local supervisor, and whoever uses the firm. */
export const FIRM_IDENTITIES = ["operator", "gateway", "supervisor", "user"] as const;

/** A holder of credentials. */
export type Identity = (typeof FIRM_IDENTITIES)[number] | Role;

/** Private inbox prefix of an identity. Users keep the clients' default, so that any NATS client can ask. */
export function inboxPrefixOf(identity: Identity): string {
  if (identity === "user" || identity === "operator") return "_INBOX";
  return isRole(identity) ? subjects.inbox(identity) : `_INBOX_${identity}`;
}

/** The name under which `nats micro ls` lists a process: `firm-department-engineering`, `firm-gateway`. */
export function serviceNameOf(identity: Identity): string {
  return `firm-${isRole(identity) ? addressOf(identity).replaceAll(".", "-") : identity}`;
}
