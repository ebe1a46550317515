import { describe, expect, test } from "vitest";
import { agentInput } from "../../testing/input.ts";
import { contradictionIn, resolveBlocker } from "./blockers.ts";
import { blockerOf, condense } from "./condense.ts";
import { checkDone } from "./done.ts";
import { finding } from "./findings.ts";
import { fromText } from "./from-text.ts";
import { concerns, kindOf, partsOf, readOnlyConstraint, topicWords } from "./objective.ts";
import { capByRule, emptyPart, toResult } from "./part.ts";
import { Result } from "@firm/protocol";
import type { ChildReport } from "../../types.ts";

test.each([
  ["Audit this repository", "audit", []],
  ["Build a payment API", "build", ["payment", "api"]],
  ["Fix the flaky login test", "fix", ["flaky", "login"]],
  ["Migrate from Express to Fastify", "migrate", ["express", "fastify"]],
  ["Bonjour", "other", ["bonjour"]],
])('"%s" is of kind %s', (objective, kind, words) => {
  expect([kindOf(objective), topicWords(objective)]).toEqual([kind, words]);
});

test.each([
  ["src/auth/login.ts", "authentication", true],
  ["src/userSession.ts", "sessions", true],
  ["src/author.ts", "authentication", false],
  ["src/api.ts", "payment", false],
])("%s concerns %s: %s", (path, word, expected) => {
  expect(concerns(path, [word])).toBe(expected);
});

test("an objective is taken apart at its list items, or at its sentences", () => {
  expect(partsOf("Do:\n- one thing\n- another thing")).toEqual(["one thing", "another thing"]);
  expect(partsOf("Build an API. Write its docs; test it")).toEqual([
    "Build an API",
    "Write its docs",
    "test it",
  ]);
});

describe("contradictions in a contract", () => {
  const contract = (constraints: string[]) => ({ ...agentInput().contract, constraints });
  const input = (constraints: string[], more: object = {}) =>
    agentInput({ deliveryFormat: "github_pr", workspace: "/w", contract: contract(constraints), ...more });

  test.each(["read-only access only", "Do not modify the code", "no changes", "without any commits"])(
    '"%s" forbids a pull request',
    (constraint) => {
      expect(readOnlyConstraint(contract([constraint]))).toBe(constraint);
      expect(contradictionIn(input([constraint]))).toContain(constraint);
    },
  );

  test.each(["no production changes", "no commits to main", "scope: read-only stores", "keep it small"])(
    '"%s" does not',
    (constraint) => {
      expect(contradictionIn(input([constraint]))).toBeUndefined();
    },
  );

  test("nothing contradicts without a pull request, without a workspace, or once it was settled", () => {
    expect(contradictionIn(input(["read-only"], { deliveryFormat: "json" }))).toBeUndefined();
    expect(contradictionIn(input(["read-only"], { workspace: undefined }))).toBeUndefined();
    expect(
      contradictionIn(input(["read-only", "Resolution by ceo of the blocker (iteration 1): text only"])),
    ).toBeUndefined();
  });

  test.each([
    ["legal must approve the licence", "no release, no merge"],
    ["the constraint forbids writing", "as text in its report"],
    ["needs the schema of the other team", "stated assumption"],
    ["security found a vulnerability", "switched off by default"],
    ["a matter of taste", "names it as an open item"],
  ])("%s is resolved by a condition: %s", (reason, words) => {
    const objective = `resolve_blocker: department:engineering is blocked by department:legal: ${reason}`;
    const part = resolveBlocker(
      agentInput({ role: "department:legal", contract: { ...agentInput().contract, objective } }),
    );
    expect(part.summary).toContain("department:engineering");
    expect(part.summary).toContain(words);
  });

  test("a department takes the resolution that came from below", () => {
    const result = Result.parse({ status: "ok", objective_key: "k", summary: "Below says go." });
    const objective = "resolve_blocker: department:a is blocked by department:b: x";
    const children: ChildReport[] = [{ role: "service:s", status: "ok", result, reason: undefined }];
    expect(
      resolveBlocker(agentInput({ children, contract: { ...agentInput().contract, objective } })).summary,
    ).toBe("Below says go.");
  });
});

describe("condensing", () => {
  const result = (over: object): Result =>
    Result.parse({ status: "ok", objective_key: "k", summary: "", ...over });
  const child = (role: string, over: object, status = "ok"): ChildReport => ({
    role,
    status,
    result: result(over),
    reason: undefined,
  });
  const low = finding("a", { file: "a.ts", line: 1 }, { title: "low one", severity: "low" });
  const high = finding(
    "b",
    { file: "b.ts", line: 2 },
    { title: "high one", severity: "high", recommendation: "mend it" },
  );

  test("drops doubles, sorts by severity, keeps file and line", () => {
    const part = condense(
      agentInput({
        role: "department:quality",
        children: [
          child("service:a", { findings: [low, high] }),
          child("service:b", { findings: [low], summary: "b says" }),
        ],
      }),
    );
    expect(part.findings.map((f) => `${f.severity} ${f.file}:${f.line}`)).toEqual([
      "high b.ts:2",
      "low a.ts:1",
    ]);
    expect(part.sections.join("\n")).toContain("**high** high one (`b.ts:2`): mend it");
    expect(part.summary).toContain("2 findings (1 high, 1 low)");
  });

  test("names whoever did not finish, with the reason", () => {
    const lost: ChildReport = { role: "service:b", status: "timeout", result: undefined, reason: "deadline" };
    expect(
      condense(agentInput({ role: "department:quality", children: [child("service:a", {}), lost] }))
        .openItems,
    ).toContain("service:b: timeout (deadline), nothing came back");
  });

  test("a blocked report blocks its superior, with who and why", () => {
    const blocked = child(
      "employee:implementer",
      { status: "blocked", blocked_by: "department:legal", blocker: "licence" },
      "blocked",
    );
    expect(blockerOf([child("employee:x", {}), blocked])).toEqual({
      by: "department:legal",
      reason: "licence",
    });
    expect(blockerOf([child("employee:x", {})])).toBeUndefined();
  });

  test("the CEO's agent writes a summary and nothing else", () => {
    const part = condense(
      agentInput({
        role: "ceo",
        children: [
          child("department:a", { findings: [high], output: "long text" }),
          { role: "department:b", status: "timeout", result: undefined, reason: undefined },
        ],
      }),
    );
    expect(part.summary).toBe(
      '1 of 2 departments delivered on "Build a payment API"; b: timeout. 1 findings: 1 high. Begin with: high one (b.ts:2).',
    );
    expect(part.sections).toEqual([part.summary]);
  });
});

test("a definition of done is looked at clause by clause", () => {
  const scored = finding(
    "s",
    { file: "a.ts" },
    { title: "t", severity: "high", cvss: 8.1, recommendation: "r" },
  );
  const met = (definition: string, text: string, findings = [scored]) =>
    checkDone(definition, { text, findings }).map((c) => c.met);
  expect(met("Security report with CVSS scores and fix recommendations", "report")).toEqual([
    true,
    true,
    true,
  ]);
  expect(met("CVSS scores", "nothing", [])).toEqual([false]);
  expect(met("Rollback procedure, load test results", "The rollback procedure is …")).toEqual([true, false]);
  expect(met("Summary, risks and next steps", "### Risks\n### Next steps")).toEqual([true, true, true]);
});

test("without a workspace it says that nothing was inspected, and asks", () => {
  const part = fromText(agentInput({ role: "employee:auditor" }));
  expect(part.sections.join("\n")).toContain("nothing was inspected");
  expect(part.sections.join("\n")).toContain("payment api");
  expect(part.openItems.length).toBeGreaterThan(0);
});

test("an unknown employee works from its expertise", () => {
  expect(
    fromText(agentInput({ role: "employee:counsel", expertise: "licences and privacy" })).summary,
  ).toContain("licences and privacy");
});

test("a result says which agent wrote it, and that no model did", () => {
  const result = Result.parse(toResult(agentInput(), emptyPart(), "ok"));
  expect(result.agent).toEqual({ name: "playbook" });
  expect(result.output).toContain("no model");
});

test("many findings of one rule are cut to ten and counted; security ones are not", () => {
  const many = (rule: string) =>
    Array.from({ length: 30 }, (_, i) =>
      finding(rule, { file: `f${i}.ts`, line: 1 }, { title: "t", severity: "low" }),
    );
  const { kept, more } = capByRule([...many("code.any"), ...many("security.eval")]);
  expect(kept).toHaveLength(40);
  expect(more).toEqual(["code.any: 30 places, the first 10 are listed"]);
});
