import { Result, type EndStatus } from "@firm/protocol";
import { describe, expect, test } from "vitest";
import { condense } from "./condense.ts";
import type { ChildOutcome } from "./outcome.ts";
import { childOf, resultOf } from "./testing/fixtures.ts";

const A = "employee:analyst";
const B = "employee:auditor";
const run = (children: ChildOutcome[], blockers: Parameters<typeof condense>[0]["blockers"] = []) => {
  const result = condense({ role: "service:testing", objectiveKey: "own-key", children, blockers });
  expect(Result.parse(result)).toEqual(result);
  return result;
};

describe("status", () => {
  const without = { result: undefined };
  test.each<[string, [EndStatus, object?][], Result["status"]]>([
    ["all ok", [["ok"], ["ok"]], "ok"],
    ["one partial", [["ok"], ["partial"]], "partial"],
    ["one timed out", [["ok"], ["timeout", without]], "partial"],
    ["one blocked among ok ones", [["ok"], ["blocked"]], "blocked"],
    ["blocked and failed", [["failed"], ["blocked"]], "blocked"],
    ["only checkpoints", [["timeout"], ["timeout", without]], "partial"],
    ["nothing usable", [["failed"], ["timeout", without]], "failed"],
    ["nobody", [], "failed"],
  ])("%s", (_, children, status) => {
    expect(
      run(children.map(([one, more], i) => childOf(i === 0 ? A : B, { status: one, ...more }))).status,
    ).toBe(status);
  });
});

test("one report stands as it is, under the role's own key", () => {
  const result = run([
    childOf(A, { result: resultOf({ objective_key: "x", summary: "Said so.", output: "# Part" }) }),
  ]);
  expect(result).toMatchObject({
    status: "ok",
    objective_key: "own-key",
    summary: "Said so.",
    output: "# Part",
    quality: "full",
    open_items: [],
  });
});

test("several are put together by role; what is missing is named", () => {
  const finding = { objective_key: "f", title: "t" };
  const result = run([
    childOf(A, {
      result: resultOf({
        objective_key: "a",
        output: "Part A",
        findings: [finding],
        decisions: ["d"],
        usage: { usd: 1, input_tokens: 2 },
      }),
    }),
    childOf(B, {
      status: "timeout",
      reason: "no result by the deadline",
      result: resultOf({
        objective_key: "b",
        output: "Half B",
        findings: [finding],
        decisions: ["D"],
        usage: { usd: 2 },
      }),
    }),
  ]);
  expect(result.output).toBe("## employee:analyst\n\nPart A\n\n## employee:auditor\n\nHalf B");
  expect(result.findings).toHaveLength(1);
  expect(result.decisions).toEqual(["d"]);
  expect(result.open_items).toEqual(["employee:auditor: timeout — no result by the deadline"]);
  expect(result.usage).toMatchObject({ usd: 3, input_tokens: 2 });
});

test("an unmet definition of done goes up by name", () => {
  const result = run([
    childOf(A, { definitionOfDone: "CVSS scores", result: resultOf({ objective_key: "a", output: "Text" }) }),
  ]);
  expect(result).toMatchObject({
    status: "ok",
    quality: "partial",
    unmet: ["employee:analyst: CVSS scores"],
  });
});

test("the same part twice is kept once and named", () => {
  const result = run([
    childOf(A, { result: resultOf({ output: "short" }) }),
    childOf(B, { result: resultOf({ output: "rather longer" }) }),
  ]);
  expect(result.output).toBe("rather longer");
  expect(result.open_items).toEqual(["employee:analyst: left out, same part as employee:auditor (key)"]);
});

test("a blocker goes up with who blocks and what was tried", () => {
  const blocked = childOf(A, {
    status: "blocked",
    result: resultOf({ status: "blocked", blocked_by: "department:legal", blocker: "may we?" }),
  });
  expect(run([blocked, childOf(B)])).toMatchObject({
    status: "blocked",
    blocked_by: "department:legal",
    blocker: "may we?",
  });
  const report = {
    role: A,
    blocked_by: B,
    blocker: "again",
    iterations: [{ resolution: "r", response: "again" }],
    reason: "not resolved after 1 joint iteration",
  };
  expect(run([blocked], [report])).toMatchObject({
    blocked_by: B,
    blocker: "again (not resolved after 1 joint iteration)",
  });
});

test("what a result cannot hold is cut, and said so", () => {
  const findings = Array.from({ length: 1_500 }, (_, i) => ({ objective_key: `f${i}`, title: "t" }));
  const more = findings.map(({ title }, i) => ({ objective_key: `g${i}`, title }));
  const result = run([
    childOf(A, { result: resultOf({ objective_key: "a", findings, summary: "s".repeat(4_000) }) }),
    childOf(B, { result: resultOf({ objective_key: "b", findings: more, summary: "s".repeat(4_000) }) }),
  ]);
  expect(result.findings).toHaveLength(2_000);
  expect(result.summary).toHaveLength(4_000);
  expect(result.open_items).toEqual([
    "1000 findings more than a result holds, the least severe, are left out",
  ]);
});
