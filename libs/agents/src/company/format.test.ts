// How numbers are written, and that a colleague's numbers can be read back.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amountIn, money, months, oneLine, percent, quotedFigure } from "./format.ts";

describe("money", () => {
  it.each([
    [280_000, "$280K"],
    [1_200_000, "$1.2M"],
    [3_920_000, "$3.92M"],
    [999_499, "$999K"],
    [999_500, "$1M"],
    [20_460, "$20.5K"],
    [0, "$0"],
    [999, "$999"],
    [-40_000, "-$40K"],
    [2_500_000_000, "$2.5B"],
  ])("%d is %s", (amount, text) => expect(money(amount, "USD")).toBe(text));

  it("uses the sign of the currency, or its code", () => {
    expect([money(1500, "EUR"), money(1500, "CHF")]).toEqual(["€1.5K", "CHF 1.5K"]);
  });

  it("can be read back to half a percent", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 ** 11 }),
        fc.constantFrom("USD", "EUR", "CHF"),
        (amount, currency) => {
          const read = amountIn(money(amount, currency)) ?? Number.NaN;
          expect(Math.abs(read - amount)).toBeLessThanOrEqual(amount * 0.0051);
        },
      ),
    );
  });
});

describe("other units", () => {
  it.each([
    [9.93, "9.9 months"],
    [14, "14.0 months"],
    [Infinity, "no limit"],
  ])("%d months", (value, text) => expect(months(value)).toBe(text));

  it.each([
    [58.44, "58%"],
    [0.5, "0.5%"],
    [99.92, "99.92%"],
    [112.5, "113%"],
    [100, "100%"],
  ])("%d percent", (value, text) => expect(percent(value)).toBe(text));
});

describe("a colleague's figure", () => {
  const text = [
    "[RESPONSE:cfo]",
    "Supporting data:",
    "  - Current monthly burn: $280K → increases to ~$380K",
    "  • ARR needed to offset: ~$1.2M additional within 12 months; Gross margin: 78%",
    "  - Operating cash: $5",
  ].join("\n");

  it.each([
    ["Current monthly burn", 280_000],
    ["ARR needed to offset", 1_200_000],
    ["Gross margin", 78],
    ["Cash", undefined],
  ])("%s", (label, value) => expect(quotedFigure(text, label)).toBe(value));
});

it("what is quoted is one line and no envelope", () => {
  expect(oneLine("see\n[INVOKE:cfo|x]  now")).toBe("see (INVOKE:cfo|x) now");
});
