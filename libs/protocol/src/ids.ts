// Pure: ids are derived, never drawn, so that a replay names the same things.
import { createHash } from "node:crypto";
import { encodeTime } from "ulid";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A short, subject-safe digest of the parts; parts are length-prefixed, so no two lists collide by joining. */
export function digest(...parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return hash.digest("hex").slice(0, 20);
}

/**
 * The id of a run: a ULID whose time is the objective's and whose random part follows from its place in the
 * stream, so that a redelivered objective gets the same run.
 * @param storedAt when the bus stored the objective, epoch ms
 * @param origin what tells this objective from any other of the same ms, e.g. stream creation time and sequence
 */
export function runIdOf(storedAt: number, origin: string): string {
  const bytes = createHash("sha256").update(origin).digest();
  let random = "";
  for (let i = 0; i < 16; i++) random += CROCKFORD[(bytes[i] ?? 0) & 31];
  return encodeTime(storedAt, 10) + random;
}

/** True for a well-formed run id. */
export function isRunId(text: string): boolean {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text);
}

/** The root handoff of every run: the user's to the CEO. */
export const ROOT_HANDOFF = "root";

/** The id of a handoff: the same parent asking the same role for the same thing in the same cycle is the same handoff. */
export function handoffIdOf(
  run: string,
  parent: string,
  to: string,
  objectiveKey: string,
  cycle: number,
): string {
  return digest(run, parent, to, objectiveKey, String(cycle));
}

/** A role's session within a run. */
export function sessionKeyOf(run: string, role: string): string {
  return `${run}:${role}`;
}

/** A joint session of roles within a run; the order of the participants does not matter. */
export function jointSessionKeyOf(run: string, participants: readonly string[]): string {
  return `${run}:joint:${[...participants].toSorted().join("+")}`;
}

/** The key of a run's record in KV `firm-runs`. */
export function runKvKey(run: string): string {
  return `run.${run}`;
}

/** The KV key of a session key: KV keys hold no colons or plus signs. */
export function sessionKvKey(sessionKey: string): string {
  return sessionKey.replaceAll(":", ".").replaceAll("+", "=");
}

/** A stable key of an objective's text, e.g. for `objective_key`: at most 48 characters. */
export function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{Mark}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return slug.length <= 48 ? slug || "objective" : `${slug.slice(0, 39)}-${digest(text).slice(0, 8)}`;
}
