import type { PullRequest, TokenClaims } from "@firm/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkAttempt } from "./attempt.ts";
import { checkBudget, isWarning, type Spent } from "./budget.ts";
import { checkPullRequest } from "./pull-request.ts";
import { fullBucket, take } from "./rate.ts";
import { checkSender } from "./sender.ts";

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const containing = (text: string): unknown => expect.stringContaining(text);

test.each([
  [1, 1, true],
  [2, 1, false],
  [1, 2, false],
])("current attempt %i, presented %i", (current, presented, ok) => {
  const verdict = checkAttempt(current, presented);
  expect(verdict.ok).toBe(ok);
  expect(!verdict.ok && verdict.code).toBe(ok ? false : "stale-attempt");
});

describe("who speaks", () => {
  const claims: TokenClaims = {
    run: "r",
    handoff: "h",
    attempt: 1,
    path: ["ceo"],
    chain: ["cro", "cfo"],
    phase: 0,
    session: "s",
    deadline: 1_000,
  };
  test.each([
    ["cfo", 999, undefined],
    ["cfo", 1_000, "expired-token"],
    ["cro", 1, "wrong-sender"],
    ["ceo", 1, "wrong-sender"],
    ["cro", 2_000, "wrong-sender"],
  ])("%s at %i: %s", (sender, now, code) => {
    const verdict = checkSender(claims, sender, now);
    expect(verdict.ok ? undefined : verdict.code).toBe(code);
  });
});

describe("budget", () => {
  const spent: Spent = { usd: 5, tokens: 1_000, invocations: 3, spawns: 2, startedAt: 10_000 };
  test.each([
    [{}, "handoff", true],
    [{ usd: 5 }, "handoff", false],
    [{ usd: 5.01 }, "handoff", true],
    [{ tokens: 1_000 }, "spawn", false],
    [{ seconds: 10 }, "handoff", false],
    [{ seconds: 10.001 }, "handoff", true],
    [{ invocations: 3 }, "invocation", false],
    [{ invocations: 3 }, "handoff", true],
    [{ invocations: 4 }, "invocation", true],
    [{ invocations: 0 }, "handoff", true],
    [{ spawns: 2 }, "spawn", false],
    [{ spawns: 2 }, "invocation", true],
  ] as const)("%j for a %s: %s", (budget, spending, ok) => {
    const verdict = checkBudget(budget, spent, 20_000, spending);
    expect(verdict.ok).toBe(ok);
    if (!verdict.ok)
      expect(verdict).toMatchObject({
        code: "budget-spent",
        reason: containing(Object.keys(budget)[0] ?? ""),
      });
  });

  test.each([
    [{}, false],
    [{ usd: 6.25 }, true],
    [{ usd: 6.26 }, false],
    [{ invocations: 0 }, false],
    [{ usd: 100, seconds: 12.5 }, true],
  ])("%j warns: %s", (budget, warns) => {
    expect(isWarning(budget, spent, 20_000)).toBe(warns);
  });
});

describe("pull requests", () => {
  const pr: PullRequest = {
    title: "t",
    body: "b",
    branch: "firm/run",
    base: "main",
    draft: true,
    labels: ["x", "needs-review"],
    files: [],
  };
  test.each([
    [{}, undefined],
    [{ draft: false }, /must be a draft/],
    [{ labels: ["review"] }, /needs-review/],
    [{ branch: "main" }, /branch is main itself/],
    [{ branch: "refs/heads/main", base: "develop" }, /branch is main itself/],
    [{ branch: "develop", base: "develop" }, /branch is develop itself/],
  ])("%j: %s", (change, reason) => {
    const verdict = checkPullRequest({ ...pr, ...change }, "main");
    expect(verdict.ok).toBe(reason === undefined);
    if (reason !== undefined)
      expect(verdict).toMatchObject({ code: "invalid-input", reason: matching(reason) });
  });
});

describe("rate", () => {
  test("a burst of the rate passes, the next does not, and it refills with time", () => {
    let bucket = fullBucket(0, 3);
    const at = (now: number): boolean => {
      const taken = take(bucket, now, 3);
      bucket = taken.bucket;
      return taken.allowed;
    };
    expect([at(0), at(0), at(0), at(0)]).toEqual([true, true, true, false]);
    expect([at(333), at(334), at(334)]).toEqual([false, true, false]);
    expect([at(10_000), at(10_000), at(10_000), at(10_000)]).toEqual([true, true, true, false]);
  });

  test("property: in any time span no more pass than the burst and what the time refills, even if the clock steps back", () => {
    const steps = fc.array(fc.integer({ min: -50, max: 200 }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 50 }), (deltas, rate) => {
        let now = 100_000;
        let latest = now;
        let passed = 0;
        let bucket = fullBucket(now, rate);
        for (const delta of deltas) {
          now += delta;
          latest = Math.max(latest, now);
          const taken = take(bucket, now, rate);
          bucket = taken.bucket;
          if (taken.allowed) passed++;
        }
        expect(passed).toBeLessThanOrEqual(rate + ((latest - 100_000) / 1000) * rate + 1e-6);
      }),
    );
  });
});
