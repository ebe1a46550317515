// Holds how `firm run`'s options and file become an objective, and how an error names the option.
import { FirmError } from "@firm/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objectiveOf } from "./objective-args.ts";

const absolute = (path: string): string => (path.startsWith("/") ? path : `/home/me/${path}`);
const of = (text: string | undefined, options = {}, file?: string) =>
  objectiveOf(text, options, file === undefined ? undefined : { name: "o.yaml", text: file }, absolute);

function refusal(act: () => unknown): FirmError {
  try {
    act();
  } catch (error) {
    if (error instanceof FirmError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("options", () => {
  it("set every field of the objective", () => {
    const objective = of("Audit", {
      department: ["quality, engineering", "legal"],
      constraint: ["read-only, really", "no production changes"],
      done: "Security report",
      format: "json",
      context: "memory:delivery/latest",
      replySession: "audit",
      workspace: "repo",
      allowRun: true,
      deadline: "12.5",
      budgetUsd: "0.5",
      budgetTokens: "1000",
      budgetInvocations: "0",
      budgetSpawns: "20",
      budgetSeconds: "9",
    });
    expect(objective).toEqual({
      objective: "Audit",
      departments: ["quality", "engineering", "legal"],
      constraints: ["read-only, really", "no production changes"],
      definition_of_done: "Security report",
      delivery_format: "json",
      context_ref: "memory:delivery/latest",
      reply_session: "audit",
      workspace: "/home/me/repo",
      allow_run: true,
      deadline_seconds: 12.5,
      budget: { usd: 0.5, tokens: 1000, invocations: 0, spawns: 20, seconds: 9 },
    });
  });

  it("leave the defaults alone", () => {
    expect(of("Audit")).toMatchObject({
      delivery_format: "markdown_report",
      deadline_seconds: 30,
      allow_run: false,
    });
    expect(of("Audit").departments).toBeUndefined();
  });
});

describe("the file", () => {
  it("may be YAML or JSON; options win, budgets are joined", () => {
    const yaml =
      "objective: From file\ndepartments: [quality]\nworkspace: repo\nbudget: {usd: 1, spawns: 3}\n";
    expect(of(undefined, {}, yaml)).toMatchObject({ objective: "From file", workspace: "/home/me/repo" });
    expect(of("Mine", { department: ["strategy"], budgetUsd: "2" }, yaml)).toMatchObject({
      objective: "Mine",
      departments: ["strategy"],
      budget: { usd: 2, spawns: 3 },
    });
    expect(of(undefined, {}, JSON.stringify({ objective: "J" })).objective).toBe("J");
  });

  it.each([
    ["objective: [", "neither JSON nor YAML"],
    ["- a\n- b", "holds no objective"],
    ["objective: x\nbogus: 1", "bogus"],
    ["objective: &a [*a]", "neither JSON nor YAML"],
  ])("is refused by name: %j", (text, words) => {
    expect(refusal(() => of(undefined, {}, text)).message).toContain(words);
  });
});

describe("what is wrong is named", () => {
  it.each([
    [undefined, {}, "objective", "objective must not be empty"],
    ["   ", {}, "objective", "must not be empty"],
    ["x", { department: ["Bad Name"] }, "departments.0", "--department: "],
    ["x", { deadline: "0" }, "deadline_seconds", "--deadline: "],
    ["x", { budgetSpawns: "21" }, "budget.spawns", "--budget-spawns: "],
    ["x", { budgetTokens: "many" }, "budget.tokens", "--budget-tokens: "],
    ["x", { context: "delivery" }, "context_ref", "--context: "],
    ["x".repeat(32_769), {}, "objective", "at most 32768"],
  ])("%#: %s", (text, options, field, words) => {
    const error = refusal(() => of(text, options));
    expect(error).toMatchObject({ code: "invalid-input", field });
    expect(error.message).toContain(words);
  });

  it("whatever the words are, it is an objective or a refusal, nothing else", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), fc.string(), (text, department, deadline) => {
        try {
          of(text, { department, deadline });
        } catch (error) {
          expect(error).toBeInstanceOf(FirmError);
        }
      }),
    );
  });
});
