// Pure: which lines of a Markdown text are code or quotation. In doubt a line is quoted: what is quoted triggers nothing.
import { hiddenEnd, isOddLineEnd } from "./characters.ts";
import type { Meter } from "./meter.ts";

/** An opening fence. */
export interface Fence {
  readonly letter: "`" | "~";
  readonly length: number;
  /** Column at which it stands, list markers before it counted. */
  readonly column: number;
}

/** What a line is, seen alone. */
export interface Line {
  readonly start: number;
  /** Index of its line end, or the end of the text. */
  readonly end: number;
  /** Index of the next line. */
  readonly next: number;
  readonly isBlank: boolean;
  /** Columns of blanks before what it says. */
  readonly indent: number;
  /** Begins with the marker of a list item. */
  readonly isItem: boolean;
  /** Four columns of indentation, or a tab: code. */
  readonly isIndented: boolean;
  /** Begins with `>`, list markers before it allowed. */
  readonly isQuote: boolean;
  readonly fence: Fence | undefined;
}

export function lineAt(text: string, start: number, meter: Meter): Line {
  let end = start;
  let isQuote = false;
  for (; end < text.length && text[end] !== "\n" && text[end] !== "\r"; end += 1) {
    // Some show a line end where Markdown has none.
    if (isOddLineEnd(text.charCodeAt(end))) isQuote ||= beginsQuote(text, end + 1);
  }
  const next = end + (text[end] === "\r" && text[end + 1] === "\n" ? 2 : 1);
  const indent = indentOf(text, start, end, 0);
  const first = contentOf(text, indent, end);
  meter.steps += next - start + (first.at - start);
  return {
    start,
    end,
    next: Math.min(next, text.length),
    isBlank: indent.at >= end,
    indent: indent.column,
    isItem: first.at > indent.at,
    isIndented: indent.column >= 4,
    isQuote: isQuote || (first.at < end && text[first.at] === ">"),
    fence: fenceAt(text, first, end),
  };
}

/** True where `>` follows, a few blanks before it allowed. */
function beginsQuote(text: string, at: number): boolean {
  return /^[ \t]{0,8}>/.test(text.slice(at, at + 9));
}

/**
 * The line after the fenced block that a line opens: past its closing fence, or the end of the text if none closes it.
 * Whether a line closes, continues or leaves the block depends on the list around it. Where readings differ, the rest of
 * the text is quoted.
 * @param isInList true where the block may belong to a list item
 */
export function fenceEnd(
  text: string,
  opening: Line,
  fence: Fence,
  isInList: boolean,
  meter: Meter,
): { inner: number; next: number } {
  const rest = { inner: text.length, next: text.length };
  const isPlain = fence.column === 0 || (!isInList && !opening.isItem && fence.column < 4);
  let isLeft = false;
  for (let at = opening.next; at < text.length;) {
    const line = lineAt(text, at, meter);
    const isClosing = closes(text, line, fence);
    if (isPlain) {
      if (isClosing && line.indent < 4) return { inner: at, next: line.next };
    } else {
      // A line that is indented less ends the list item, and the fence with it; the next fence then opens a block.
      isLeft ||= !line.isBlank && line.indent < fence.column;
      if (isLeft && line.fence !== undefined) return rest;
      if (isClosing && line.indent <= fence.column + 3) {
        const isCertain = opening.isItem || fence.column > 3 || line.indent < 4;
        return isCertain ? { inner: at, next: line.next } : rest;
      }
    }
    at = line.next;
  }
  return rest;
}

/** A closing fence is exact: the same letter, at least as many, nothing after. */
function closes(text: string, { start, end }: Line, { letter, length }: Fence): boolean {
  let at = start;
  while (text[at] === " " || text[at] === "\t") at += 1;
  const run = runEnd(text, at, end, letter) - at;
  if (run < length) return false;
  at += run;
  while (at < end && (text[at] === " " || text[at] === "\t")) at += 1;
  return at === end;
}

interface Place {
  readonly at: number;
  readonly column: number;
}

function indentOf(text: string, start: number, end: number, from: number): Place {
  let at = start;
  let column = from;
  while (at < end) {
    const skipped = hiddenEnd(text, at);
    if (skipped > at) at = skipped;
    else if (text[at] === " ") {
      column += 1;
      at += 1;
    } else if (text[at] === "\t") {
      column += 4 - (column % 4);
      at += 1;
    } else break;
  }
  return { at: Math.min(at, end), column };
}

/** Past list markers and what cannot be seen. */
function contentOf(text: string, from: Place, end: number): Place {
  let place = from;
  for (;;) {
    const marker = markerEnd(text, place.at, end);
    if (marker === place.at) return place;
    place = indentOf(text, marker, end, place.column + marker - place.at);
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

function fenceAt(text: string, { at, column }: Place, end: number): Fence | undefined {
  const letter = text[at];
  if (at >= end || (letter !== "`" && letter !== "~")) return undefined;
  const after = runEnd(text, at, end, letter);
  if (after - at < 3) return undefined;
  // "``` a`b" is inline code.
  for (let info = after; letter === "`" && info < end; info += 1) {
    if (text[info] === "`") return undefined;
  }
  return { letter, length: after - at, column };
}

export function runEnd(text: string, at: number, end: number, letter: string): number {
  let after = at;
  while (after < end && text[after] === letter) after += 1;
  return after;
}
