// A board meeting's phases 2, 3 and 4 without a model.
import { INVOCABLE_ROLES } from "@firm/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SAMPLE_COMPANY_YAML } from "../sample.ts";
import { parseCompany, type Company } from "../schema.ts";
import { rolesForTopic } from "../topics.ts";
import { contribution, stanceOf, type Contribution } from "./contribution.ts";
import { critique } from "./critique.ts";
import { synthesise } from "./synthesis.ts";

const sample = parseCompany(parse(SAMPLE_COMPANY_YAML));
const TODAY = "2026-12-01";
const GERMANY = "Should we expand to Germany in Q3?";

function board(
  question: string,
  company: Company = sample,
  roles = rolesForTopic(question),
): readonly Contribution[] {
  return roles.map((role) => contribution({ role, question, company, today: TODAY }));
}

/** A contribution as a model might write it. */
function written(
  role: Contribution["role"],
  recommendation: string,
  over: Partial<Contribution> = {},
): Contribution {
  return {
    role,
    recommendation,
    keyPoints: ["A point"],
    confidence: "medium",
    wouldChangeMyMind: "Better numbers.",
    assumptions: [],
    ...over,
  };
}

describe("contributions", () => {
  it("the CFO knows its own numbers and assumes the COO's", () => {
    const [cfo] = board(GERMANY, sample, ["cfo"]);
    // The file's assumptions: 300,000 once and 50,000 a month from July 1st, 212 days away.
    const until = 212 / (365.25 / 12);
    const after = until + (3_920_000 - 280_000 * until - 300_000) / 330_000;
    expect(cfo?.recommendation).toBe(
      `Go: runway stays at ${after.toFixed(1)} months, not below the floor of 9.0 months.`,
    );
    expect(cfo?.keyPoints[0]).toContain(`14.0 months today, ${after.toFixed(1)} months with the proposal`);
    expect(cfo?.assumptions).toEqual([
      expect.stringContaining("One-off cost to enter Germany: $300K"),
      expect.stringContaining("Monthly cost in Germany: $50K"),
    ]);
    expect(cfo?.confidence).toBe("medium");
  });

  it("where a proposal's cost is in no file, the CFO says what it may cost", () => {
    const [cfo] = board("Should we move to another cloud?", sample, ["cfo"]);
    expect(cfo?.recommendation).toContain(
      `Go if it adds at most $${((3_920_000 / 9 - 280_000) / 1000).toFixed(0)}K a month to burn`,
    );
  });

  it("the CISO makes the market's certificate a condition", () => {
    const [ciso] = board(GERMANY, sample, ["ciso"]);
    expect(ciso?.recommendation).toContain("Go if ISO 27001 is certified before the launch");
  });

  it("forced, every role argues against, first of all with its strongest argument", () => {
    for (const role of INVOCABLE_ROLES) {
      const forced = contribution({
        role,
        question: GERMANY,
        company: sample,
        today: TODAY,
        forceAgainst: true,
      });
      expect(stanceOf(forced)).toBe("against");
      expect(forced.keyPoints[0]).toMatch(/^Strongest argument against: /);
    }
  });

  it("an empty file gives low confidence and names what is missing", () => {
    for (const role of INVOCABLE_ROLES) {
      const empty = contribution({
        role,
        question: "Should we hire 5 engineers?",
        company: parseCompany({}),
        today: TODAY,
      });
      expect(empty.keyPoints.join("\n"), role).toContain("Missing in company.yaml");
      expect(empty.confidence).toBe("low");
    }
  });

  it.each([
    ["Go: why not.", "for"],
    ["Go if ISO is there: x.", "conditional"],
    ["Do not: x.", "against"],
    ["Undecided: x is not known.", "undecided"],
    ["Yes, but only in Q4", "conditional"],
    ["**Proceed** with the pilot", "for"],
    ["Not now; wait for the round", "against"],
    ["No. Costs too much", "against"],
  ])("%s is %s", (recommendation, stance) => expect(stanceOf({ recommendation })).toBe(stance));
});

describe("the critic", () => {
  it("names what one assumes and another contradicts", () => {
    const { contradictions } = critique(board(GERMANY), GERMANY);
    expect(contradictions.map(({ text }) => text)).toContain(
      `The CMO assumes "Gross margin" to be 78%, which contradicts the CFO's 80%`,
    );
  });

  it("finds consensus suspicious, and whom to make argue against it", () => {
    const all = [
      written("cfo", "Go: a"),
      written("cro", "Yes, go", { confidence: "low" }),
      written("ceo", "Proceed"),
    ];
    expect(critique(all, GERMANY).suspiciousConsensus).toMatchObject({ forceAgainst: "cro" });
    expect(critique([...all, written("coo", "Do not")], GERMANY).suspiciousConsensus).toBeUndefined();
    expect(critique([written("cfo", "Go")], GERMANY).suspiciousConsensus).toBeUndefined();
  });

  it("finds assumptions shared by several and confirmed by nobody", () => {
    const assumptions = ["Gross margin: 70% (finance.gross_margin_pct; neutral default)"];
    const found = critique(
      [written("cmo", "Go", { assumptions }), written("cro", "Do not", { assumptions })],
      GERMANY,
    );
    expect(found.sharedAssumptions).toEqual([{ assumption: assumptions[0], roles: ["cmo", "cro"] }]);
  });

  it("names who is missing and the risk nobody named", () => {
    const found = critique([written("cfo", "Go"), written("cmo", "Go")], GERMANY);
    expect(found.missing.map(({ role }) => role)).toEqual(["ceo", "cro", "coo"]);
    expect(found.unnamedRisk?.text).toContain("Regulation");
    const named = critique([written("cfo", "Go", { keyPoints: ["Tax and regulation are costly"] })], GERMANY);
    expect(named.unnamedRisk?.text).toContain("competitors");
  });

  it("flags who left their domain, and synthesis leaves it out", () => {
    const all = [
      written("cmo", "Go", { keyPoints: ["The architecture will not scale", "Leads cost $200 each"] }),
      written("cfo", "Do not", { keyPoints: ["Runway falls to 8 months"] }),
    ];
    const found = critique(all, GERMANY);
    expect(found.domainBleed).toEqual([
      { role: "cmo", point: "The architecture will not scale", belongsTo: "cto" },
    ]);
    const text = synthesise(all, found, TODAY)
      .themes.map((theme) => theme.text)
      .join("\n");
    expect(text).toContain("Leads cost $200 each");
    expect(text).not.toContain("architecture");
  });
});

describe("synthesis", () => {
  it("names conflicts with both sides, and gives each action an owner and a working day", () => {
    const all = [
      written("cfo", "Do not: too dear"),
      written("cro", "Go: customers wait"),
      written("coo", "Go if we may hire"),
    ];
    const found = synthesise(all, critique(all, GERMANY), TODAY);
    expect(found.conflicts).toEqual([
      'CRO ("Go: customers wait") against CFO ("Do not: too dear")',
      'COO ("Go if we may hire") against CFO ("Do not: too dear")',
    ]);
    expect(found.leaning).toBe("1 for, 1 for under a condition, 1 against, 0 undecided");
    for (const { deadline } of found.actions) expect([0, 6]).not.toContain(new Date(deadline).getUTCDay());
  });
});

describe("for any board", () => {
  const sections = [
    "finance",
    "revenue",
    "pipeline",
    "people",
    "operations",
    "engineering",
    "product",
    "marketing",
    "security",
    "markets",
    "strategy",
    "assumptions",
  ];
  const company = fc
    .subarray(sections)
    .map((kept) =>
      parseCompany(Object.fromEntries(Object.entries(sample).filter(([key]) => kept.includes(key)))),
    );
  const question = fc.constantFrom(
    GERMANY,
    "Should we hire 5 engineers in Q3?",
    "Should we raise prices by 10%?",
    "Should we rewrite our platform?",
    "Which product direction?",
    "What now?",
  );
  const roles = fc.subarray([...INVOCABLE_ROLES], { minLength: 1 });

  it("formats hold: 1–5 points, 3–5 themes, 3–5 actions with owner and date; no role leaves its domain", () => {
    fc.assert(
      fc.property(company, question, roles, fc.boolean(), (file, text, sitting, forceAgainst) => {
        const all = sitting.map((role) =>
          contribution({ role, question: text, company: file, today: TODAY, forceAgainst }),
        );
        for (const entry of all) {
          expect(entry.keyPoints.length).toBeGreaterThanOrEqual(1);
          expect(entry.keyPoints.length).toBeLessThanOrEqual(5);
          const lines = [
            ...entry.keyPoints,
            entry.recommendation,
            entry.wouldChangeMyMind,
            ...entry.assumptions,
          ];
          for (const line of lines) {
            expect(line).not.toMatch(/undefined|NaN|Infinity|[\n[\]]/);
            expect(line).not.toBe("");
          }
          expect(stanceOf(entry) !== "undecided" || entry.recommendation.startsWith("Undecided")).toBe(true);
        }
        const found = critique(all, text);
        expect(found.domainBleed).toEqual([]);
        const { themes, actions } = synthesise(all, found, TODAY);
        for (const list of [themes, actions]) {
          expect(list.length).toBeGreaterThanOrEqual(3);
          expect(list.length).toBeLessThanOrEqual(5);
        }
        for (const action of actions) expect(action.deadline > TODAY).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
