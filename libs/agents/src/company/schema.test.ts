// The file: the sample is valid, what is not known is refused by name, and every number can be asked for in words.
import { FirmError } from "@firm/protocol";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { valueAt } from "./figures.ts";
import { askForNumbers, numbersNamed } from "./headlines.ts";
import { NUMBERS, numberInfo } from "./owners.ts";
import { SAMPLE_COMPANY_YAML } from "./sample.ts";
import { parseCompany } from "./schema.ts";

const sample = parseCompany(parse(SAMPLE_COMPANY_YAML));

/** The field a refusal names. */
function refused(input: unknown): string | undefined {
  try {
    parseCompany(input);
  } catch (error) {
    if (error instanceof FirmError && error.code === "invalid-config") return error.field;
    throw error;
  }
  return undefined;
}

const concrete = Object.keys(NUMBERS).map((key) => {
  const name = key.startsWith("markets")
    ? "Germany"
    : key.includes("roadmap")
      ? "Usage billing"
      : "engineering";
  return key
    .split(".")
    .map((part, index, parts) => (part !== "*" ? part : parts.indexOf("*") === index ? name : "senior"));
});

describe("company.yaml", () => {
  it("has a sample that gives every number of the table but those of single items", () => {
    const absent = concrete
      .filter((path) => valueAt(sample, path) === undefined)
      .map((path) => path.join("."));
    expect(absent).toEqual([
      "people.time_to_hire_days.engineering",
      "product.roadmap.Usage billing.engineers",
    ]);
  });

  it("may be empty", () => expect(parseCompany(null)).toEqual({ currency: "USD" }));

  it.each([
    [{ finance: { cahs: 1 } }, "finance.cahs"],
    [{ burn: 1 }, "burn"],
    [{ people: { headcount: { wizards: 3 } } }, "people.headcount.wizards"],
    [{ assumptions: { "finance.brun": 1 } }, "assumptions.finance.brun"],
    [{ currency: "dollars" }, "currency"],
    [{ finance: { gross_margin_pct: 780 } }, "finance.gross_margin_pct"],
    [{ markets: [{ name: "X", cost: 1 }] }, "markets.0.cost"],
  ])("%o is refused at %s", (input, field) => expect(refused(input)).toBe(field));
});

describe("numbers in words", () => {
  it.each(concrete.map((path) => [path.join("."), path] as const))(
    "%s can be asked for by its label",
    (_, path) => {
      expect(
        numbersNamed(askForNumbers([numberInfo(path).label], "hiring 5 engineers in Q3"), sample),
      ).toEqual([path]);
    },
  );

  it("several at once, in the order asked", () => {
    const paths = [
      ["operations", "loaded_cost_monthly", "engineering"],
      ["operations", "onboarding_cost_per_hire"],
      ["operations", "ramp_months", "engineering"],
    ];
    const labels = paths.map((path) => numberInfo(path).label);
    expect(numbersNamed(askForNumbers(labels, ""), sample)).toEqual(paths);
  });

  it("a question about a topic besides is not one for numbers", () => {
    expect(numbersNamed("What is our cash after hiring 5 engineers?", sample)).toEqual([]);
    expect(numbersNamed("Tell me about cash", sample)).toEqual([]);
  });
});
