// Pure: which lines of a Markdown text are code or quotation. In doubt a line is quoted: what is quoted triggers nothing.
import { isRefused, terminalSequenceEnd } from "./characters.ts";
import type { Meter } from "./meter.ts";

/** An opening fence. */
export interface Fence {
  readonly letter: "`" | "~";
  readonly length: number;
  readonly indent: number;
}

/** What a line is, seen alone. */
export interface Line {
  readonly start: number;
  /** Index of its line end, or the end of the text. */
  readonly end: number;
  /** Index of the next line. */
  readonly next: number;
  readonly isBlank: boolean;
  /** Four columns of indentation, or a tab: code. */
  readonly isIndented: boolean;
  /** Begins with `>`, list markers before it allowed. */
  readonly isQuote: boolean;
  readonly fence: Fence | undefined;
}

export function lineAt(text: string, start: number, meter: Meter): Line {
  let end = start;
  while (end < text.length && text[end] !== "\n" && text[end] !== "\r") end += 1;
  const next = end + (text[end] === "\r" && text[end + 1] === "\n" ? 2 : 1);
  const indent = indentOf(text, start, end);
  const first = contentOf(text, indent.at, end);
  const fence = fenceAt(text, first, end, indent.columns);
  meter.steps += next - start + (first - start);
  return {
    start,
    end,
    next: Math.min(next, text.length),
    isBlank: indent.at >= end,
    isIndented: indent.columns >= 4,
    isQuote: first < end && text[first] === ">",
    fence,
  };
}

/** The line after the fenced block that a line opens: past its closing fence, or the end of the text if none closes it. */
export function fenceEnd(
  text: string,
  opening: Line,
  fence: Fence,
  meter: Meter,
): { inner: number; next: number } {
  for (let at = opening.next; at < text.length;) {
    const line = lineAt(text, at, meter);
    if (closes(text, line, fence)) return { inner: at, next: line.next };
    at = line.next;
  }
  return { inner: text.length, next: text.length };
}

/** A closing fence is exact: the same letter, at least as many, nothing after, indented by at most three columns more. */
function closes(text: string, { start, end }: Line, { letter, length, indent }: Fence): boolean {
  let at = start;
  while (text[at] === " ") at += 1;
  const run = runEnd(text, at, end, letter) - at;
  if (run < length || at - start > indent + 3) return false;
  at += run;
  while (at < end && (text[at] === " " || text[at] === "\t")) at += 1;
  return at === end;
}

function indentOf(text: string, start: number, end: number): { at: number; columns: number } {
  let at = start;
  let columns = 0;
  while (at < end) {
    const skipped = hiddenEnd(text, at);
    if (skipped > at) at = skipped;
    else if (text[at] === " ") {
      columns += 1;
      at += 1;
    } else if (text[at] === "\t") {
      columns += 4 - (columns % 4);
      at += 1;
    } else break;
  }
  return { at: Math.min(at, end), columns };
}

/** Past list markers and what cannot be seen. */
function contentOf(text: string, from: number, end: number): number {
  let at = from;
  for (;;) {
    const marker = markerEnd(text, at, end);
    if (marker === at) return at;
    at = indentOf(text, marker, end).at;
  }
}

/** `-`, `*`, `+`, `1.`, `1)` with space after; at most nine digits. */
function markerEnd(text: string, at: number, end: number): number {
  let after = at;
  while (after < end && after - at < 9 && isDigit(text.charCodeAt(after))) after += 1;
  const marks = after > at ? ".)" : "-*+";
  if (after >= end || !marks.includes(text.charAt(after))) return at;
  const space = text[after + 1];
  return after + 1 < end && (space === " " || space === "\t") ? after + 1 : at;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function fenceAt(text: string, at: number, end: number, indent: number): Fence | undefined {
  const letter = text[at];
  if (at >= end || (letter !== "`" && letter !== "~")) return undefined;
  const after = runEnd(text, at, end, letter);
  if (after - at < 3) return undefined;
  // "``` a`b" is inline code.
  for (let info = after; letter === "`" && info < end; info += 1) {
    if (text[info] === "`") return undefined;
  }
  return { letter, length: after - at, indent };
}

export function runEnd(text: string, at: number, end: number, letter: string): number {
  let after = at;
  while (after < end && text[after] === letter) after += 1;
  return after;
}

/** Past a character or terminal sequence that cannot be seen; the index itself where one can. */
export function hiddenEnd(text: string, at: number): number {
  const sequence = terminalSequenceEnd(text, at);
  if (sequence > at) return sequence;
  const code = text.codePointAt(at) ?? 0x20;
  return isRefused(code) && code !== 13 ? at + (code > 0xffff ? 2 : 1) : at;
}
