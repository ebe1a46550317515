// Pure: where responses begin and end. A tag counts at the start of its line, and where no code, comment or quotation holds it.
import { isOddLineEnd } from "./characters.ts";
import { isFault } from "./errors.ts";
import { headAt, type Head } from "./heads.ts";
import type { Meter } from "./meter.ts";
import { parseResponse } from "./parse-response.ts";
import { RESPONSE_END } from "./rules.ts";
import { Scanner } from "./scan.ts";
import type { ResponseEnvelope } from "./types.ts";

/** Where a response lies. */
export interface Extent {
  /** Index at which its text ends: its closing tag, or what ended it. */
  readonly inner: number;
  /** Index after the closing tag. */
  readonly end: number;
  /** Index to which what follows is data of it. */
  readonly rest: number;
  readonly closed: boolean;
  /** Responses inside it, which are no part of its own text: start and end of each. */
  readonly nested: readonly (readonly [number, number])[];
  /** What it says, where it is to the letter what the printer writes. */
  readonly strict: ResponseEnvelope | undefined;
}

interface Tag {
  readonly isClosing: boolean;
  readonly at: number;
  /** Index after the tag. */
  readonly end: number;
  readonly isQuoted: boolean;
}

/** The tags of one text, which is walked over once, whatever the number of responses. */
export class ResponseTags {
  readonly #text: string;
  readonly #meter: Meter;
  /** From the first response that was asked for to the end of the text; undefined until one is. */
  #tags: readonly Tag[] | undefined;

  constructor(text: string, meter: Meter) {
    this.#text = text;
    this.#meter = meter;
  }

  /**
   * To its own closing tag; a response that has none ends before the next one, or with the text. Where only a quoted tag
   * closes it, its own text ends there, but what follows is data of it.
   */
  extentOf(head: Head): Extent {
    const strict = this.#strict(head);
    if (strict !== undefined) {
      const { envelope, end } = strict;
      return { inner: end - RESPONSE_END.length, end, rest: end, closed: true, nested: [], strict: envelope };
    }
    this.#tags ??= this.#survey(head.after);
    const all = this.#tags.filter(({ at }) => at >= head.after);
    const speaking = all.filter(({ isQuoted }) => !isQuoted);
    this.#meter.steps += this.#tags.length;
    const own = closedBy(speaking, head.after);
    if (own !== undefined) return { ...own, rest: own.end, strict: undefined };
    const rest = speaking.find(({ isClosing }) => !isClosing)?.at ?? this.#text.length;
    const doubtful = closedBy(
      all.filter(({ at }) => at < rest),
      head.after,
    );
    return { inner: rest, end: rest, closed: false, nested: [], ...doubtful, rest, strict: undefined };
  }

  #strict(head: Head): { envelope: ResponseEnvelope; end: number } | undefined {
    if (head.hidden !== undefined) return undefined;
    const parsed = parseResponse(this.#text, head.at, head.after);
    this.#meter.steps += Math.max(0, (isFault(parsed) ? parsed.at : parsed.end) - head.after);
    return isFault(parsed) ? undefined : parsed;
  }

  #survey(from: number): readonly Tag[] {
    const tags: Tag[] = [];
    const scanner = new Scanner(this.#text, this.#meter, from);
    for (let piece = scanner.next(); piece !== undefined; piece = scanner.next()) {
      if (piece.type === "quoted") {
        this.#inQuoted(tags, piece.start, piece.end);
        continue;
      }
      const { head } = piece;
      this.#keep(tags, head, false);
      const strict = head.keyword === "RESPONSE" ? this.#strict(head) : undefined;
      if (strict === undefined) continue;
      // What the printer wrote is nobody's Markdown.
      tags.push({ isClosing: true, at: strict.end - RESPONSE_END.length, end: strict.end, isQuoted: false });
      scanner.jump(strict.end);
    }
    return tags;
  }

  #inQuoted(tags: Tag[], start: number, end: number): void {
    for (let at = start; at < end; at += 1) {
      const head = headAt(this.#text, at, end);
      if (head !== undefined) this.#keep(tags, head, true);
    }
    this.#meter.steps += end - start;
  }

  #keep(tags: Tag[], { keyword, at, after, hidden }: Head, isQuoted: boolean): void {
    const isClosing = keyword === "/RESPONSE";
    if (!isClosing && keyword !== "RESPONSE") return;
    // A tag that hides something ends nothing.
    if ((isClosing && hidden !== undefined) || !beginsLine(this.#text, at)) return;
    tags.push({ isClosing, at, end: tagEnd(this.#text, after), isQuoted });
  }
}

/** Where the tag stands that closes a response, and the responses before it. */
function closedBy(
  tags: readonly Tag[],
  from: number,
): Pick<Extent, "inner" | "end" | "closed" | "nested"> | undefined {
  let depth = 1;
  let opened = from;
  const nested: [number, number][] = [];
  for (const { isClosing, at, end } of tags) {
    if (!isClosing) {
      if (depth === 1) opened = at;
      depth += 1;
      continue;
    }
    depth -= 1;
    if (depth === 0) return { inner: at, end, closed: true, nested };
    if (depth === 1) nested.push([opened, end]);
  }
  return undefined;
}

/** True where only blanks, then emphasis, stand before an index on its line: what is quoted in a line, or in a list, ends nothing. */
function beginsLine(text: string, at: number): boolean {
  const emphasis = before(text, at, "*_");
  const start = before(text, emphasis, " \t");
  const unit = text.charCodeAt(start - 1);
  return start === 0 || unit === 0x0a || unit === 0x0d || isOddLineEnd(unit);
}

/** Back over letters; farther from a line's start than this nobody puts a tag. */
function before(text: string, at: number, letters: string): number {
  let start = at;
  while (start > 0 && at - start < 16 && letters.includes(text.charAt(start - 1))) start -= 1;
  return start;
}

/** Past the bracket that ends `[/RESPONSE]` or `[/RESPONSE:cfo]`. */
function tagEnd(text: string, from: number): number {
  const tail = /^[^\]］】\n]{0,64}[\]］】]/.exec(text.slice(from, from + 65));
  return from + (tail?.[0].length ?? 0);
}
