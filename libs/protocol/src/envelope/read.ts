// Pure: the tolerant reader: what an agent's text says in the protocol, what it merely quotes, and what cannot be read.
import { EnvelopeError, type Fault, isFault, type Position } from "./errors.ts";
import { headAt, type Head, type Keyword } from "./heads.ts";
import { ENVELOPE_LIMITS, utf8Length } from "./limits.ts";
import type { Meter } from "./meter.ts";
import { Locator } from "./position.ts";
import { readAssumption, readBlocked, readChain, readInvoke, type Form } from "./read-forms.ts";
import { readResponse } from "./read-response.ts";
import { ResponseTags } from "./response-extent.ts";
import { type Quoting, Scanner } from "./scan.ts";
import type { ReadEnvelope } from "./types.ts";

/** An envelope that speaks. Indexes are of a JavaScript string, end exclusive. */
export interface FoundEnvelope {
  readonly envelope: ReadEnvelope;
  readonly start: number;
  readonly end: number;
  readonly position: Position;
}

/** The head of an envelope that is data: quoted, in code, or inside a response. */
export interface QuotedEnvelope {
  readonly keyword: Keyword;
  readonly reason: Quoting;
  readonly start: number;
  readonly position: Position;
}

/** A block of fenced code, for a caller that takes an answer out of one. */
export interface FencedText {
  readonly start: number;
  readonly end: number;
}

/** What a text holds, in its order. */
export interface Reading {
  readonly envelopes: readonly FoundEnvelope[];
  readonly quoted: readonly QuotedEnvelope[];
  readonly problems: readonly EnvelopeError[];
  readonly fences: readonly FencedText[];
}

const FORMS: Readonly<Record<Exclude<Keyword, "RESPONSE" | "/RESPONSE">, Form>> = {
  INVOKE: readInvoke,
  CHAIN: readChain,
  BLOCKED: readBlocked,
  ASSUMPTION: readAssumption,
};

/**
 * Reads whatever an agent or a user wrote; never throws. What it tolerates is listed in `TOLERANCES`; every other deviation is
 * a problem with its position. In doubt a text is data: nothing that is quoted, fenced or inside a response invokes.
 * @param meter counts the characters looked at, which stay proportional to the text's length
 */
export function readEnvelopes(text: string, meter: Meter = { steps: 0 }): Reading {
  return new Reader(text, meter).read();
}

class Reader {
  readonly #text: string;
  readonly #meter: Meter;
  readonly #locator: Locator;
  readonly #scanner: Scanner;
  readonly #tags: ResponseTags;
  readonly #envelopes: FoundEnvelope[] = [];
  readonly #quoted: QuotedEnvelope[] = [];
  readonly #problems: EnvelopeError[] = [];
  readonly #fences: FencedText[] = [];

  constructor(text: string, meter: Meter) {
    this.#text = text;
    this.#meter = meter;
    this.#locator = new Locator(text);
    this.#scanner = new Scanner(text, meter);
    this.#tags = new ResponseTags(text, meter);
  }

  read(): Reading {
    if (utf8Length(this.#text) > ENVELOPE_LIMITS.textBytes) {
      this.#problem("too-large", `a text has at most ${String(ENVELOPE_LIMITS.textBytes)} bytes`, 0);
    } else {
      this.#readPieces();
    }
    return {
      envelopes: this.#envelopes,
      quoted: this.#quoted,
      problems: this.#problems,
      fences: this.#fences,
    };
  }

  #readPieces(): void {
    for (let piece = this.#scanner.next(); piece !== undefined; piece = this.#scanner.next()) {
      if (piece.type === "quoted") {
        if (piece.reason === "fence") this.#fences.push({ start: piece.start, end: piece.end });
        this.#quote(piece.start, piece.end, piece.reason);
      } else if (this.#isFull()) {
        const most = String(ENVELOPE_LIMITS.envelopes);
        this.#problem("too-large", `a text holds at most ${most} envelopes`, piece.head.at);
        return;
      } else this.#head(piece.head);
    }
  }

  #head(head: Head): void {
    if (head.hidden !== undefined) {
      this.#problem("control-character", "an invisible character inside a marker", head.hidden);
      if (head.keyword === "RESPONSE") this.#pass(head, this.#tags.extentOf(head).rest);
      else this.#scanner.jump(this.#paragraphEnd(head.after));
    } else if (head.keyword === "/RESPONSE") {
      this.#problem("stray-close", "this closes no response", head.at);
    } else if (head.keyword === "RESPONSE") {
      this.#response(head);
    } else {
      this.#take(head, FORMS[head.keyword](this.#text, head, this.#meter));
    }
  }

  #response(head: Head): void {
    const extent = this.#tags.extentOf(head);
    this.#take(head, readResponse(this.#text, head, extent));
    this.#pass(head, extent.rest);
  }

  /** Goes on after a response, whatever it is worth. */
  #pass(head: Head, end: number): void {
    this.#inside(head.after, end);
    this.#scanner.jump(end);
  }

  /** An assumption triggers nothing, so it counts inside a response as well; everything else there is data. */
  #inside(start: number, end: number): void {
    for (let at = this.#bracket(start, end); at < end; at = this.#bracket(at, end)) {
      const head = headAt(this.#text, at, end);
      at = head?.after ?? at + 1;
      if (head === undefined || this.#isEscaped(head.at)) continue;
      if (this.#isFull()) return;
      const speaks =
        head.hidden === undefined && (head.keyword === "ASSUMPTION" || head.keyword === "BLOCKED");
      const read = speaks ? FORMS[head.keyword](this.#text, head, this.#meter) : undefined;
      if (read === undefined || isFault(read) || read.end > end || isBareBlocked(read.envelope)) {
        this.#note(head, "response");
      } else {
        this.#found(head.at, read.end, read.envelope);
        at = read.end;
      }
    }
  }

  #take(head: Head, read: { readonly envelope: ReadEnvelope; readonly end: number } | Fault): void {
    if (!isFault(read)) {
      this.#found(head.at, read.end, read.envelope);
      this.#scanner.jump(read.end);
      return;
    }
    this.#problem(read.problem, read.message, read.at, head.keyword);
    // What stands after a broken envelope may belong to it, and what belongs to it is data.
    if (head.keyword !== "RESPONSE") this.#scanner.jump(this.#paragraphEnd(head.after));
  }

  #found(start: number, end: number, envelope: ReadEnvelope): void {
    this.#envelopes.push({ envelope, start, end, position: this.#locator.at(start) });
  }

  /** Names the envelopes of a part that is data. */
  #quote(start: number, end: number, reason: Quoting): void {
    for (let at = this.#bracket(start, end); at < end; at = this.#bracket(at, end)) {
      const head = headAt(this.#text, at, end);
      at = head?.after ?? at + 1;
      if (head === undefined) continue;
      if (this.#isFull()) return;
      this.#note(head, reason);
    }
  }

  #note({ keyword, at }: Head, reason: Quoting): void {
    if (keyword === "/RESPONSE") return;
    this.#quoted.push({ keyword, reason, start: at, position: this.#locator.at(at) });
  }

  #problem(problem: EnvelopeError["problem"], message: string, at: number, keyword?: Keyword): void {
    this.#problems.push(new EnvelopeError(problem, message, this.#locator.at(at), keyword));
  }

  #isFull(): boolean {
    return this.#envelopes.length + this.#quoted.length + this.#problems.length >= ENVELOPE_LIMITS.envelopes;
  }

  #bracket(start: number, end: number): number {
    let at = start;
    while (at < end && !"[［【".includes(this.#text.charAt(at))) at += 1;
    this.#meter.steps += at - start + 1;
    return at;
  }

  #isEscaped(at: number): boolean {
    let before = at;
    while (this.#text[before - 1] === "\\") before -= 1;
    return (at - before) % 2 === 1;
  }

  #paragraphEnd(from: number): number {
    const rest = /(?:\r\n|\r(?!\n)|\n)[ \t]*[\r\n]/g;
    rest.lastIndex = from;
    const end = rest.exec(this.#text)?.index ?? this.#text.length;
    this.#meter.steps += end - from;
    return end;
  }
}

/** A refusal that somebody quotes; with an assumption it says what its author goes on with. */
function isBareBlocked(envelope: ReadEnvelope): boolean {
  return envelope.kind === "blocked" && envelope.assumption === undefined;
}
