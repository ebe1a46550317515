// Holds printer, strict parser and reader to each other: what one writes, the others read.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INVOCABLE_ROLES } from "../roles.ts";
import { checkResponse, parseEnvelope, printEnvelope, readEnvelopes, type Envelope } from "./index.ts";
import { isRefused } from "./characters.ts";

const nasty = fc.constantFrom(
  "[",
  "]",
  "\\",
  "|",
  "［",
  "】",
  '"',
  "`",
  "```",
  "> ",
  "\n",
  " ",
  "[INVOKE:cfo|x]",
  "[/RESPONSE]",
  "📈",
  "é",
  "—",
  "→",
  "<!--",
  "a",
  "1",
);
const isText = (text: string): boolean =>
  text.trim() !== "" &&
  text === text.trim() &&
  !Array.from(text).some((letter) => isRefused(letter.codePointAt(0) ?? 0));
const text = fc
  .array(fc.oneof(nasty, fc.string({ unit: "grapheme", maxLength: 8 })), { minLength: 1, maxLength: 12 })
  .map((parts) =>
    parts
      .join("")
      .replace(/[\u00a0\u3000]/g, "")
      .trim(),
  )
  .filter(isText);
const line = text.map((one) => one.replace(/\n/g, " ").trim()).filter(isText);
const role = fc.constantFrom(...INVOCABLE_ROLES);
const envelope: fc.Arbitrary<Envelope> = fc.oneof(
  fc.record({ kind: fc.constant("invoke" as const), role, question: text }),
  fc.record({ kind: fc.constant("assumption" as const), text }),
  fc.record({ kind: fc.constant("chain" as const), roles: fc.array(role, { minLength: 1, maxLength: 4 }) }),
  fc.record({ kind: fc.constant("blocked" as const), role, reason: line }),
  fc.record({ kind: fc.constant("blocked" as const), role, reason: line, assumption: text }),
  fc.record({
    kind: fc.constant("response" as const),
    role,
    finding: line,
    data: fc.array(line, { minLength: 2, maxLength: 3 }),
    confidence: fc.constantFrom("high" as const, "medium" as const, "low" as const),
    caveat: line,
  }),
);

describe("print and parse", () => {
  it("are inverse for every envelope that can be printed", () => {
    fc.assert(
      fc.property(envelope, (one) => {
        const printed = printEnvelope(one);
        expect(parseEnvelope(printed)).toEqual(one);
        expect(printEnvelope(parseEnvelope(printed))).toBe(printed);
      }),
      { numRuns: 1_000 },
    );
  });

  it("agree with the reader, wherever the envelope stands in prose", () => {
    const prose = fc.constantFrom(
      "",
      "I ask:\n",
      "First.\n\n",
      "Well, ",
      "It's 5\" high.\n\n",
      "- a\n- b\n\n",
      "```\na\n```\n\n",
    );
    fc.assert(
      fc.property(envelope, prose, prose, (one, before, after) => {
        const { envelopes } = readEnvelopes(`${before}${printEnvelope(one)}\n\n${after}`);
        if (one.kind !== "response") expect(envelopes.map(({ envelope: read }) => read)).toEqual([one]);
        else
          expect(checkResponse(`${before}${printEnvelope(one)}\n\n${after}`, one.role)).toEqual({
            response: one,
            problems: [],
          });
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[string, Envelope, string]>([
    ["a blank question", { kind: "invoke", role: "cfo", question: " " }, "invalid-input"],
    ["a control character", { kind: "assumption", text: "a\u0007" }, "invalid-input"],
    ["an invisible character", { kind: "invoke", role: "cfo", question: "a\u200bb" }, "invalid-input"],
    ["half a surrogate pair", { kind: "invoke", role: "cfo", question: "a\ud83d" }, "invalid-input"],
    ["a carriage return", { kind: "invoke", role: "cfo", question: "a\r\nb" }, "invalid-input"],
    ["blanks around a question", { kind: "invoke", role: "cfo", question: "a " }, "invalid-input"],
    [
      "a line of a response over two lines",
      { kind: "response", role: "cfo", finding: "a\nb", data: ["b", "c"], confidence: "low", caveat: "c" },
      "invalid-input",
    ],
    [
      "four data points",
      {
        kind: "response",
        role: "cfo",
        finding: "a",
        data: ["b", "c", "d", "e"],
        confidence: "low",
        caveat: "c",
      },
      "invalid-input",
    ],
    [
      "a chain of too many",
      { kind: "chain", roles: Array.from({ length: 17 }, () => "cfo" as const) },
      "too-large",
    ],
    [
      "a question that is too large",
      { kind: "invoke", role: "cfo", question: "é".repeat(20_000) },
      "too-large",
    ],
    [
      "one data point",
      { kind: "response", role: "cfo", finding: "a", data: ["b"], confidence: "low", caveat: "c" },
      "invalid-input",
    ],
    ["a chain of nobody", { kind: "chain", roles: [] }, "invalid-input"],
    ["a chain that names no role", { kind: "chain", roles: ["janitor"] }, "unknown-role"],
    ["a blocked word with a dash", { kind: "blocked", role: "a — b", reason: "no" }, "invalid-input"],
  ])("%s is not printed", (_, one, code) => {
    expect(() => printEnvelope(one)).toThrow(expect.objectContaining({ code }));
  });
});
