// Pure: the tolerant form of each envelope between brackets; responses have a file of their own.
import { isRole, type Role } from "../roles.ts";
import { clean, trim } from "./characters.ts";
import { fault, type Fault, isFault } from "./errors.ts";
import { type Brackets, bracketsOf, closeOf, unescape } from "./escape.ts";
import type { Head } from "./heads.ts";
import { ENVELOPE_LIMITS } from "./limits.ts";
import type { Meter } from "./meter.ts";
import { ASSUMPTION, QUESTION, REASON } from "./rules.ts";
import { isBlockedRole, textFault, type TextRule } from "./text.ts";
import { type Envelope, invocableRole } from "./types.ts";

export type Read =
  | { readonly envelope: Exclude<Envelope, { kind: "response" }>; readonly end: number }
  | Fault;

/** Reads one envelope whose head is known. */
export type Form = (text: string, head: Head, meter: Meter) => Read;

/** Emphasis that an agent puts around a word. */
const EMPHASIS = /^[*_`\s]+|[*_`\s]+$/g;

export const readInvoke: Form = (text, head, meter) => {
  if (!head.colon) return fault("unexpected", 'expected ":" and the role', head.after);
  const inner = innerOf(text, head, QUESTION, meter);
  if (isFault(inner)) return inner;
  const bar = inner.raw.search(/[|｜]/);
  const word = wordOf(bar === -1 ? inner.raw : inner.raw.slice(0, bar));
  const role = invocableRole(word);
  if (role === undefined) {
    return fault("unknown-role", `"${word.slice(0, 64)}" is not a role that can be invoked`, head.after);
  }
  if (bar === -1) return fault("unexpected", 'expected "|" and the question', inner.close);
  const question = textOf(inner, bar + 1, QUESTION);
  return typeof question === "string"
    ? { envelope: { kind: "invoke", role, question }, end: inner.close + 1 }
    : question;
};

export const readChain: Form = (text, head, meter) => {
  const inner = innerOf(text, head, REASON, meter);
  if (isFault(inner)) return inner;
  const words = clean(inner.raw).split(/→|->|=>|⇒|➔|➜/);
  if (words.length > ENVELOPE_LIMITS.chainRoles) {
    return fault("too-large", `a chain names at most ${String(ENVELOPE_LIMITS.chainRoles)} roles`, head.at);
  }
  const roles: Role[] = [];
  for (const word of words) {
    const role = wordOf(word).toLowerCase();
    if (!isRole(role)) return fault("unknown-role", `"${role.slice(0, 64)}" is not a role`, head.after);
    roles.push(role);
  }
  return { envelope: { kind: "chain", roles }, end: inner.close + 1 };
};

export const readBlocked: Form = (text, head, meter) => {
  const inner = innerOf(text, head, REASON, meter);
  if (isFault(inner)) return inner;
  const said = unescape(clean(inner.raw), [inner.brackets]);
  const parts = /^\s*cannot\s+invoke\s+(\S(?:[^—–\n]*?\S)??)\s*(?:—|–|\s--?\s|:\s)\s*([^]*)$/i.exec(said);
  const role = wordOf(parts?.[1] ?? "");
  if (parts === null || !isBlockedRole(role)) {
    return fault("unexpected", 'expected "cannot invoke", a role, "—" and the reason', head.after);
  }
  const reason = trim(parts[2] ?? "");
  const wrong = textFault(reason, REASON);
  if (wrong !== undefined) return { ...wrong, at: head.after };
  const blocked = { kind: "blocked", role, reason } as const;
  const instead = insteadAfter(text, inner.close + 1, meter);
  if (instead === undefined) return { envelope: blocked, end: inner.close + 1 };
  return isFault(instead)
    ? instead
    : { envelope: { ...blocked, assumption: instead.text }, end: instead.end };
};

export const readAssumption: Form = (text, head, meter) => {
  const inner = innerOf(text, head, ASSUMPTION, meter);
  if (isFault(inner)) return inner;
  const assumption = textOf(inner, 0, ASSUMPTION);
  return typeof assumption === "string"
    ? { envelope: { kind: "assumption", text: assumption }, end: inner.close + 1 }
    : assumption;
};

interface Inner {
  readonly raw: string;
  /** Index of the first character of `raw`. */
  readonly start: number;
  /** Index of the closing bracket. */
  readonly close: number;
  readonly brackets: Brackets;
}

/** What stands between the brackets; looked for no further than the largest text that may stand there. */
function innerOf(text: string, { at, after }: Head, { bytes, what }: TextRule, meter: Meter): Inner | Fault {
  const brackets = bracketsOf(text.charAt(at)) ?? (["[", "]"] as const);
  // Every character may be escaped; the role and blanks need some room.
  const end = Math.min(text.length, after + 2 * bytes + 256);
  const close = closeOf(text, after, end, brackets, meter);
  if (close !== -1) return { raw: text.slice(after, close), start: after, close, brackets };
  return end < text.length
    ? fault("too-large", `${what} has more than ${String(bytes)} bytes, or is not closed`, at)
    : fault("unclosed", "the bracket that opens here is not closed", at);
}

function textOf({ raw, start, brackets }: Inner, from: number, rule: TextRule): string | Fault {
  const text = trim(unescape(clean(raw.slice(from)), [brackets]));
  const wrong = textFault(text, rule);
  return wrong === undefined ? text : { ...wrong, at: start + from };
}

/** A role as it is written: emphasis and blanks around it do not count. */
export function wordOf(text: string): string {
  return clean(text.slice(0, 256)).replace(EMPHASIS, "");
}

/** `State assumption used instead: […]` on one of the next two lines; brackets may be missing, then it is the line. */
function insteadAfter(
  text: string,
  from: number,
  meter: Meter,
): { text: string; end: number } | Fault | undefined {
  const label =
    /^[ \t*_`]*(?:\r?\n[ \t]*){1,2}(?:[-*•>][ \t]*)?[*_]{0,2}State\s+assumption\s+used\s+instead[*_]{0,2}\s*[:：][*_]{0,2}[ \t]*/i;
  const found = label.exec(text.slice(from, from + 200));
  meter.steps += 200;
  if (found === null) return undefined;
  const start = from + found[0].length;
  const brackets = bracketsOf(text.charAt(start));
  const lineEnd = endOfLine(text, start);
  if (brackets === undefined) {
    const line = trim(clean(text.slice(start, lineEnd)));
    const wrong = textFault(line, ASSUMPTION);
    return wrong === undefined ? { text: line, end: lineEnd } : { ...wrong, at: start };
  }
  const head: Head = { keyword: "ASSUMPTION", at: start, after: start + 1, colon: true, hidden: undefined };
  const inner = innerOf(text, head, ASSUMPTION, meter);
  if (isFault(inner)) return inner;
  const assumption = textOf(inner, 0, ASSUMPTION);
  return typeof assumption === "string" ? { text: assumption, end: inner.close + 1 } : assumption;
}

function endOfLine(text: string, from: number): number {
  const end = text.slice(from, from + 2 * ENVELOPE_LIMITS.assumptionBytes).search(/[\r\n]/);
  return end === -1 ? Math.min(text.length, from + 2 * ENVELOPE_LIMITS.assumptionBytes) : from + end;
}
