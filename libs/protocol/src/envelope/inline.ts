// Pure: which parts of a paragraph are code, comment or quotation.
import { lineAt, runEnd } from "./blocks.ts";
import type { Meter } from "./meter.ts";

export type InlineQuoting = "code" | "comment" | "html" | "quotation";

/** A quoted part of a text. */
export interface InlineQuote {
  readonly reason: InlineQuoting;
  readonly end: number;
}

/** Elements whose content is quoted. */
const ELEMENTS = ["pre", "code", "blockquote", "q"] as const;

/** Opening quotation mark → closing ones. */
const MARKS: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "„": "“”",
  "«": "»",
  "‘": "’",
  "「": "」",
  "『": "』",
};

/** Finds quoted parts of one text from left to right; each search is remembered, so that all of them together are linear. */
export class Inline {
  readonly #text: string;
  readonly #meter: Meter;
  #paragraphEnd = 0;
  /** Runs of backticks of the paragraph: length → where they start, ascending, and the first that is not behind. */
  #runs = new Map<number, { readonly starts: number[]; next: number }>();
  /** Closing mark → the next one, at or after where it was last asked for. */
  #closers = new Map<string, number>();

  constructor(text: string, meter: Meter) {
    this.#text = text;
    this.#meter = meter;
  }

  /** The quoted part that begins at an index; undefined if none does. */
  at(index: number): InlineQuote | undefined {
    const letter = this.#text.charAt(index);
    if (letter === "`") return this.#code(index);
    if (letter === "<") return this.#comment(index) ?? this.#element(index);
    const marks = MARKS[letter];
    return marks === undefined ? this.#adjacent(index) : this.#quotation(index, letter, marks);
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
  #comment(index: number): InlineQuote | undefined {
    if (!this.#text.startsWith("<!--", index)) return undefined;
    const close = this.#text.indexOf("-->", index + 4);
    const end = close === -1 ? this.#text.length : close + 3;
    this.#meter.steps += end - index;
    return { reason: "comment", end };
  }

  /** To the tag that closes it; one that is not closed takes the rest of the text. */
  #element(index: number): InlineQuote | undefined {
    const name = ELEMENTS.find((known) => this.#isTag(index, `<${known}`));
    if (name === undefined) return undefined;
    let depth = 0;
    let at = index;
    for (; at < this.#text.length; at += 1) {
      if (this.#text[at] !== "<") continue;
      if (this.#isTag(at, `<${name}`)) depth += 1;
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

  /** Quotation marks with a partner in the same paragraph. */
  #quotation(index: number, letter: string, marks: string): InlineQuote | undefined {
    if (letter === '"' && !opens(this.#text, index)) return undefined;
    const close = Math.min(...Array.from(marks, (mark) => this.#next(mark, index + 1)));
    return close >= this.#paragraphEnd ? undefined : { reason: "quotation", end: close + 1 };
  }

  #next(mark: string, from: number): number {
    this.#enter(from);
    const known = this.#closers.get(mark);
    if (known !== undefined && known >= from) return known;
    let at = from;
    while (at < this.#paragraphEnd && !(this.#text[at] === mark && (mark !== '"' || ends(this.#text, at))))
      at += 1;
    this.#meter.steps += at - from;
    this.#closers.set(mark, at);
    return at;
  }

  /** `'[` is a quotation, an apostrophe elsewhere is not. */
  #adjacent(index: number): InlineQuote | undefined {
    if (this.#text[index] !== "'" || !"[［【".includes(this.#text.charAt(index + 1) || "x")) return undefined;
    const close = this.#next("'", index + 1);
    return close >= this.#paragraphEnd || !opens(this.#text, index)
      ? undefined
      : { reason: "quotation", end: close + 1 };
  }

  /** Surveys the paragraph of an index: to a blank line, a fence or a block quotation. */
  #enter(index: number): void {
    if (index < this.#paragraphEnd) return;
    this.#runs = new Map();
    this.#closers = new Map();
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
    this.#meter.steps += end - index;
  }
}

/** A straight mark opens at the start of a word. */
function opens(text: string, index: number): boolean {
  const before = text.charAt(index - 1);
  const after = text.charAt(index + 1);
  return !/[\p{L}\p{N}]/u.test(before) && after !== "" && !/\s/.test(after);
}

/** A straight mark closes where no word goes on. */
function ends(text: string, index: number): boolean {
  return !/[\p{L}\p{N}]/u.test(text.charAt(index + 1));
}
