// Pure: the strict parser: exactly what the printer writes, and nothing else (proto/firm.abnf, "envelopes").
import { isRole, type Role } from "../roles.ts";
import { refusedIn } from "./characters.ts";
import { EnvelopeError, fault, isFault, type Fault } from "./errors.ts";
import { ASCII, closeOf, unescape } from "./escape.ts";
import { ENVELOPE_LIMITS, utf8Length } from "./limits.ts";
import { parseResponse } from "./parse-response.ts";
import { Locator } from "./position.ts";
import { printEnvelope } from "./print.ts";
import {
  ARROW,
  ASSUMPTION,
  BECAUSE,
  CANNOT_INVOKE,
  INSTEAD,
  QUESTION,
  REASON,
  RESPONSE_START,
} from "./rules.ts";
import { isBlockedRole, placeOf, textFault, type TextRule } from "./text.ts";
import { type Envelope, invocableRole } from "./types.ts";

/** An envelope and the index after it, or what is wrong. */
type Parsed = { readonly envelope: Envelope; readonly end: number } | Fault;

const FORMS: readonly (readonly [start: string, parse: (text: string, at: number) => Parsed])[] = [
  ["[INVOKE:", parseInvoke],
  [RESPONSE_START, (text, at) => parseResponse(text, 0, at)],
  ["[CHAIN: ", parseRoles],
  ["[BLOCKED: ", parseBlocked],
  ["[ASSUMPTION: ", parseAssumption],
];

/**
 * Reads a text that is one envelope; `printEnvelope` gives the same text back.
 * @throws EnvelopeError with the problem and its position.
 */
export function parseEnvelope(text: string): Envelope {
  const parsed = parse(text);
  if (!isFault(parsed)) return parsed;
  throw new EnvelopeError(parsed.problem, parsed.message, new Locator(text).at(parsed.at));
}

function parse(text: string): Envelope | Fault {
  if (utf8Length(text) > ENVELOPE_LIMITS.responseBytes * 2) {
    return fault("too-large", "no envelope is as large as this text", 0);
  }
  const refused = refusedIn(text);
  if (refused !== -1) return fault("control-character", "a control or invisible character", refused);
  const [start, form] = FORMS.find(([known]) => text.startsWith(known)) ?? [];
  if (start === undefined || form === undefined) {
    const starts = FORMS.map(([known]) => `"${known}"`).join(", ");
    return fault("not-an-envelope", `an envelope begins with one of ${starts}`, 0);
  }
  const parsed = form(text, start.length);
  if (isFault(parsed)) return parsed;
  if (parsed.end < text.length) return fault("stray-text", "text after the envelope", parsed.end);
  const printed = printEnvelope(parsed.envelope);
  return printed === text
    ? parsed.envelope
    : fault("not-canonical", "the printer writes this otherwise", difference(printed, text));
}

function difference(one: string, other: string): number {
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return at;
}

function parseInvoke(text: string, at: number): Parsed {
  const bar = text.indexOf("|", at);
  const word = text.slice(at, bar === -1 ? wordEnd(text, at) : bar);
  const role = invocableRole(word);
  if (role === undefined || role !== word) {
    return fault("unknown-role", `"${word.slice(0, 64)}" is not a role that can be invoked`, at);
  }
  if (bar === -1) return fault("unexpected", 'expected "|" and the question', at + word.length);
  const question = bracketed(text, bar + 1, QUESTION);
  return isFault(question)
    ? question
    : { envelope: { kind: "invoke", role, question: question.text }, end: question.end };
}

function wordEnd(text: string, at: number): number {
  const rest = /^[^[\]\s]*/.exec(text.slice(at, at + 64));
  return at + (rest?.[0].length ?? 0);
}

function parseRoles(text: string, at: number): Parsed {
  const close = text.indexOf("]", at);
  if (close === -1) return fault("unclosed", "the chain has no closing bracket", 0);
  const words = text.slice(at, close).split(ARROW);
  if (words.length > ENVELOPE_LIMITS.chainRoles) {
    return fault("too-large", `a chain names at most ${String(ENVELOPE_LIMITS.chainRoles)} roles`, 0);
  }
  const roles: Role[] = [];
  let start = at;
  for (const word of words) {
    if (!isRole(word)) return fault("unknown-role", `"${word.slice(0, 64)}" is not a role`, start);
    roles.push(word);
    start += word.length + ARROW.length;
  }
  return { envelope: { kind: "chain", roles }, end: close + 1 };
}

function parseBlocked(text: string, at: number): Parsed {
  if (!text.startsWith(CANNOT_INVOKE, at)) return fault("unexpected", `expected "${CANNOT_INVOKE}"`, at);
  const start = at + CANNOT_INVOKE.length;
  const dash = text.indexOf(BECAUSE, start);
  if (dash === -1) return fault("unexpected", `expected a role, "${BECAUSE}" and the reason`, start);
  const role = text.slice(start, dash);
  if (!isBlockedRole(role)) return fault("unexpected", "expected the role that cannot be invoked", start);
  const reason = bracketed(text, dash + BECAUSE.length, REASON);
  if (isFault(reason)) return reason;
  const blocked = { kind: "blocked", role, reason: reason.text } as const;
  const line = `\n${INSTEAD} [`;
  if (!text.startsWith(line, reason.end)) return { envelope: blocked, end: reason.end };
  const assumption = bracketed(text, reason.end + line.length, ASSUMPTION, reason.end + line.length - 1);
  return isFault(assumption)
    ? assumption
    : { envelope: { ...blocked, assumption: assumption.text }, end: assumption.end };
}

function parseAssumption(text: string, at: number): Parsed {
  const assumption = bracketed(text, at, ASSUMPTION);
  return isFault(assumption)
    ? assumption
    : { envelope: { kind: "assumption", text: assumption.text }, end: assumption.end };
}

/** The text from an index to the bracket that closes the one at `open`, and the index after that. */
function bracketed(
  text: string,
  start: number,
  rule: TextRule,
  open = 0,
): { text: string; end: number } | Fault {
  const close = closeOf(text, start, text.length, ASCII, { steps: 0 });
  if (close === -1) return fault("unclosed", "the bracket that opens here is not closed", open);
  const inner = unescape(text.slice(start, close), [ASCII]);
  const wrong = textFault(inner, rule);
  if (wrong === undefined) return { text: inner, end: close + 1 };
  return fault(wrong.problem, wrong.message, placeOf(wrong, text, start, close));
}
