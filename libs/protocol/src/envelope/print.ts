// Pure: the one way to write an envelope; `parseEnvelope` reads exactly this (proto/firm.abnf, "envelopes").
import { printChain } from "../chain.ts";
import { FirmError } from "../errors.ts";
import { isRole } from "../roles.ts";
import { escapeBracketed, escapeLine } from "./escape.ts";
import { ENVELOPE_PROBLEMS } from "./errors.ts";
import { ENVELOPE_LIMITS, utf8Length } from "./limits.ts";
import {
  ASSUMPTION,
  BECAUSE,
  BULLET,
  CANNOT_INVOKE,
  DATA_POINTS,
  INSTEAD,
  LABELS,
  lineRule,
  QUESTION,
  REASON,
  RESPONSE_END,
} from "./rules.ts";
import { isBlockedRole, textFault, type TextRule } from "./text.ts";
import {
  CONFIDENCES,
  type BlockedEnvelope,
  type ChainEnvelope,
  type Envelope,
  invocableRole,
  type ResponseEnvelope,
} from "./types.ts";

/**
 * An envelope as text; `parseEnvelope` gives the same envelope back.
 * @throws FirmError `invalid-input`, `unknown-role` or `too-large` for an envelope that cannot be written: a text that is
 *   blank, has whitespace around it or characters that are refused; a role that is none; a number of data points or roles
 *   out of bounds.
 */
export function printEnvelope(envelope: Envelope): string {
  switch (envelope.kind) {
    case "invoke":
      return `[INVOKE:${askable(envelope.role)}|${bracketed(envelope.question, QUESTION)}]`;
    case "response":
      return printResponse(envelope);
    case "chain":
      return printRoles(envelope);
    case "blocked":
      return printBlocked(envelope);
    case "assumption":
      return `[ASSUMPTION: ${bracketed(envelope.text, ASSUMPTION)}]`;
  }
}

function printResponse({ role, finding, data, confidence, caveat }: ResponseEnvelope): string {
  const { least, most } = DATA_POINTS;
  if (data.length < least || data.length > most) {
    throw new FirmError("invalid-input", `a response has ${String(least)} or ${String(most)} data points`);
  }
  if (!CONFIDENCES.includes(confidence)) {
    throw new FirmError("invalid-input", `confidence is one of ${CONFIDENCES.join(", ")}`);
  }
  const text = [
    `[RESPONSE:${askable(role)}]`,
    `${LABELS.finding}: ${line(finding, "the key finding")}`,
    `${LABELS.data}:`,
    ...data.map((point) => BULLET + line(point, "a data point")),
    `${LABELS.confidence}: ${confidence}`,
    `${LABELS.caveat}: ${line(caveat, "the caveat")}`,
    RESPONSE_END,
  ].join("\n");
  if (utf8Length(text) > ENVELOPE_LIMITS.responseBytes) {
    throw new FirmError("too-large", `a response has at most ${String(ENVELOPE_LIMITS.responseBytes)} bytes`);
  }
  return text;
}

function printRoles({ roles }: ChainEnvelope): string {
  if (roles.length === 0) throw new FirmError("invalid-input", "a chain names at least one role");
  if (roles.length > ENVELOPE_LIMITS.chainRoles) {
    throw new FirmError("too-large", `a chain names at most ${String(ENVELOPE_LIMITS.chainRoles)} roles`);
  }
  const wrong = roles.find((role) => !isRole(role));
  if (wrong !== undefined) throw new FirmError("unknown-role", `"${wrong}" is not a role`);
  return printChain(roles);
}

function printBlocked({ role, reason, assumption }: BlockedEnvelope): string {
  if (!isBlockedRole(role)) {
    throw new FirmError(
      "invalid-input",
      "what cannot be invoked must be a word without brackets or dashes around",
    );
  }
  const blocked = `[BLOCKED: ${CANNOT_INVOKE}${role}${BECAUSE}${bracketed(reason, REASON)}]`;
  return assumption === undefined ? blocked : `${blocked}\n${INSTEAD} [${bracketed(assumption, ASSUMPTION)}]`;
}

function askable(role: string): string {
  if (invocableRole(role) === role) return role;
  throw new FirmError("unknown-role", `"${role}" is not a role that can be invoked`);
}

function bracketed(text: string, rule: TextRule): string {
  return escapeBracketed(valid(text, rule));
}

function line(text: string, what: string): string {
  return escapeLine(valid(text, lineRule(what)));
}

function valid(text: string, rule: TextRule): string {
  const wrong = textFault(text, rule);
  if (wrong === undefined) return text;
  throw new FirmError(ENVELOPE_PROBLEMS[wrong.problem], wrong.message);
}
