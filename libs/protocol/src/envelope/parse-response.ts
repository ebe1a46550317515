// Pure: the strict form of a response, line by line (seed: agent-protocol, "Response Format").
import { fault, type Fault } from "./errors.ts";
import { BRACKETS, unescape } from "./escape.ts";
import { ENVELOPE_LIMITS, utf8Length } from "./limits.ts";
import { BULLET, DATA_POINTS, LABELS, lineRule, RESPONSE_END, RESPONSE_START } from "./rules.ts";
import { placeOf, textFault } from "./text.ts";
import { CONFIDENCES, invocableRole, type ResponseEnvelope } from "./types.ts";

/** Reads lines one after another; the first fault stays. */
class Lines {
  readonly #text: string;
  at: number;
  wrong: Fault | undefined;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  /** True where the next line begins so. */
  begins(start: string): boolean {
    return this.#text.startsWith(start, this.at);
  }

  /** The rest of a line that begins so. */
  after(start: string): string {
    if (this.wrong !== undefined) return "";
    if (!this.begins(start)) {
      this.wrong = fault("unexpected", `expected "${start}"`, Math.min(this.at, this.#text.length));
      return "";
    }
    const from = this.at + start.length;
    const feed = this.#text.indexOf("\n", from);
    const end = feed === -1 ? this.#text.length : feed;
    this.at = end + 1;
    return this.#text.slice(from, end);
  }

  /** The text of a line that begins so. */
  text(start: string, what: string): string {
    const from = this.at + start.length;
    const raw = this.after(start);
    const text = unescape(raw, BRACKETS);
    const wrong = this.wrong === undefined ? textFault(text, lineRule(what)) : undefined;
    if (wrong !== undefined) {
      const at = placeOf(wrong, this.#text, from, from + raw.length);
      this.wrong = fault(wrong.problem, wrong.message, at);
    }
    return text;
  }
}

/**
 * @param start index of the opening bracket
 * @param at index after `[RESPONSE:`
 */
export function parseResponse(
  text: string,
  start: number,
  at: number,
): { envelope: ResponseEnvelope; end: number } | Fault {
  if (text.slice(start, at) !== RESPONSE_START)
    return fault("unexpected", `expected "${RESPONSE_START}"`, start);
  const close = text.indexOf("]", at);
  const word = text.slice(at, close === -1 ? at : close);
  const role = invocableRole(word);
  if (role === undefined || role !== word) {
    return fault("unknown-role", `"${word.slice(0, 64)}" is not a role that can answer`, at);
  }
  if (text[close + 1] !== "\n") return fault("unexpected", "expected a new line", close + 1);
  const lines = new Lines(text, close + 2);
  const finding = lines.text(`${LABELS.finding}: `, "the key finding");
  const rest = lines.after(`${LABELS.data}:`);
  if (rest !== "") return fault("unexpected", "expected a new line", lines.at - 1 - rest.length);
  const data: string[] = [];
  while (data.length < DATA_POINTS.least || (data.length < DATA_POINTS.most && lines.begins(BULLET))) {
    data.push(lines.text(BULLET, "a data point"));
  }
  const before = lines.at + LABELS.confidence.length + 2;
  const written = lines.after(`${LABELS.confidence}: `);
  if (lines.wrong !== undefined) return lines.wrong;
  const confidence = CONFIDENCES.find((known) => known === written);
  if (confidence === undefined) return fault("unexpected", `expected ${CONFIDENCES.join(", ")}`, before);
  const caveat = lines.text(`${LABELS.caveat}: `, "the caveat");
  if (lines.wrong !== undefined) return lines.wrong;
  if (lines.at >= text.length) return fault("unclosed", `the response has no "${RESPONSE_END}"`, start);
  const end = lines.at + RESPONSE_END.length;
  if (!lines.begins(RESPONSE_END)) return fault("unexpected", `expected "${RESPONSE_END}"`, lines.at);
  if (utf8Length(text.slice(start, end)) > ENVELOPE_LIMITS.responseBytes) {
    return fault("too-large", `a response has at most ${String(ENVELOPE_LIMITS.responseBytes)} bytes`, start);
  }
  return { envelope: { kind: "response", role, finding, data, confidence, caveat }, end };
}
