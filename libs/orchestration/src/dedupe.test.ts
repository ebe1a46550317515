import { SEVERITIES, type Finding } from "@firm/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dedupeFindings, dedupeParts, uniqueLines } from "./dedupe.ts";
import { childOf, ENGINEERING, QUALITY, resultOf, STRATEGY } from "./testing/fixtures.ts";

describe("parts", () => {
  const same = (role: string, status: "ok" | "partial", more = {}) =>
    childOf(role, { status, result: resultOf({ objective_key: "same", ...more }) });
  test.each([
    [
      "ok before partial",
      same(STRATEGY, "partial", { output: "long ".repeat(99) }),
      same(QUALITY, "ok"),
      QUALITY,
    ],
    [
      "full before partial quality",
      same(STRATEGY, "ok", { quality: "partial" }),
      same(QUALITY, "ok"),
      QUALITY,
    ],
    ["the longer", same(STRATEGY, "ok", { output: "a" }), same(QUALITY, "ok", { output: "ab" }), QUALITY],
    ["else the first", same(STRATEGY, "ok"), same(QUALITY, "ok"), STRATEGY],
  ])("%s", (_, a, b, kept) => {
    const other = childOf(ENGINEERING);
    const deduped = dedupeParts([a, other, b]);
    expect(deduped.kept.map(({ role }) => role).toSorted()).toEqual([ENGINEERING, kept].toSorted());
    expect(deduped.duplicates).toEqual([
      { role: kept === STRATEGY ? QUALITY : STRATEGY, keptFrom: kept, objectiveKey: "same" },
    ]);
  });

  test("without a result nothing is a duplicate", () => {
    const parts = [
      childOf(STRATEGY, { status: "timeout", result: undefined }),
      childOf(QUALITY, { status: "timeout", result: undefined }),
    ];
    expect(dedupeParts(parts)).toEqual({ kept: parts, duplicates: [] });
  });
});

const finding = fc.record<Finding>({
  objective_key: fc.constantFrom("a", "b", "c"),
  title: fc.constantFrom("t", "u"),
  severity: fc.constantFrom(...SEVERITIES),
  detail: fc.string({ maxLength: 5 }),
});

describe("findings", () => {
  test("one that knows what each knew, at the worst severity", () => {
    const { findings, merged } = dedupeFindings([
      {
        objective_key: "a",
        title: "t",
        severity: "low",
        detail: "long detail",
        recommendation: "fix it",
        cvss: 3,
      },
      { objective_key: "b", title: "other", severity: "medium", detail: "" },
      { objective_key: "a", title: "t", severity: "high", detail: "", file: "x.ts", line: 3, cvss: 7 },
    ]);
    expect(merged).toBe(1);
    expect(findings).toMatchObject([
      { objective_key: "a", severity: "high", file: "x.ts", line: 3, recommendation: "fix it", cvss: 7 },
      { objective_key: "b" },
    ]);
  });

  test("property: no key is lost or doubled, counts add up, the worst come first, and a second pass changes nothing", () => {
    fc.assert(
      fc.property(fc.array(finding, { maxLength: 20 }), (all) => {
        const { findings, merged } = dedupeFindings(all);
        const keys = findings.map(({ objective_key: key }) => key);
        expect(new Set(keys)).toEqual(new Set(all.map(({ objective_key: key }) => key)));
        expect(new Set(keys).size).toBe(keys.length);
        expect(findings.length + merged).toBe(all.length);
        const ranks = findings.map(({ severity }) => SEVERITIES.indexOf(severity));
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
        for (const kept of findings) {
          const worst = Math.min(
            ...all
              .filter((one) => one.objective_key === kept.objective_key)
              .map(({ severity }) => SEVERITIES.indexOf(severity)),
          );
          expect(SEVERITIES.indexOf(kept.severity)).toBe(worst);
        }
        expect(dedupeFindings(findings)).toEqual({ findings, merged: 0 });
      }),
    );
  });
});

test("lines that differ in case and white space are one", () => {
  expect(uniqueLines(["Use NATS", " use  nats", "", "Other"])).toEqual(["Use NATS", "Other"]);
});
