// Pure: where an envelope, or the end of a response, begins. One definition for the reader and for the printer that escapes it.
import { isRefused } from "./characters.ts";

const KEYWORDS = ["INVOKE", "RESPONSE", "/RESPONSE", "CHAIN", "BLOCKED", "ASSUMPTION"] as const;
export type Keyword = (typeof KEYWORDS)[number];

/** The beginning of an envelope in a text. */
export interface Head {
  readonly keyword: Keyword;
  /** Index of the opening bracket. */
  readonly at: number;
  /** Index after the colon, or where it has to stand. */
  readonly after: number;
  readonly colon: boolean;
  /** Index of an invisible character that hides in the marker: then it is refused. */
  readonly hidden: number | undefined;
}

const OPENING = "[［【";
const CLOSING = "]］】";

/** The head whose bracket stands at an index; undefined where none begins. */
export function headAt(text: string, index: number, end: number): Head | undefined {
  if (index >= end || !OPENING.includes(text.charAt(index))) return undefined;
  const start = new Cursor(text, index + 1, end);
  start.skipSpace();
  const isClosing = start.letter() === "/";
  if (isClosing) {
    start.step();
    start.skipSpace();
  }
  const word = start.word();
  const keyword = KEYWORDS.find((known) => known === (isClosing ? `/${word}` : word));
  if (keyword === undefined) return undefined;
  start.skipSpace();
  const next = start.letter();
  const colon = isColon(next);
  const isHead = isClosing
    ? colon || CLOSING.includes(next) // `[/RESPONSE]` and `[/RESPONSE:cfo]`
    : colon || (keyword === "INVOKE" && (next === "|" || next === "｜"));
  if (!isHead || next === "") return undefined;
  return { keyword, at: index, after: start.at + (colon ? 1 : 0), colon, hidden: start.hidden };
}

export function isColon(letter: string): boolean {
  return letter === ":" || letter === "：";
}

/** Longest keyword, so that a word that is none costs no more than this. */
const LONGEST = Math.max(...KEYWORDS.map((keyword) => keyword.length));

/** Reads a marker, steps over invisible characters and remembers that there were some. */
class Cursor {
  readonly #text: string;
  readonly #end: number;
  at: number;
  hidden: number | undefined;

  constructor(text: string, at: number, end: number) {
    this.#text = text;
    this.#end = end;
    this.at = at;
  }

  letter(): string {
    this.#skipHidden();
    return this.at < this.#end ? this.#text.charAt(this.at) : "";
  }

  step(): void {
    this.at += 1;
  }

  skipSpace(): void {
    while (isSpace(this.letter())) this.at += 1;
  }

  /** The letters that follow, in upper case; at most one more than a keyword has. */
  word(): string {
    let word = "";
    while (word.length <= LONGEST && /^[a-z]$/i.test(this.letter())) {
      word += this.letter().toUpperCase();
      this.at += 1;
    }
    return word;
  }

  #skipHidden(): void {
    while (this.at < this.#end) {
      const code = this.#text.codePointAt(this.at) ?? 0;
      if (!isRefused(code) || code === 13) return;
      this.hidden ??= this.at;
      this.at += code > 0xffff ? 2 : 1;
    }
  }
}

function isSpace(letter: string): boolean {
  return letter === " " || letter === "\t" || letter === "\u00a0" || letter === "\u3000";
}
