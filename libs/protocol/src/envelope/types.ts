// Pure: what an envelope means once it is read (seed: agent-protocol, "Invocation Syntax", "Response Format", "Rule 4").
import { INVOCABLE_ROLES, type Role } from "../roles.ts";

/** A role that can be asked and can answer. */
export type InvocableRole = (typeof INVOCABLE_ROLES)[number];

export const CONFIDENCES = ["high", "medium", "low"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** `[INVOKE:role|question]`. */
export interface InvokeEnvelope {
  readonly kind: "invoke";
  readonly role: InvocableRole;
  readonly question: string;
}

/** `[RESPONSE:role] … [/RESPONSE]` that keeps every rule of the format. */
export interface ResponseEnvelope {
  readonly kind: "response";
  readonly role: InvocableRole;
  readonly finding: string;
  /** Two or three. */
  readonly data: readonly string[];
  readonly confidence: Confidence;
  readonly caveat: string;
}

/** `[CHAIN: cro → cfo → coo]`, first asker first. */
export interface ChainEnvelope {
  readonly kind: "chain";
  readonly roles: readonly Role[];
}

/** `[BLOCKED: cannot invoke cfo — reason]`, with what the agent assumes in its place once it has said so. */
export interface BlockedEnvelope {
  readonly kind: "blocked";
  /** What was asked for; it need not be a role. */
  readonly role: string;
  readonly reason: string;
  readonly assumption?: string;
}

/** `[ASSUMPTION: text]`. */
export interface AssumptionEnvelope {
  readonly kind: "assumption";
  readonly text: string;
}

export type Envelope =
  | InvokeEnvelope
  | ResponseEnvelope
  | ChainEnvelope
  | BlockedEnvelope
  | AssumptionEnvelope;

/** A response as an agent wrote it: every line that was found for a field, so that `checkResponse` can say what is wrong. */
export interface ReadResponse {
  readonly kind: "response";
  readonly role: InvocableRole;
  readonly findings: readonly string[];
  readonly data: readonly string[];
  readonly confidences: readonly string[];
  readonly caveats: readonly string[];
  /** Lines that belong to no field. */
  readonly stray: readonly string[];
  /** False where the closing tag is missing. */
  readonly closed: boolean;
}

export type ReadEnvelope = Exclude<Envelope, ResponseEnvelope> | ReadResponse;

/** The invocable role that a word spells in any case; undefined if none. */
export function invocableRole(word: string): InvocableRole | undefined {
  const lower = word.toLowerCase();
  return INVOCABLE_ROLES.find((role) => role === lower);
}
