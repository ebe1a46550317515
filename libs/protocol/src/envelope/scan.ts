// Pure: walks a text and tells the heads of envelopes that speak from the parts that are quoted.
import { fenceEnd, hiddenEnd, lineAt, type Line } from "./blocks.ts";
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

  constructor(text: string, meter: Meter) {
    this.#text = text;
    this.#meter = meter;
    this.#inline = new Inline(text, meter);
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
    if (line.fence !== undefined && !this.#isQuoted(line)) {
      const { inner, next } = fenceEnd(this.#text, line, line.fence, this.#meter);
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

  #lines(first: Line, reason: Quoting, belongs: (line: Line) => boolean): Piece {
    let last = first;
    while (last.next < this.#text.length) {
      const line = this.#lineFrom(last.next);
      if (!belongs(line)) break;
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
