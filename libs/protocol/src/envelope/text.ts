// Pure: what a text of an envelope must be, for the printer before and the parser after.
import { isBlank, refusedIn, trim } from "./characters.ts";
import { fault, type Fault } from "./errors.ts";
import { ENVELOPE_LIMITS, utf8Length } from "./limits.ts";

export interface TextRule {
  /** What it is called in a message. */
  readonly what: string;
  readonly bytes: number;
  /** True where it may hold line feeds. */
  readonly lines: boolean;
}

/** What is wrong with a text, at an index in it; undefined if nothing. */
export function textFault(text: string, { what, bytes, lines }: TextRule): Fault | undefined {
  if (trim(text) === "") return fault("empty", `${what} is empty`, 0);
  if (utf8Length(text) > bytes) return fault("too-large", `${what} has more than ${String(bytes)} bytes`, 0);
  const refused = refusedIn(text);
  if (refused !== -1) {
    return fault("control-character", `${what} holds a control or invisible character`, refused);
  }
  if (isBlank(text.charCodeAt(0))) return fault("not-canonical", `${what} begins with whitespace`, 0);
  if (isBlank(text.charCodeAt(text.length - 1))) {
    return fault("not-canonical", `${what} ends with whitespace`, trimmedEnd(text));
  }
  const line = lines ? -1 : text.indexOf("\n");
  return line === -1 ? undefined : fault("unexpected", `${what} must be one line`, line);
}

/** Where a text's fault is in the raw, escaped text from `start` to `end`: escapes move indexes, but not the ends or the first line. */
export function placeOf({ problem, at }: Fault, raw: string, start: number, end: number): number {
  if (at === 0) return start;
  if (problem === "unexpected") return raw.indexOf("\n", start);
  return start + trimmedEnd(raw.slice(start, end));
}

function trimmedEnd(text: string): number {
  let end = text.length;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** True for a word that stands in `cannot invoke <word> —` without ending it. */
export function isBlockedRole(word: string): boolean {
  if (word.includes("  ") || /[[\]［］【】\\—–\n\t]/.test(word) || / (?:-|--) /.test(` ${word} `))
    return false;
  return (
    Array.from(word).length <= ENVELOPE_LIMITS.blockedRole &&
    textFault(word, { what: "role", bytes: ENVELOPE_LIMITS.blockedRole * 4, lines: false }) === undefined
  );
}
