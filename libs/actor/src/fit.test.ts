// What does not fit into one message is named; the gravest findings stay.
import { Result, SEVERITIES, type Finding } from "@firm/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fitOutcome } from "./fit.ts";

const finding = fc.record({
  objective_key: fc.string({ minLength: 1, maxLength: 20 }),
  title: fc.string({ minLength: 1, maxLength: 100, unit: "grapheme" }),
  severity: fc.constantFrom(...SEVERITIES),
  detail: fc.string({ maxLength: 2_000, unit: "grapheme" }),
});

test("it fits, whatever it was, and says what was left out", () => {
  fc.assert(
    fc.property(
      fc.array(finding, { maxLength: 40 }),
      fc.string({ maxLength: 20_000, unit: "grapheme" }),
      (findings, output) => {
        const result = Result.parse({ status: "ok", objective_key: "k", summary: "s", findings, output });
        const limit = 6_000;
        const fitted = fitOutcome(result, limit);
        if ("deliverable" in fitted) throw new Error("a result became a deliverable");
        expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(limit);
        const cut = fitted.findings.length < findings.length || fitted.output.length < output.length;
        expect(fitted.open_items.length > 0).toBe(cut);
        const gravest = (list: readonly Finding[]): number =>
          Math.min(...list.map(({ severity }) => SEVERITIES.indexOf(severity)));
        if (fitted.findings.length > 0) expect(gravest(fitted.findings)).toBe(gravest(result.findings));
      },
    ),
    { numRuns: 200 },
  );
});

test("what fits is untouched", () => {
  const result = Result.parse({ status: "ok", objective_key: "k", summary: "s" });
  expect(fitOutcome(result, 10_000)).toBe(result);
});
