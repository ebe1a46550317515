// What is read from questions, as a table.
import { describe, expect, it } from "vitest";
import { particularsOf } from "./question.ts";
import { parseCompany } from "./schema.ts";

const company = parseCompany({
  markets: [{ name: "Germany" }, { name: "Oman" }],
  product: { roadmap: [{ name: "SSO" }, { name: "Usage billing" }] },
});
const read = (text: string, today = "2026-12-01") => particularsOf(text, company, today);

describe("hires", () => {
  it.each([
    ["hiring 5 engineers in Q3", 5, "engineering", undefined],
    ["hire five senior engineers", 5, "engineering", "senior"],
    ["add 2 account executives", 2, "sales", undefined],
    ["an additional marketer", 1, "marketing", undefined],
    ["time-to-hire for senior engineers", undefined, "engineering", "senior"],
    ["hire 12 people", 12, undefined, undefined],
    ["hire 3 security engineers", 3, "security", undefined],
    ["a staff developer", 1, "engineering", "lead"],
    ["Q3 and 90 days", undefined, undefined, undefined],
  ])("%s", (text, quantity, fn, seniority) => expect(read(text)).toMatchObject({ quantity, fn, seniority }));
});

describe("periods", () => {
  it.each([
    ["in Q3", "2026-12-01", "2027-07-01", "2027-09-30"],
    ["in Q3", "2026-08-15", "2026-07-01", "2026-09-30"],
    ["in Q3 2028", "2026-08-15", "2028-07-01", "2028-09-30"],
    ["by end of quarter", "2026-12-01", "2026-10-01", "2026-12-31"],
    ["next quarter", "2026-12-01", "2027-01-01", "2027-03-31"],
    ["the next 90 days", "2026-12-01", "2026-12-01", "2027-03-01"],
    ["in 2 weeks", "2026-12-01", "2026-12-01", "2026-12-15"],
    ["by the end of the year", "2026-12-01", "2026-01-01", "2026-12-31"],
    ["in March", "2026-12-01", "2027-03-01", "2027-03-31"],
    ["by December", "2026-12-01", "2026-12-01", "2026-12-31"],
    ["by February 2028", "2026-12-01", "2028-02-01", "2028-02-29"],
  ])("%s on %s", (text, today, start, end) => expect(read(text, today).period).toMatchObject({ start, end }));

  it("none", () => expect(read("What is our runway?").period).toBeUndefined());
});

describe("names and amounts", () => {
  it("finds names of the file as whole words", () => {
    expect(read("Should we expand to Germany?").market?.name).toBe("Germany");
    expect(read("Should we expand to Romania?").market).toBeUndefined();
    expect(read("Can we ship sso?").item?.name).toBe("SSO");
  });

  it("finds amounts and percentages", () => {
    expect(read("spend $50K, €1.5M or CHF 200 more")).toMatchObject({ amounts: [50_000, 1_500_000, 200] });
    expect(read("from 9% to 6.5 percent")).toMatchObject({ percents: [9, 6.5] });
  });

  it("knows when a rough answer will do", () => {
    expect(read("Roughly, what does it cost?").rough).toBe(true);
    expect(read("What does it cost?").rough).toBe(false);
  });
});
