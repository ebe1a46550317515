// Pure: what a rule answers; every rule of this library returns one and throws nothing (DESIGN "The rules the gateway enforces").
import type { ErrorCode } from "@firm/protocol";

/** A rule said no: `code` for the wire, `reason` for a person. */
export interface Refusal {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly reason: string;
}

/** Allowed, or refused with the reason. */
export type Verdict = { readonly ok: true } | Refusal;

export const ALLOWED: Verdict = Object.freeze({ ok: true });

export function refuse(code: ErrorCode, reason: string): Refusal {
  return { ok: false, code, reason };
}
