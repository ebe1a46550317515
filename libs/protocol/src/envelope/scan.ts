// Pure: walks a text and tells the heads of envelopes that speak from the parts that are quoted.
import { fenceEnd, lineAt, type Line } from "./blocks.ts";
import { hiddenEnd } from "./characters.ts";
import { headAt, type Head } from "./heads.ts";
import { Inline, type InlineQuoting } from "./inline.ts";
import type { Meter } from "./meter.ts";

/** Why an envelope is data and no invocation. */
export type Quoting = InlineQuoting | "fence" | "indented" | "blockquote" | "response";

/** A part of the text that is quoted, or a head that is not. */
export type Piece =
  | { readonly type: "quoted"; readonly reason: Quoting; readonly start: number; readonly end: number }
  | { readonly type: "head"; readonly head: Head };

/** Invariants: 1. pieces come in the order of the text; 2. no character is walked over twice, look-ahead is remembered. */
export class Scanner {
  readonly #text: string;
  readonly #meter: Meter;
  readonly #inline: Inline;
  #at = 0;
  /** Index at which the next line begins; the walk is inside a line while below it. */
  #nextLine = 0;
  /** A paragraph of a block quotation goes on, marked or not, until a blank line. */
  #isLazy = false;
  /** A list may go on: it has begun, and no line at the margin after a blank one has ended it. */
  #isInList = false;
  #isAfterBlank = false;

  /** @param from index to begin at, anywhere in a line */
  constructor(text: string, meter: Meter, from = 0) {
    this.#text = text;
    this.#meter = meter;
    this.#inline = new Inline(text, meter);
    if (from > 0) this.jump(from);
  }

  /** The next piece; undefined at the end of the text. */
  next(): Piece | undefined {
    while (this.#at < this.#text.length) {
      const piece = this.#at >= this.#nextLine ? this.#block() : this.#step();
      if (piece !== undefined) return piece;
    }
    return undefined;
  }

  /** Goes on after an envelope, whose text is nobody's Markdown. */
  jump(index: number): void {
    this.#at = index;
    if (index > this.#nextLine) this.#nextLine = this.#lineFrom(index).next;
  }

  /** Begins a line: a quoted block as a whole, or nothing where its text speaks. */
  #block(): Piece | undefined {
    const line = this.#lineFrom(this.#at);
    this.#nextLine = line.next;
    this.#seeList(line);
    if (line.fence !== undefined && !this.#isQuoted(line)) {
      const { inner, next } = fenceEnd(this.#text, line, line.fence, this.#isInList, this.#meter);
      this.#isLazy = false;
      this.#at = next;
      this.#nextLine = next;
      return { type: "quoted", reason: "fence", start: line.next, end: inner };
    }
    if (this.#isQuoted(line)) return this.#lines(line, "blockquote", (next) => this.#isQuoted(next));
    if (line.isIndented && !line.isBlank) {
      return this.#lines(
        line,
        "indented",
        (next) => next.isIndented && next.fence === undefined && !next.isQuote,
      );
    }
    return undefined;
  }

  /** Keeps in mind whether a block quotation goes on. */
  #isQuoted(line: Line): boolean {
    if (line.isQuote) this.#isLazy = true;
    else if (line.isBlank || line.fence !== undefined) this.#isLazy = false;
    return line.isQuote || this.#isLazy;
  }

  #seeList({ isItem, isBlank, indent, fence }: Line): void {
    if (isItem) this.#isInList = true;
    else if (!isBlank && indent === 0 && (this.#isAfterBlank || fence !== undefined)) this.#isInList = false;
    this.#isAfterBlank = isBlank;
  }

  #lines(first: Line, reason: Quoting, belongs: (line: Line) => boolean): Piece {
    let last = first;
    while (last.next < this.#text.length) {
      const line = this.#lineFrom(last.next);
      if (!belongs(line)) break;
      this.#seeList(line);
      last = line;
    }
    this.#at = last.next;
    this.#nextLine = last.next;
    return { type: "quoted", reason, start: first.start, end: last.end };
  }

  /** One step inside a line. */
  #step(): Piece | undefined {
    const at = this.#at;
    this.#meter.steps += 1;
    const hidden = hiddenEnd(this.#text, at);
    if (hidden > at) {
      this.jump(hidden);
      return undefined;
    }
    if (this.#text[at] === "\\") {
      // Markdown's own escape: the character after it stands for itself.
      this.jump(Math.min(at + 2, Math.max(this.#nextLine, at + 1)));
      return undefined;
    }
    const quote = this.#inline.at(at);
    if (quote !== undefined) {
      this.jump(quote.end);
      return { type: "quoted", reason: quote.reason, start: at, end: quote.end };
    }
    const head = headAt(this.#text, at, this.#text.length);
    this.#meter.steps += head === undefined ? 0 : head.after - at;
    this.jump(head?.after ?? this.#pastRun(at));
    return head === undefined ? undefined : { type: "head", head };
  }

  /** Backticks without a partner are text as a run; everything else a character at a time. */
  #pastRun(at: number): number {
    let after = at + 1;
    while (this.#text[at] === "`" && this.#text[after] === "`") after += 1;
    return after;
  }

  #lineFrom(at: number): Line {
    return lineAt(this.#text, at, this.#meter);
  }
}
