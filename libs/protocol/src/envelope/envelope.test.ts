// Holds the envelopes to their promises: print and parse are inverse, what is quoted asks nobody, reading is linear.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INVOCABLE_ROLES } from "../roles.ts";
import {
  checkResponse,
  ENVELOPE_LIMITS,
  parseEnvelope,
  printEnvelope,
  readEnvelopes,
  TOLERANCES,
  type Envelope,
} from "./index.ts";
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
    const prose = fc.constantFrom("", "I ask:\n", "First.\n\n", "Well, ");
    fc.assert(
      fc.property(envelope, prose, prose, (one, before, after) => {
        const { envelopes } = readEnvelopes(`${before}${printEnvelope(one)}\n\n${after}`);
        const [first] = envelopes;
        if (one.kind !== "response") expect(first?.envelope).toEqual(one);
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

describe("what is quoted", () => {
  const invoke = role.chain((one) =>
    line.map((question) => printEnvelope({ kind: "invoke", role: one, question })),
  );
  const wraps: [string, (inner: string) => string][] = [
    [
      "a fence",
      (inner) =>
        `\`\`\`\`\`\`\`\`\`\`\`\`\`\`\`\`\`\`\`\`\n${inner}\n\`\`\`\`\`\`\`\`\`\`\`\`\`\`\`\`\`\`\`\``,
    ],
    ["a fence that is not closed", (inner) => `~~~\n${inner}`],
    [
      "a block quotation",
      (inner) =>
        inner
          .split("\n")
          .map((one) => `> ${one}`)
          .join("\n"),
    ],
    ["a comment", (inner) => `<!-- ${inner.replaceAll("-->", "")} -->`],
    ["a response", (inner) => `[RESPONSE:cfo]\nKey finding: ${inner.replaceAll("\n", " ")}\n[/RESPONSE]`],
    [
      "indented code",
      (inner) =>
        inner
          .split("\n")
          .map((one) => `    ${one}`)
          .join("\n"),
    ],
  ];
  it.each(wraps)("in %s asks nobody", (_, wrap) => {
    fc.assert(
      fc.property(invoke, fc.constantFrom("", "Look:\n\n"), (one, before) => {
        const { envelopes } = readEnvelopes(before + wrap(one));
        expect(envelopes.filter(({ envelope: found }) => found.kind === "invoke")).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("any text whatever is read without an error thrown, in its order", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(nasty, invoke), { maxLength: 40 }), (parts) => {
        const { envelopes, quoted } = readEnvelopes(parts.join(""));
        const starts = envelopes.map(({ start }) => start);
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
        expect(envelopes.length + quoted.length).toBeLessThanOrEqual(ENVELOPE_LIMITS.envelopes);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the reader's work", () => {
  const SIZE = 1_048_576;
  const families = [
    "[INVOKE:[INVOKE:",
    "[INVOKE:cfo|",
    "[INVOKE:cfo|a]\n",
    "[",
    "]",
    "[[]",
    "\\",
    "`",
    "` ",
    "``` ",
    "```\n",
    '"',
    '" ',
    "“",
    "<!--",
    "<pre>",
    "<q",
    ">",
    "> \n",
    "- ",
    "1. ",
    "\n",
    "    a\n",
    "\t",
    "[RESPONSE:cfo]\n",
    "[/RESPONSE]",
    "[RESPONSE:cfo]\n[/RESPONSE]\n",
    "[BLOCKED: cannot invoke ",
    "[BLOCKED: cannot invoke a a a ",
    "[CHAIN: cro → ",
    "[ASSUMPTION: ",
    "\u001b[",
    "\u001b]",
    "\u200b[INVOKE\u200b:",
    "【INVOKE:cfo|［",
    "State assumption used instead:",
    "📈",
  ];
  it.each(families)("grows with the text alone: 1 MiB of %j", (family) => {
    const stepsOf = (size: number): number => {
      const meter = { steps: 0 };
      readEnvelopes(family.repeat(Math.ceil(size / family.length)).slice(0, size), meter);
      return meter.steps;
    };
    expect(stepsOf(SIZE)).toBeLessThan(24 * SIZE);
    // What is bounded by the number of envelopes may stand before the slope; the slope itself is linear.
    expect(stepsOf(SIZE) - stepsOf(SIZE / 2)).toBeLessThan(16 * SIZE);
  });

  it("ends where a text is too large, or holds too many envelopes", () => {
    expect(
      readEnvelopes("a".repeat(ENVELOPE_LIMITS.textBytes + 1)).problems.map(({ problem }) => problem),
    ).toEqual(["too-large"]);
    const many = readEnvelopes("[INVOKE:cfo|a]\n".repeat(ENVELOPE_LIMITS.envelopes + 1));
    expect([many.envelopes.length, many.problems.map(({ problem }) => problem)]).toEqual([
      ENVELOPE_LIMITS.envelopes,
      ["too-large"],
    ]);
  });
});

it("each tolerance stands once", () => {
  expect(new Set(TOLERANCES.map(({ name }) => name)).size).toBe(TOLERANCES.length);
});
