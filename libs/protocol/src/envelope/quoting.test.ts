// Holds the reader to its promise that what is quoted asks nobody, whatever it is.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INVOCABLE_ROLES } from "../roles.ts";
import { ENVELOPE_LIMITS, printEnvelope, readEnvelopes } from "./index.ts";
import { isRefused } from "./characters.ts";

const invoke = fc.constantFrom(
  "[INVOKE:cfo|x]",
  "[invoke: **COO** | y ]",
  "［INVOKE：cto｜z］",
  "【INVOKE:cro|w】",
);
const piece = fc.oneof(
  { weight: 3, arbitrary: invoke },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "\n",
      "\n\n",
      "\r\n",
      "\r",
      "\u2028",
      " ",
      "    ",
      "\t",
      "- ",
      "1. ",
      "> ",
      "`",
      "``",
      "```",
      "~~~",
      "\\",
      '"',
      "'",
      "“",
      "”",
      "‘",
      "’",
      "«",
      "»",
      "„",
      "<!--",
      "-->",
      "<pre>",
      "</pre>",
      "<code>",
      "</code>",
      "<![CDATA[",
      "]]>",
      "[",
      "]",
      "|",
      "[RESPONSE:cfo]",
      "[/RESPONSE]",
      "[ASSUMPTION: a]",
      "[BLOCKED: cannot invoke cfo — no]",
      "\u200b",
      "\u001b[1m",
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 6 }) },
);
const anything = fc.array(piece, { minLength: 1, maxLength: 24 }).map((parts) => parts.join(""));

const lines = (text: string): string[] => text.split(/\r\n|\r|\n/);
const longest = (text: string, letter: string): number =>
  Math.max(2, ...Array.from(text.matchAll(new RegExp(`${letter}+`, "g")), ([run]) => run.length));
const fenced = (letter: string, text: string, indent = "", first = indent): string => {
  const fence = letter.repeat(longest(text, letter) + 1);
  return `${first}${fence}\n${lines(text)
    .map((one) => indent + one)
    .join("\n")}\n${indent}${fence}`;
};
/** A text as a line may hold it. */
const flat = (text: string): string =>
  Array.from(text, (letter) => (letter === "\n" || isRefused(letter.codePointAt(0) ?? 0) ? "." : letter))
    .join("")
    .trim();

const WRAPS: [string, (text: string) => string][] = [
  ["a fence of backticks", (text) => fenced("`", text)],
  ["a fence of tildes", (text) => fenced("~", text)],
  ["a fence that is indented", (text) => fenced("`", text, "   ")],
  ["a fence in a list item", (text) => fenced("`", text, "  ", "- ")],
  ["a fence in a numbered item", (text) => fenced("~", text, "    ", "12. ")],
  ["a fence that is not closed", (text) => `${"`".repeat(longest(text, "`") + 1)}text\n${text}`],
  [
    "a block quotation",
    (text) =>
      lines(text)
        .map((one) => `> ${one}`)
        .join("\n"),
  ],
  [
    "a block quotation in a list",
    (text) =>
      lines(text)
        .map((one) => `- > ${one}`)
        .join("\n"),
  ],
  [
    "indented code",
    (text) =>
      lines(text)
        .map((one) => `    ${one}`)
        .join("\n"),
  ],
  ["a comment", (text) => `<!-- ${text.replaceAll("-->", "")} -->`],
  ["a pre element", (text) => `<pre>${text.replaceAll(/<\/pre/gi, "")}</pre>`],
  ["marks in pairs", (text) => `“${text.replaceAll(/[“”]/g, "")}”`],
  ["guillemets", (text) => `« ${text.replaceAll(/[«»]/g, "")} »`],
  ["three straight marks", (text) => `"""\n${text.replaceAll('"', "")}\n"""`],
  ["straight marks within a paragraph", (text) => `"see ${flat(text).replaceAll(/["`<\\]/g, "")}." he wrote`],
  ["inline code", (text) => `\`\` ${flat(text).replaceAll("`", "")} \`\``],
  [
    "a response as the printer writes it",
    (text) =>
      printEnvelope({
        kind: "response",
        role: "cfo",
        finding: flat(`a ${text}`),
        data: [flat(`b ${text}`), flat(`- c ${text}`)],
        confidence: "low",
        caveat: flat(`d ${text}`),
      }),
  ],
  [
    "a response in other hands",
    (text) =>
      `[Response: CFO]\n${lines(text)
        .map((one) => `* ${one.replaceAll(/[\u2028\u200b]/g, "")}`)
        .join("\n")}\n[/RESPONSE]`,
  ],
  [
    "a response inside a response",
    (text) => `[RESPONSE:cro]\n[RESPONSE:cfo]\n.${flat(text)}\n[/RESPONSE]\n.${flat(text)}\n[/RESPONSE]`,
  ],
  ["a response that is not closed", (text) => `[RESPONSE:cfo]\n.${flat(text)}`],
  ["the question of another", (text) => printEnvelope({ kind: "assumption", text: flat(`a ${text}`) })],
];

const before = fc.constantFrom(
  "",
  "Look:\n\n",
  "- a\n\n",
  "1. a\n   - b\n\n",
  "> q\n\n",
  "[INVOKE:ceo|a]\n\n",
);

describe("whatever stands in", () => {
  it.each(WRAPS)("%s asks nobody", (_, wrap) => {
    fc.assert(
      fc.property(anything, before, (text, prefix) => {
        const { envelopes } = readEnvelopes(prefix + wrap(text));
        const asking = envelopes.filter(
          ({ envelope, start }) => envelope.kind === "invoke" && start >= prefix.length,
        );
        expect(asking).toEqual([]);
      }),
      { numRuns: 600 },
    );
  });
});

it("after each of them, and a blank line, a question speaks", () => {
  const inner = "[INVOKE:cfo|x]";
  const closed = WRAPS.filter(([name]) => !/not closed/.test(name));
  const asked = closed.map(([name, wrap]) => {
    const { envelopes } = readEnvelopes(`${wrap(inner)}\n\n[INVOKE:coo|y]`);
    return [name, envelopes.flatMap(({ envelope }) => (envelope.kind === "invoke" ? [envelope.role] : []))];
  });
  expect(asked).toEqual(closed.map(([name]) => [name, ["coo"]]));
});

it("any text whatever is read without an error thrown, in its order, within its bounds", () => {
  fc.assert(
    fc.property(anything, (text) => {
      const { envelopes, quoted, problems } = readEnvelopes(text);
      const starts = envelopes.map(({ start }) => start);
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      const places = [...envelopes, ...quoted, ...problems].map(({ position }) => position.offset);
      expect(places.every((offset) => offset >= 0 && offset <= text.length)).toBe(true);
      expect(places.length).toBeLessThanOrEqual(ENVELOPE_LIMITS.envelopes + 1);
      for (const { envelope, start, end } of envelopes) {
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        if (envelope.kind === "invoke") expect(INVOCABLE_ROLES).toContain(envelope.role);
      }
    }),
    { numRuns: 2_000 },
  );
});
