import { Deliverable, DISCLAIMER, type EndStatus } from "@firm/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeRun, type MergeInput } from "./merge.ts";
import {
  childOf,
  ENGINEERING,
  LEGAL,
  objectiveOf,
  OPERATIONS,
  QUALITY,
  resultOf,
  RUN,
  STRATEGY,
} from "./testing/fixtures.ts";

const ORDER = [STRATEGY, ENGINEERING, QUALITY, OPERATIONS];
const merge = (more: Partial<MergeInput> = {}): Deliverable => {
  const deliverable = mergeRun({
    run: RUN,
    objective: objectiveOf(),
    order: ORDER,
    outcomes: ORDER.map((role) => childOf(role)),
    blockers: [],
    ...more,
  });
  expect(Deliverable.parse(deliverable)).toEqual(deliverable);
  return deliverable;
};

describe("merge", () => {
  test("everything delivered: complete, in order whoever came first, nothing open", () => {
    const deliverable = merge({
      outcomes: [childOf(LEGAL), ...ORDER.toReversed().map((role) => childOf(role))],
    });
    expect(deliverable.departments.map(({ role }) => role)).toEqual([...ORDER, LEGAL]);
    expect(deliverable).toMatchObject({
      status: "complete",
      open_items: [],
      suggestions: [],
      disclaimer: DISCLAIMER,
    });
    expect(deliverable.summary).toBe(
      "The objective “Build a payment API” went to 5 departments: 5 delivered (strategy, engineering, quality, operations, legal). There are no findings. Nothing is left open.",
    );
  });

  test("each department that is not in full is an open item by name, and delivery goes on", () => {
    const deliverable = merge({
      outcomes: [
        childOf(STRATEGY, { status: "timeout", result: undefined, reason: "no result by the deadline" }),
        childOf(ENGINEERING, {
          status: "timeout",
          reason: "no result by the deadline",
          result: resultOf({ objective_key: "e", output: "Half" }),
        }),
        childOf(QUALITY, { status: "failed", result: undefined, reason: "crashed" }),
        childOf(OPERATIONS, {
          definitionOfDone: "CVSS scores",
          result: resultOf({ objective_key: "o", output: "Text", open_items: ["look at DNS"] }),
        }),
      ],
      refusals: [{ from: "ceo", verb: "handoff", code: "spawn-limit", reason: "20" }],
    });
    expect(deliverable.status).toBe("open_items");
    expect(deliverable.open_items).toEqual([
      "department:strategy: timeout — no result by the deadline (no output)",
      "department:engineering: timeout — no result by the deadline (partial output included)",
      "department:quality: failed — crashed (no output)",
      "department:operations: definition of done not met: CVSS scores",
      "department:operations: look at DNS",
    ]);
    expect(deliverable.departments.map(({ status, quality }) => `${status} ${quality}`)).toEqual([
      "timeout partial",
      "timeout partial",
      "failed partial",
      "ok partial",
    ]);
    expect(deliverable.body).toContain("Half");
    expect(deliverable.suggestions).toEqual([
      "Give department:strategy, department:engineering more time than 30 s (deadline_seconds), or a narrower objective.",
      "Find out why department:quality failed before the next run: its reason stands under the open items.",
      "Name in definition_of_done only what department:operations can show, or give it the context that it lacked.",
      "Name fewer departments, or reuse sessions: the run reached its limit of spawns.",
    ]);
    expect(deliverable.summary).toContain(
      "1 delivered (operations), 2 timed out (strategy, engineering), 1 failed (quality)",
    );
  });

  test("an end without a result is never complete", () => {
    const deliverable = merge({ outcomes: [childOf(STRATEGY, { result: undefined })] });
    expect(deliverable).toMatchObject({
      status: "open_items",
      open_items: ["department:strategy: ended without a result"],
    });
  });

  test("where an outcome names no definition of done, the user's counts, else the department's own", () => {
    const outcomes = [
      { role: QUALITY, status: "ok" as const, result: resultOf({ output: "Text", summary: "s" }) },
    ];
    expect(
      merge({ outcomes, objective: objectiveOf({ definition_of_done: "CVSS scores" }) }).departments[0]
        ?.unmet,
    ).toEqual(["CVSS scores"]);
    expect(merge({ outcomes }).departments[0]?.unmet).toEqual(["findings", "severity", "recommendations"]);
  });

  test("blockers, escalated and settled", () => {
    const report = {
      role: ENGINEERING,
      blocked_by: LEGAL,
      blocker: "cards?",
      iterations: [{ resolution: "tokens", response: "no" }],
      reason: "not resolved after 1 joint iteration",
    };
    const deliverable = merge({
      outcomes: [childOf(ENGINEERING, { status: "blocked", reason: "cards?" }), childOf(QUALITY)],
      blockers: [report],
      resolved: [{ ...report, role: QUALITY, reason: "" }],
    });
    expect(deliverable.open_items).toContain(
      "Blocker of department:engineering by department:legal: cards? (not resolved after 1 joint iteration)",
    );
    expect(deliverable.decisions).toEqual([
      "Blocker of department:quality settled with department:legal: tokens",
    ]);
    expect(deliverable.suggestions).toContain(
      "Settle this with department:legal before department:engineering starts: cards?",
    );
  });

  test("the same part twice: the more complete one stays, the other is named", () => {
    const twice = (role: string, output: string) =>
      childOf(role, { result: resultOf({ objective_key: "same", output }) });
    const deliverable = merge({
      outcomes: [twice(STRATEGY, "Short words."), twice(QUALITY, "Rather longer words.")],
    });
    expect(deliverable.body).not.toContain("Short words.");
    expect(deliverable.body).toContain("Rather longer words.");
    expect(deliverable.departments.map(({ role }) => role)).toEqual([STRATEGY, QUALITY]);
    expect(deliverable.open_items).toEqual([
      "department:strategy: its part is left out as a duplicate of department:quality's (objective_key same)",
    ]);
  });

  test("usage, pull request, durations and agents come through", () => {
    const pull_request = {
      title: "t",
      body: "b",
      branch: "firm/x",
      base: "main",
      draft: true,
      labels: ["needs-review"],
      files: [],
    };
    const result = resultOf({
      pull_request,
      usage: { usd: 0.5, input_tokens: 10 },
      agent: { name: "playbook" },
    });
    const deliverable = merge({
      outcomes: [childOf(ENGINEERING, { result, durationMs: 1_234 }), childOf(QUALITY)],
    });
    expect(deliverable).toMatchObject({
      pull_request,
      usage: { usd: 0.5, input_tokens: 10 },
      departments: [{ duration_ms: 1_234, agent: "playbook" }, {}],
    });
    expect(
      merge({
        pullRequest: { ...pull_request, title: "newer" },
        outcomes: [childOf(ENGINEERING, { result })],
      }).pull_request?.title,
    ).toBe("newer");
  });

  test("property: no department is dropped, complete means all in full, and the disclaimer closes every format", () => {
    const outcome = fc.record({
      role: fc.constantFrom(...ORDER, LEGAL),
      status: fc.constantFrom<EndStatus>("ok", "partial", "blocked", "timeout", "failed", "cancelled"),
      key: fc.constantFrom("a", "b", undefined),
      output: fc.string(),
    });
    const format = fc.constantFrom("markdown_report" as const, "json" as const, "github_pr" as const);
    fc.assert(
      fc.property(
        fc.uniqueArray(outcome, { selector: ({ role }) => role }),
        format,
        (raw, delivery_format) => {
          const outcomes = raw.map(({ role, status, key, output }) =>
            childOf(role, {
              status,
              result: key === undefined ? undefined : resultOf({ objective_key: key, output }),
            }),
          );
          const deliverable = merge({ outcomes, objective: objectiveOf({ delivery_format }) });
          expect(deliverable.departments.map(({ role }) => role).toSorted()).toEqual(
            outcomes.map(({ role }) => role).toSorted(),
          );
          for (const { role, status, quality } of deliverable.departments) {
            if (status !== "ok" || quality === "partial") expect(deliverable.status).toBe("open_items");
            if (status !== "ok")
              expect(deliverable.open_items.some((item) => item.startsWith(`${role}: ${status}`))).toBe(true);
          }
          if (delivery_format === "json")
            expect(JSON.parse(deliverable.body)).toMatchObject({ disclaimer: DISCLAIMER, run: RUN });
          else expect(deliverable.body.split("\n").at(-1)).toBe(DISCLAIMER);
        },
      ),
    );
  });
});
