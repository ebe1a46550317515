// Pure: how a text stands between brackets or on a line without ending its envelope. `\` escapes a bracket and itself.
import { terminalSequenceEnd } from "./characters.ts";
import { headAt } from "./heads.ts";
import type { Meter } from "./meter.ts";

/** Opening and closing bracket; the printer uses the first, the reader takes an envelope in any of them. */
export const BRACKETS = [
  ["[", "]"],
  ["［", "］"],
  ["【", "】"],
] as const;
export type Brackets = (typeof BRACKETS)[number];
export const ASCII: Brackets = BRACKETS[0];

/** The brackets that a character opens; undefined if none. */
export function bracketsOf(letter: string): Brackets | undefined {
  return BRACKETS.find(([open]) => open === letter);
}

/** Index of the bracket that closes one opened before `start`; -1 if none before `end`. Brackets of other kinds are text. */
export function closeOf(
  text: string,
  start: number,
  end: number,
  [open, close]: Brackets,
  meter: Meter,
): number {
  let depth = 1;
  let at = start;
  while (at < end) {
    const letter = text[at];
    const next = text[at + 1];
    const sequence = terminalSequenceEnd(text, at);
    if (sequence > at) {
      at = sequence;
      continue;
    }
    if (letter === "\\" && (next === "\\" || next === open || next === close)) at += 1;
    else if (letter === open) depth += 1;
    else if (letter === close) {
      depth -= 1;
      if (depth === 0) break;
    }
    at += 1;
  }
  meter.steps += Math.min(at, end) - start + 1;
  return at < end ? at : -1;
}

/** Text between brackets: `\` and brackets without a partner are escaped, balanced brackets are not. */
export function escapeBracketed(text: string): string {
  const [open, close] = ASCII;
  const lone = new Set<number>();
  const stack: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === open) stack.push(at);
    else if (text[at] === close && stack.pop() === undefined) lone.add(at);
  }
  for (const at of stack) lone.add(at);
  return escapeWhere(text, (at) => lone.has(at));
}

/** Text on a line of a response: `\` and every bracket that would open an envelope or close the response are escaped. */
export function escapeLine(text: string): string {
  return escapeWhere(text, (at) => headAt(text, at, text.length) !== undefined);
}

function escapeWhere(text: string, isEscaped: (at: number) => boolean): string {
  const kept: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== "\\" && !isEscaped(at)) continue;
    kept.push(text.slice(start, at), "\\");
    start = at;
  }
  kept.push(text.slice(start));
  return kept.join("");
}

/** The text that was escaped; a `\` before anything but itself or one of the brackets stands for itself. */
export function unescape(text: string, brackets: readonly Brackets[]): string {
  const special = new Set(["\\", ...brackets.flat()]);
  const kept: string[] = [];
  let start = 0;
  for (let at = text.indexOf("\\"); at !== -1 && at + 1 < text.length;) {
    const isEscape = special.has(text[at + 1] ?? "");
    if (isEscape) {
      kept.push(text.slice(start, at));
      start = at + 1;
    }
    at = text.indexOf("\\", at + (isEscape ? 2 : 1));
  }
  kept.push(text.slice(start));
  return kept.join("");
}
