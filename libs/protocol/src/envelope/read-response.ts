// Pure: the tolerant form of a response: which of its lines belong to which field.
import { clean, isBlank, trim } from "./characters.ts";
import { fault, type Fault } from "./errors.ts";
import { BRACKETS, unescape } from "./escape.ts";
import type { Head } from "./heads.ts";
import { ENVELOPE_LIMITS } from "./limits.ts";
import { wordOf } from "./read-forms.ts";
import type { Extent } from "./response-extent.ts";
import { LABELS, type Label } from "./rules.ts";
import { invocableRole, type ReadResponse, type ResponseEnvelope } from "./types.ts";

/** The fields of a response as they were written; `checkResponse` says what is wrong with them. */
export function readResponse(
  text: string,
  head: Head,
  { inner, end, closed, nested, strict }: Extent,
): { readonly envelope: ReadResponse; readonly end: number } | Fault {
  const opening = text.slice(head.after, Math.min(inner, head.after + 256));
  const close = opening.search(/[\]］】\n]/);
  const word = wordOf(close === -1 ? opening : opening.slice(0, close));
  const role = invocableRole(word);
  if (role === undefined) {
    return fault("unknown-role", `"${word.slice(0, 64)}" is not a role that can answer`, head.after);
  }
  // What the printer wrote is read to the letter; only other hands' emphasis and bullets are taken off.
  if (strict !== undefined) return { envelope: asRead(strict), end };
  if (inner - head.after > ENVELOPE_LIMITS.responseBytes * 2 - 1) {
    return fault(
      "too-large",
      `a response has at most ${String(ENVELOPE_LIMITS.responseBytes)} bytes`,
      head.at,
    );
  }
  const start = close === -1 ? head.after : head.after + close + (opening[close] === "\n" ? 0 : 1);
  return {
    envelope: { kind: "response", role, ...fieldsOf(without(text, start, inner, nested)), closed },
    end,
  };
}

/** A part of a text without the responses inside it. */
function without(text: string, start: number, end: number, nested: Extent["nested"]): string {
  const kept: string[] = [];
  let at = start;
  for (const [from, to] of nested) {
    kept.push(text.slice(at, from));
    at = to;
  }
  kept.push(text.slice(at, end));
  return kept.join("");
}

function asRead({ role, finding, data, confidence, caveat }: ResponseEnvelope): ReadResponse {
  return {
    kind: "response",
    role,
    findings: [finding],
    data,
    confidences: [confidence],
    caveats: [caveat],
    stray: [],
    closed: true,
  };
}

type Fields = Omit<ReadResponse, "kind" | "role" | "closed">;

const FIELDS: readonly (readonly [Label, RegExp])[] = [
  ["finding", labelled("key\\s+findings?")],
  ["data", labelled("supporting\\s+data(?:\\s+points?)?")],
  ["confidence", labelled("confidence(?:\\s+level)?")],
  ["caveat", labelled("caveats?")],
];

/** A label in any case, with emphasis, a bullet or a heading's marks around it. */
function labelled(words: string): RegExp {
  return new RegExp(
    `^[\\s#>]*(?:[-*+•·][ \\t]+)?[*_\`]{0,3}${words}[*_\`]{0,3}\\s*[:：][*_\`]{0,3}[ \\t]*([^]*)$`,
    "i",
  );
}

const BULLET = /^\s*(?:[-*+•·‣◦–]|\d{1,2}[.)])[ \t]+([^]*)$/;
/** A rule, a fence, or the emphasis around a tag. */
const DECORATION = /^\s*(?:[-*_=]{3,}|[*_`]{1,3}|`{3,}.*|~{3,}.*)\s*$/;
/** A line that only repeats what the protocol says beside the fields. */
const BESIDE =
  /^\s*(?:[-*•]\s+)?[*_`]*(?:[[［【]\s*(?:CHAIN|BLOCKED|ASSUMPTION)\s*[:：]|State\s+assumption\s+used\s+instead\s*[:：])/i;

function fieldsOf(body: string): Fields {
  const found: Record<Label, string[]> = { finding: [], data: [], confidence: [], caveat: [] };
  const stray: string[] = [];
  let current: Label | undefined;
  for (const line of clean(body).split("\n")) {
    if (trim(line) === "" || DECORATION.test(line)) continue;
    const field = FIELDS.find(([, label]) => label.test(line));
    if (field !== undefined) {
      const [name, label] = field;
      current = name;
      const value = plain(label.exec(line)?.[1] ?? "");
      if (value !== "" || name !== "data") found[name].push(value);
      continue;
    }
    const bullet = BULLET.exec(line)?.[1];
    if (BESIDE.test(line)) continue;
    if (current === "data" && bullet !== undefined) found.data.push(plain(bullet));
    else if (current !== undefined && current !== "data" && found[current].at(-1) === "") {
      // The value stands on the line under its label.
      found[current].splice(-1, 1, plain(bullet ?? line));
    } else stray.push(trim(line));
  }
  return {
    findings: found.finding,
    data: found.data,
    confidences: found.confidence.map((word) => bare(word.toLowerCase())),
    caveats: found.caveat,
    stray,
  };
}

/** A word without the full stop after it. */
function bare(word: string): string {
  let end = word.length;
  while (end > 0 && (word[end - 1] === "." || isBlank(word.charCodeAt(end - 1)))) end -= 1;
  return word.slice(0, end);
}

/** A value without the escapes and the emphasis around it. */
function plain(value: string): string {
  const text = trim(unescape(value, BRACKETS));
  const bold = /^(\*\*|__|\*|_|`)([^*_`]+)\1$/.exec(text);
  return bold?.[2] === undefined ? text : trim(bold[2]);
}

/** What a field is called in a complaint. */
export function labelOf(label: Label): string {
  return `"${LABELS[label]}:"`;
}
