// Pure: which parts of a paragraph are code, comment or quotation.
import { lineAt, runEnd } from "./blocks.ts";
import type { Meter } from "./meter.ts";
import { isMark, isPaired, markedIn, pairedMarks } from "./quotations.ts";

export type InlineQuoting = "code" | "comment" | "html" | "quotation";

/** A quoted part of a text. */
export interface InlineQuote {
  readonly reason: InlineQuoting;
  readonly end: number;
}

/** Elements whose content is quoted, or no text at all. */
const ELEMENTS = [
  "pre",
  "code",
  "blockquote",
  "q",
  "quote",
  "cite",
  "samp",
  "kbd",
  "xmp",
  "listing",
  "plaintext",
  "textarea",
  "script",
  "style",
  "template",
] as const;

/** What goes from a beginning to an end, whatever stands between. */
const SPANS: readonly (readonly [begin: string, end: string, reason: InlineQuoting])[] = [
  ["<!--", "-->", "comment"],
  ["<![CDATA[", "]]>", "html"],
  ["<?", "?>", "html"],
];

/** Finds quoted parts of one text from left to right; each search is remembered, so that all of them together are linear. */
export class Inline {
  readonly #text: string;
  readonly #meter: Meter;
  #paragraphEnd = 0;
  /** Runs of backticks of the paragraph: length → where they start, ascending, and the first that is not behind. */
  #runs = new Map<number, { readonly starts: number[]; next: number }>();
  /** Quotations of the paragraph: opening mark → closing mark. */
  #marked: ReadonlyMap<number, number> = new Map();
  /** The same of the text, for marks that come in pairs; undefined until one is met. */
  #paired: ReadonlyMap<number, number> | undefined;

  constructor(text: string, meter: Meter) {
    this.#text = text;
    this.#meter = meter;
  }

  /** The quoted part that begins at an index; undefined if none does. */
  at(index: number): InlineQuote | undefined {
    const letter = this.#text.charAt(index);
    if (letter === "`") return this.#code(index);
    if (letter === "<") return this.#span(index) ?? this.#element(index);
    if (!isMark(letter)) return undefined;
    if (letter === '"' || letter === "'") {
      const triple = this.#triple(index, letter.repeat(3));
      if (triple !== undefined) return triple;
    }
    const close = isPaired(letter) ? this.#pairEnd(index) : this.#markEnd(index);
    return close === undefined ? undefined : { reason: "quotation", end: close + 1 };
  }

  #code(index: number): InlineQuote | undefined {
    this.#enter(index);
    const after = runEnd(this.#text, index, this.#text.length, "`");
    this.#meter.steps += after - index;
    const runs = this.#runs.get(after - index);
    if (runs === undefined) return undefined;
    while ((runs.starts[runs.next] ?? Infinity) < after) runs.next += 1;
    const close = runs.starts[runs.next];
    return close === undefined ? undefined : { reason: "code", end: close + (after - index) };
  }

  /** To its end; one that has none takes the rest of the text. */
  #span(index: number): InlineQuote | undefined {
    const span = SPANS.find(([begin]) => this.#text.startsWith(begin, index));
    if (span === undefined) return undefined;
    const [begin, close, reason] = span;
    return { reason, end: this.#past(close, index + begin.length, index) };
  }

  /** Three marks quote to the next three, or to the end of the text. */
  #triple(index: number, marks: string): InlineQuote | undefined {
    if (!this.#text.startsWith(marks, index)) return undefined;
    return { reason: "quotation", end: this.#past(marks, index + marks.length, index) };
  }

  /** Past the next `close`, or the end of the text. */
  #past(close: string, from: number, counted: number): number {
    const at = this.#text.indexOf(close, from);
    const end = at === -1 ? this.#text.length : at + close.length;
    this.#meter.steps += end - counted;
    return end;
  }

  /** To the tag that closes it; one that is not closed takes the rest of the text. */
  #element(index: number): InlineQuote | undefined {
    const name = ELEMENTS.find((known) => this.#isTag(index, `<${known}`));
    if (name === undefined) return undefined;
    let depth = 0;
    let at = index;
    for (; at < this.#text.length; at += 1) {
      if (this.#text[at] !== "<") continue;
      // A tag in a comment is none.
      if (this.#text.startsWith("<!--", at)) at = this.#past("-->", at + 4, at) - 1;
      else if (this.#isTag(at, `<${name}`)) depth += 1;
      else if (this.#isTag(at, `</${name}`)) depth -= 1;
      if (depth === 0) break;
    }
    this.#meter.steps += at - index;
    return { reason: "html", end: Math.min(at + name.length + 3, this.#text.length) };
  }

  #isTag(index: number, tag: string): boolean {
    if (this.#text.slice(index, index + tag.length).toLowerCase() !== tag) return false;
    return [">", " ", "\t", "\n", "\r", "/", ""].includes(this.#text.charAt(index + tag.length));
  }

  /** One of a pair that is not closed quotes its paragraph. */
  #pairEnd(index: number): number | undefined {
    this.#paired ??= pairedMarks(this.#text, this.#meter);
    const close = this.#paired.get(index);
    if (close !== undefined) return close;
    this.#enter(index);
    return this.#paragraphEnd - 1;
  }

  #markEnd(index: number): number | undefined {
    this.#enter(index);
    return this.#marked.get(index);
  }

  /** Surveys the paragraph of an index: to a blank line, a fence or a block quotation. */
  #enter(index: number): void {
    if (index < this.#paragraphEnd) return;
    this.#runs = new Map();
    let end = index;
    for (let at = index; at < this.#text.length;) {
      const line = lineAt(this.#text, at, this.#meter);
      if (at > index && (line.isBlank || line.fence !== undefined || line.isQuote)) break;
      end = line.end;
      at = line.next;
      if (line.next === line.end) break;
    }
    this.#paragraphEnd = Math.max(end, index + 1);
    for (let at = index; at < end; at += 1) {
      if (this.#text[at] !== "`") continue;
      const after = runEnd(this.#text, at, end, "`");
      const runs = this.#runs.get(after - at) ?? { starts: [], next: 0 };
      runs.starts.push(at);
      this.#runs.set(after - at, runs);
      at = after;
    }
    this.#marked = markedIn(this.#text, index, end, this.#meter);
    this.#meter.steps += end - index;
  }
}
