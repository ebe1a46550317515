// Pure: which characters a text may hold, and how the reader cleans what an agent wrote.

/** Characters that no text of an envelope holds, ascending: refused by the parser and in markers, stripped from texts by the reader. */
export const REFUSED_CHARACTERS: readonly (readonly [from: number, to: number, what: string])[] = [
  [0x00, 0x08, "control characters"],
  [0x0b, 0x1f, "control characters, carriage return and escape among them"],
  [0x7f, 0x9f, "delete and control characters"],
  [0xad, 0xad, "soft hyphen"],
  [0x34f, 0x34f, "combining grapheme joiner"],
  [0x61c, 0x61c, "direction mark"],
  [0x115f, 0x1160, "Hangul fillers"],
  [0x17b4, 0x17b5, "invisible Khmer vowels"],
  [0x180b, 0x180f, "Mongolian selectors and separator"],
  [0x200b, 0x200f, "zero-width space and joiners, direction marks"],
  [0x2028, 0x202e, "line and paragraph separators, direction overrides"],
  [0x2060, 0x206f, "word joiner, invisible operators, direction isolates"],
  [0x3164, 0x3164, "Hangul filler"],
  [0xd800, 0xdfff, "unpaired surrogates"],
  [0xfeff, 0xfeff, "byte order mark"],
  [0xffa0, 0xffa0, "Hangul filler"],
  [0xfff9, 0xfffb, "interlinear annotation"],
  [0xe0000, 0xe0fff, "tags and supplementary variation selectors"],
];

/** True for a code point that no text of an envelope holds. */
export function isRefused(code: number): boolean {
  if (code >= 0x20 && code < 0x7f) return false;
  for (const [from, to] of REFUSED_CHARACTERS) if (code <= to) return code >= from;
  return false;
}

/** Index of the first character that is refused; -1 if none. */
export function refusedIn(text: string, start = 0, end = text.length): number {
  for (let at = start; at < end;) {
    const code = text.codePointAt(at) ?? 0;
    if (isRefused(code)) return at;
    at += code > 0xffff ? 2 : 1;
  }
  return -1;
}

/** True for the whitespace that texts are trimmed of. */
export function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d || unit === 0xa0 || unit === 0x3000;
}

/** A text without the whitespace around it. */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/**
 * Where a terminal's escape sequence that starts here ends; the index itself if none starts. Never past a line end or
 * another escape, so that following sequences costs no more than the text is long.
 */
export function terminalSequenceEnd(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  if (unit === 0x9b) return controlSequenceEnd(text, at + 1);
  if (unit === 0x9d) return stringEnd(text, at + 1);
  if (unit !== 0x1b) return at;
  if (next === 0x5b) return controlSequenceEnd(text, at + 2);
  // OSC, DCS, SOS, PM, APC.
  if (next === 0x5d || next === 0x50 || next === 0x58 || next === 0x5e || next === 0x5f) {
    return stringEnd(text, at + 2);
  }
  return at + 1;
}

/** Parameters and intermediates, then one final byte. */
function controlSequenceEnd(text: string, start: number): number {
  let at = start;
  while (within(text.charCodeAt(at), 0x20, 0x3f)) at += 1;
  return within(text.charCodeAt(at), 0x40, 0x7e) ? at + 1 : at;
}

/** To BEL or ST; any other control character breaks it off. */
function stringEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) >= 0x20 && !within(text.charCodeAt(at), 0x7f, 0x9f)) at += 1;
  const unit = text.charCodeAt(at);
  if (unit === 0x07 || unit === 0x9c) return at + 1;
  return unit === 0x1b && text.charCodeAt(at + 1) === 0x5c ? at + 2 : at;
}

function within(unit: number, from: number, to: number): boolean {
  return unit >= from && unit <= to;
}

/** A text as an envelope may hold it: one kind of line end, no terminal sequences, nothing invisible. */
export function clean(text: string): string {
  const kept: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    if (!isRefused(code)) {
      at += code > 0xffff ? 2 : 1;
      continue;
    }
    kept.push(text.slice(start, at));
    const sequence = terminalSequenceEnd(text, at);
    if (sequence > at) at = sequence;
    else {
      if (isLineEnd(code)) kept.push("\n");
      at += code > 0xffff || (code === 13 && text.charCodeAt(at + 1) === 10) ? 2 : 1;
    }
    start = at;
  }
  kept.push(text.slice(start));
  return kept.join("");
}

/** CR (with or without LF), and what is one to some. */
function isLineEnd(code: number): boolean {
  return code === 0x0d || isOddLineEnd(code);
}

/** Vertical tab, form feed, next line, line and paragraph separator. */
export function isOddLineEnd(code: number): boolean {
  return code === 0x0b || code === 0x0c || code === 0x85 || code === 0x2028 || code === 0x2029;
}

/** Past a character or terminal sequence that cannot be seen; the index itself where one can. */
export function hiddenEnd(text: string, at: number): number {
  const sequence = terminalSequenceEnd(text, at);
  if (sequence > at) return sequence;
  const code = text.codePointAt(at) ?? 0x20;
  return isRefused(code) && code !== 13 ? at + (code > 0xffff ? 2 : 1) : at;
}
