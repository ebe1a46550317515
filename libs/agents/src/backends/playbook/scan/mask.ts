// Pure: which characters of a source text are code, comment or string, so that a rule can tell `eval(` from the word in a
// sentence. A scanner, no parser: where a language is richer than its family here, it errs towards code.
import type { Syntax } from "./languages.ts";

export const CODE = 0;
export const COMMENT = 1;
export const STRING = 2;

interface Delimiters {
  readonly line: readonly string[];
  readonly block: readonly (readonly [string, string])[];
  /** Longest first. */
  readonly quotes: readonly string[];
}

const FAMILIES: Readonly<Record<Syntax, Delimiters>> = {
  c: { line: ["//"], block: [["/*", "*/"]], quotes: ['"', "`", "'"] },
  js: { line: ["//"], block: [["/*", "*/"]], quotes: ['"', "'", "`"] },
  python: { line: ["#"], block: [], quotes: ['"""', "'''", '"', "'"] },
  hash: { line: ["#"], block: [], quotes: ['"', "'"] },
  dash: { line: ["--"], block: [["/*", "*/"]], quotes: ["'", '"'] },
  markup: { line: [], block: [["<!--", "-->"]], quotes: [] },
  none: { line: [], block: [], quotes: [] },
};

/** One kind (CODE, COMMENT, STRING) for each UTF-16 unit of the text. */
export function mask(text: string, syntax: Syntax): Uint8Array {
  const kinds = new Uint8Array(text.length);
  const family = FAMILIES[syntax];
  /** Depths of braces at which template literals were left by `${`. */
  const templates: number[] = [];
  let depth = 0;
  let i = 0;
  const paint = (end: number, kind: number): void => {
    kinds.fill(kind, i, end);
    i = end;
  };
  while (i < text.length) {
    const at = i;
    const block = family.block.find(([open]) => text.startsWith(open, at));
    if (block !== undefined) {
      const close = text.indexOf(block[1], i + block[0].length);
      paint(close === -1 ? text.length : close + block[1].length, COMMENT);
      continue;
    }
    // "#" begins a comment only at a word's beginning: not in `$#` or `a#b`.
    if (
      family.line.some((open) => text.startsWith(open, at)) &&
      (syntax === "c" || syntax === "js" || /^$|[\s;({[,]/.test(text[i - 1] ?? ""))
    ) {
      paint(endOfLine(text, i), COMMENT);
      continue;
    }
    const char = text[i] ?? "";
    if (syntax === "js" && char === "/" && beginsRegex(text, i)) {
      paint(endOfRegex(text, i), STRING);
      continue;
    }
    const resumes = char === "}" && templates.at(-1) === depth;
    if (syntax === "js" && (resumes || char === "`")) {
      if (resumes) {
        templates.pop();
        depth--;
      }
      const { end, opened } = template(text, i);
      paint(end, STRING);
      if (opened) templates.push(++depth);
      continue;
    }
    const quote = family.quotes.find((open) => text.startsWith(open, at));
    if (quote !== undefined && !(quote === "'" && syntax === "c" && isLifetime(text, i))) {
      paint(endOfString(text, i, quote, syntax), STRING);
      continue;
    }
    if (char === "{") depth++;
    else if (char === "}") depth--;
    i++;
  }
  return kinds;
}

/** From a backquote, or the brace that ends a placeholder, past the end or past the `${` of the next placeholder. */
function template(text: string, start: number): { readonly end: number; readonly opened: boolean } {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "`") return { end: i + 1, opened: false };
    else if (text[i] === "$" && text[i + 1] === "{") return { end: i + 2, opened: true };
  }
  return { end: text.length, opened: false };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

/** A string without closing quote ends with its line, except in families where quotes span lines. */
function endOfString(text: string, from: number, quote: string, syntax: Syntax): number {
  const spans = quote.length === 3 || quote === "`" || syntax === "dash";
  for (let i = from + quote.length; i < text.length; i++) {
    if (text[i] === "\\" && !(syntax === "c" && quote === "`")) i++;
    else if (text.startsWith(quote, i)) return i + quote.length;
    else if (text[i] === "\n" && !spans) return i;
  }
  return text.length;
}

/** `'a` of Rust, or a digit separator of C++: an apostrophe that opens no character. */
function isLifetime(text: string, i: number): boolean {
  return !/^'(?:\\.[^']{0,8}|[^'\\\n])'/.test(text.slice(i, i + 12));
}

function beginsRegex(text: string, i: number): boolean {
  if (text[i + 1] === "/" || text[i + 1] === "*") return false;
  const before = text.slice(Math.max(0, i - 24), i).trimEnd();
  if (before === "" || /[(,=:[!&|?{};+\-*%<>~^]$/.test(before)) return true;
  return /(?:^|[^\w$.])(?:return|typeof|case|in|of|void|delete|throw|yield|await)$/.test(before);
}

function endOfRegex(text: string, from: number): number {
  let inClass = false;
  for (let i = from + 1; i < text.length; i++) {
    const char = text[i];
    if (char === "\\") i++;
    else if (char === "\n") return i;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return i + 1;
  }
  return text.length;
}
