import type { Finding, ResultInput } from "@firm/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultDefinitionOfDone } from "./contract.ts";
import { checkDefinitionOfDone, validated } from "./done.ts";
import { ENGINEERING, OPERATIONS, QUALITY, resultOf, STRATEGY } from "./testing/fixtures.ts";

const SEED = "Security report with CVSS scores and fix recommendations";
const finding = (more: Partial<Finding> = {}): Finding => ({
  objective_key: "f",
  title: "Hard-coded secret",
  severity: "high",
  detail: "",
  ...more,
});
const check = (definition: string, more: Partial<ResultInput>) =>
  checkDefinitionOfDone(definition, resultOf({ output: "Text.", summary: "Text.", ...more }));

describe("the seed's example", () => {
  test.each<[string, Partial<ResultInput>, string[]]>([
    [
      "met by findings with scores and recommendations",
      { output: "A security review.", findings: [finding({ cvss: 7.5, recommendation: "Rotate it" })] },
      [],
    ],
    [
      "met in words",
      { output: "Security: CVSS scores are in the table; fixes and recommendations below." },
      [],
    ],
    [
      "no score",
      { output: "A security review.", findings: [finding({ recommendation: "Rotate it" })] },
      ["CVSS scores"],
    ],
    [
      "no recommendation",
      { output: "A security review.", findings: [finding({ cvss: 7.5 })] },
      ["fix recommendations"],
    ],
    [
      "another subject",
      { output: "A style review." },
      ["Security report (missing: security)", "CVSS scores", "fix recommendations"],
    ],
    [
      "only said to be missing",
      { output: "Security review. Fixes and recommendations: see below.\nCVSS scores: not available" },
      ["CVSS scores"],
    ],
    [
      "only repeated",
      { output: `Definition of done: ${SEED}.` },
      ["Security report (missing: security)", "CVSS scores", "fix recommendations"],
    ],
    [
      "repeated over a line's end",
      { output: "Security report with CVSS\nscores and fix recommendations" },
      ["Security report (missing: security)", "CVSS scores", "fix recommendations"],
    ],
    [
      "only an open item",
      { output: "A security review with fixes and recommendations.", open_items: ["CVSS scores"] },
      ["CVSS scores"],
    ],
  ])("%s", (_, result, unmet) => {
    expect(check(SEED, result)).toEqual({ met: unmet.length === 0, unmet });
  });
});

describe("R1: nothing is met by nothing", () => {
  test("an empty output", () => {
    expect(check(SEED, { output: "  \n", summary: SEED }).unmet).toEqual([
      "Security report (no output)",
      "CVSS scores (no output)",
      "fix recommendations (no output)",
    ]);
  });

  test("a failed result, whatever it says", () => {
    expect(check("Report", { status: "failed", output: "Report" })).toEqual({
      met: false,
      unmet: ["Report (the role failed)"],
    });
  });

  test("property: empty or failed is never met, for any definition with a word in it", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "grapheme" }), fc.boolean(), (text, failed) => {
        const definition = `${text} word`;
        const result = resultOf(
          failed ? { status: "failed", output: definition } : { output: "", summary: definition },
        );
        expect(checkDefinitionOfDone(definition, result).met).toBe(false);
      }),
    );
  });
});

describe("clauses and words", () => {
  test.each<[string, string, boolean]>([
    [
      "Rapport de sécurité avec scores CVSS et recommandations de correction",
      "Rapport de securite: les scores CVSS, la correction et une recommandation.",
      true,
    ],
    ["Rapport de sécurité avec scores CVSS", "Rapport de sécurité.", false],
    ["All endpoints documented", "Every endpoint has documentation.", true],
    ["All endpoints documented, tests passing", "Every endpoint has documentation.", false],
    ["CI", "The CI runs.", true],
    ["CI", "The tests run.", false],
    [
      "A migration guide for users of the old payment API",
      "A migration guide: how users leave the old API for the new.",
      true,
    ],
    ["A migration guide for users of the old payment API", "A guide.", false],
    ["Contest rules", "The contestants obey the rules.", true],
    ["Test plan", "The testimony is planned.", false],
    ["It is done.", "Something.", true],
  ])("%j in %j: %s", (definition, output, met) => {
    expect(check(definition, { output }).met).toBe(met);
  });

  test.each([
    ["decisions", { decisions: ["Use NATS"] }],
    ["assumptions", { assumptions: ["One region"] }],
    ["Files with lines", { findings: [finding({ file: "a.ts", line: 3 })] }],
    ["commits", { commits: [{ sha: "1", branch: "firm/x", subject: "s" }] }],
    ["next steps", { suggestions: ["Look again"] }],
    ["risks", { findings: [finding()] }],
  ] as [string, Partial<ResultInput>][])("%s have a place of their own", (definition, more) => {
    expect(check(definition, {}).met).toBe(false);
    expect(check(definition, more).met).toBe(true);
  });

  test.each([STRATEGY, ENGINEERING, QUALITY, OPERATIONS, "service:backend"])(
    "the default of %s is met by findings that advise",
    (role) => {
      expect(
        check(defaultDefinitionOfDone(role), { findings: [finding({ recommendation: "Rotate it" })] }),
      ).toEqual({ met: true, unmet: [] });
      expect(check(defaultDefinitionOfDone(role), {}).met).toBe(false);
    },
  );
});

test("an unmet definition lowers the quality, names what is missing once, and drops nothing", () => {
  const result = resultOf({ output: "A style review.", unmet: ["CVSS scores"], decisions: ["d"] });
  const after = validated(result, "CVSS scores");
  expect(after).toEqual({ ...result, quality: "partial", unmet: ["CVSS scores"] });
  expect(validated(after, "style")).toBe(after);
});
