// Holds the reader to its promise that its work grows as the text does: in steps, which are the same on every machine.
import { describe, expect, it } from "vitest";
import { checkResponse, ENVELOPE_LIMITS, readEnvelopes } from "./index.ts";

const SIZE = 1_048_576;
const FAMILIES = [
  "[INVOKE:[INVOKE:",
  "[INVOKE:cfo|",
  "[INVOKE:cfo|[",
  "[INVOKE:cfo|a]\n",
  "[INVOKE:janitor|a]\n\n",
  "[",
  "]",
  "[[]",
  "[ ",
  "\\",
  "\\[",
  "`",
  "` ",
  "`` ` ",
  "``` ",
  "```\n",
  "- ```\n",
  "  ```\n~~~\n",
  '"',
  '" ',
  '"a ',
  'a" ',
  '"""',
  "'",
  "“",
  "“”",
  "”",
  "„",
  "» ",
  "<!--",
  "<!-- -->",
  "<![CDATA[",
  "<pre>",
  "<q></q>",
  "<q",
  "<",
  ">",
  "> \n",
  "\u2028> ",
  "- ",
  "1. ",
  "\n",
  "\r",
  "    a\n",
  "\t",
  "[RESPONSE:cfo]",
  "[RESPONSE:cfo]\n",
  "[RESPONSE:cfo]\nKey finding: a\nSupporting data:\n",
  "[/RESPONSE]",
  "[/RESPONSE]\n",
  "[RESPONSE:cfo]\n[/RESPONSE]\n",
  "[RESPONSE:cfo]\n```\n[/RESPONSE]\n```\n",
  "[BLOCKED: cannot invoke ",
  "[BLOCKED: cannot invoke a a a ",
  "[BLOCKED: cannot invoke cfo — no]\nState assumption used instead: [",
  "[CHAIN: cro → ",
  "[ASSUMPTION: ",
  "\u001b[",
  "\u001b]",
  "\u200b[INVOKE\u200b:",
  "[RES\u200bPONSE:cfo]\n",
  "【INVOKE:cfo|［",
  "State assumption used instead:",
  "📈",
];

describe("the reader's work grows with the text alone", () => {
  it.each(FAMILIES)(
    "1 MiB of %j",
    (family) => {
      const stepsOf = (size: number): number => {
        const meter = { steps: 0 };
        readEnvelopes(family.repeat(Math.ceil(size / family.length)).slice(0, size), meter);
        return meter.steps;
      };
      const whole = stepsOf(SIZE);
      expect(whole).toBeGreaterThanOrEqual(1);
      expect(whole).toBeLessThan(32 * SIZE);
      // What the bounds on envelopes and texts allow stands before the slope; the slope itself is linear.
      expect(whole - stepsOf(SIZE / 2)).toBeLessThan(16 * SIZE);
    },
    60_000,
  );
});

describe("a response's lines cost what they are long", () => {
  it.each([
    ["Confidence: ", ".", "x"],
    ["Key finding: ", "*", "x"],
    ["Supporting data", " ", "x"],
    ["", "#", "x"],
    ["Caveat: ", "\\", "x"],
  ])(
    "%j and 60,000 of %j",
    (label, letter, last) => {
      const { problems } = checkResponse(`[RESPONSE:cfo]\n${label}${letter.repeat(60_000)}${last}\n`, "cfo");
      expect(problems.length).toBeGreaterThan(0);
    },
    // A quadratic reader needs minutes for the lot.
    60_000,
  );
});

it("the reader ends where a text is too large, or holds too many envelopes", () => {
  const large = readEnvelopes("a".repeat(ENVELOPE_LIMITS.textBytes + 1));
  expect(large.problems.map(({ problem }) => problem)).toEqual(["too-large"]);
  const many = readEnvelopes("[INVOKE:cfo|a]\n".repeat(ENVELOPE_LIMITS.envelopes + 1));
  expect([many.envelopes.length, many.problems.map(({ problem }) => problem)]).toEqual([
    ENVELOPE_LIMITS.envelopes,
    ["too-large"],
  ]);
});
