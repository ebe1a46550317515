import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDeadline, childDeadline } from "./deadline.ts";
import { checkEdge } from "./edges.ts";
import { checkSpawns } from "./spawn-limit.ts";

const REPORTS: Record<string, string[]> = {
  ceo: ["department:engineering", "department:quality"],
  "department:engineering": ["service:backend"],
};
const reportsOf = (role: string) => REPORTS[role] ?? [];

describe("edges of the org chart", () => {
  test.each([
    ["user", "ceo"],
    ["ceo", "department:quality"],
    ["department:engineering", "service:backend"],
  ])("%s → %s", (from, to) => {
    expect(checkEdge(reportsOf, from, to)).toEqual({ ok: true });
  });

  test.each([
    ["user", "department:quality", "user may not hand work to department:quality: user may hand to ceo"],
    [
      "ceo",
      "service:backend",
      "ceo may not hand work to service:backend: ceo may hand to department:engineering, department:quality",
    ],
    [
      "service:backend",
      "department:engineering",
      "service:backend may not hand work to department:engineering: service:backend has no direct reports",
    ],
    [
      "ceo",
      "ceo",
      "ceo may not hand work to ceo: ceo may hand to department:engineering, department:quality",
    ],
    ["cfo", "department:quality", "cfo may not hand work to department:quality: cfo has no direct reports"],
  ])("%s → %s is no edge", (from, to, reason) => {
    expect(checkEdge(reportsOf, from, to)).toEqual({ ok: false, code: "edge-not-in-org-chart", reason });
  });
});

describe("spawns", () => {
  test.each([
    { spawned: [], wanted: ["a"], limit: 20, fresh: ["a"], left: 19 },
    { spawned: ["a"], wanted: ["a"], limit: 1, fresh: [], left: 0 },
    { spawned: ["a"], wanted: ["a", "b", "b"], limit: 2, fresh: ["b"], left: 0 },
    { spawned: ["a", "b", "c"], wanted: ["c"], limit: 2, fresh: [], left: 0 },
    { spawned: [], wanted: [], limit: 0, fresh: [], left: 0 },
  ])("$spawned + $wanted of $limit", ({ spawned, wanted, limit, fresh, left }) => {
    expect(checkSpawns(spawned, wanted, limit)).toEqual({ ok: true, fresh, left });
  });

  test("the twenty-first is refused, with the numbers", () => {
    const spawned = Array.from({ length: 20 }, (_, i) => `s${i}`);
    expect(checkSpawns(spawned, ["s3", "new"], 20)).toEqual({
      ok: false,
      code: "spawn-limit",
      reason: "1 more would exceed the run's limit of 20 spawns (20 so far): new",
    });
  });

  test("property: however they are asked for, a run never holds more than the limit, and a refusal spawns nothing", () => {
    const key = fc.integer({ min: 0, max: 40 }).map((n) => `s${n}`);
    fc.assert(
      fc.property(
        fc.array(fc.array(key, { maxLength: 6 }), { maxLength: 30 }),
        fc.integer({ min: 0, max: 20 }),
        (asks, limit) => {
          let spawned: string[] = [];
          for (const wanted of asks) {
            const verdict = checkSpawns(spawned, wanted, limit);
            if (!verdict.ok) continue;
            spawned = [...spawned, ...verdict.fresh];
            expect(verdict.left).toBe(limit - spawned.length);
            expect(wanted.every((one) => spawned.includes(one))).toBe(true);
          }
          expect(spawned.length).toBeLessThanOrEqual(limit);
          expect(new Set(spawned).size).toBe(spawned.length);
        },
      ),
    );
  });
});

describe("deadlines", () => {
  test.each([
    [30_000, 29_000, "1000 ms at most"],
    [10_000, 9_500, "5 %"],
    [600, 550, "50 ms at least"],
    [40, -10, "in the past where too little is left"],
  ])("%i ms left → the child has %i (%s)", (left, child) => {
    expect(childDeadline(1_000_000 + left, 1_000_000)).toBe(1_000_000 + child);
  });

  test.each([
    [100, 99, true],
    [100, 100, false],
    [100, 101, false],
  ])("deadline %i at %i", (deadline, now, ok) => {
    expect(checkDeadline(deadline, now).ok).toBe(ok);
  });

  test("property: each level ends at least 50 ms before the one above, however late it is asked", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 86_400_000 }),
        fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 6 }),
        (total, delays) => {
          let now = 0;
          let deadline = total;
          for (const delay of delays) {
            now += delay;
            const child = childDeadline(deadline, now);
            expect(deadline - child).toBeGreaterThanOrEqual(50);
            expect(deadline - child).toBeLessThanOrEqual(1_000);
            deadline = child;
          }
        },
      ),
    );
  });
});
