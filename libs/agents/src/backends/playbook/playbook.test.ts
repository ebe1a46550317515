import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Result } from "@firm/protocol";
import { agentInput, eventsOf, resultOf } from "../../testing/input.ts";
import { testFolder, testRepo, type TestFolder } from "../../testing/repo.ts";
import type { Agent, AgentInput } from "../../types.ts";
import { git } from "../../workspace/git.ts";
import { playbook } from "./index.ts";

const made: TestFolder[] = [];
afterEach(async () => {
  await Promise.all(made.splice(0).map((folder) => folder.remove()));
});

const FILES = {
  "package.json": JSON.stringify(
    {
      name: "shop",
      version: "1.0.0",
      description: "A shop",
      main: "src/gone.js",
      dependencies: { request: "^2.0.0", zod: "*" },
    },
    null,
    2,
  ),
  "src/payment/charge.ts":
    'import { z } from "zod";\nimport x from "hidden";\n// FIXME: rounding\nexport const charge = (db, id) => db.query(`SELECT a FROM cards WHERE id = ${id}`);\n',
  "src/login.ts": "export const run = (text) => eval(text);\n// TODO: limit attempts\n",
  "src/login.test.ts": 'test.only("logs in", () => {});\n',
  "docs/guide.md": "See [the plan](plan.md).\n",
};

const repo = async (files: Record<string, string> = FILES): Promise<TestFolder> => {
  const folder = await testRepo(files);
  made.push(folder);
  return folder;
};
const agentFor = (folder: TestFolder): Agent => playbook({ stateDir: join(folder.path, ".firm"), env: {} });
const contract = (over: object): AgentInput["contract"] => ({
  ...agentInput().contract,
  objective: "Audit this repository",
  ...over,
});
const inputFor = (folder: TestFolder, name: string, over: Partial<AgentInput> = {}): AgentInput =>
  agentInput({ role: `employee:${name}`, workspace: folder.path, contract: contract({}), ...over });
const places = (result: Result): string[] =>
  result.findings.map((f) => `${f.objective_key.split(":")[0]} ${f.file ?? ""}:${f.line ?? ""}`);

test("each employee brings its own findings, with file and line, and none brings another's", async () => {
  const folder = await repo();
  const agent = agentFor(folder);
  const names = ["analyst", "implementer", "auditor", "coordinator"];
  const results = await Promise.all(names.map((name) => resultOf(agent, inputFor(folder, name))));
  const [analyst = [], implementer = [], auditor = [], coordinator = []] = results.map(places);
  expect(analyst).toEqual(
    expect.arrayContaining(["dependency.open package.json:8", "dependency.ended package.json:7"]),
  );
  expect(implementer).toEqual(
    expect.arrayContaining([
      "note src/payment/charge.ts:3",
      "note src/login.ts:2",
      "code.missing-entry package.json:5",
      "code.undeclared-import src/payment/charge.ts:2",
      "code.unused-dependency package.json:7",
    ]),
  );
  expect(auditor).toEqual(
    expect.arrayContaining([
      "security.sql src/payment/charge.ts:4",
      "security.eval src/login.ts:1",
      "test.only src/login.test.ts:1",
    ]),
  );
  expect(coordinator).toEqual(
    expect.arrayContaining([
      "operations.no-license :",
      "operations.no-ci :",
      "docs.broken-link docs/guide.md:1",
    ]),
  );
  const keys = results.flatMap((result) => result.findings.map((f) => f.objective_key));
  expect(new Set(keys).size).toBe(keys.length);
  for (const result of results) {
    expect(result.status).toBe("ok");
    expect(result.findings.every((f) => f.recommendation !== undefined)).toBe(true);
  }
});

test("the auditor scores what it finds and prints the scores", async () => {
  const folder = await repo();
  const result = await resultOf(agentFor(folder), inputFor(folder, "auditor"));
  expect(result.findings[0]).toMatchObject({ severity: "high", cvss: 8.8, file: "src/payment/charge.ts" });
  expect(result.output).toContain("| 8.8 |");
});

test("an objective that names a part of the workspace puts it first and leaves small things elsewhere out", async () => {
  const folder = await repo();
  const result = await resultOf(
    agentFor(folder),
    inputFor(folder, "implementer", { contract: contract({ objective: "Audit the payment module" }) }),
  );
  expect(places(result)).toContain("note src/payment/charge.ts:3");
  expect(places(result)).not.toContain("note src/login.ts:2");
  expect(result.assumptions.join()).toContain("lie outside");
});

test("checks run only where it is allowed, and never against a read-only constraint", async () => {
  const folder = await repo({
    "package.json": JSON.stringify({ name: "x", scripts: { lint: 'node -e "process.exit(1)"' } }),
  });
  await folder.write({ "node_modules/.keep": "" });
  const agent = agentFor(folder);
  const outputs = await Promise.all(
    [{}, { allowRun: true }, { allowRun: true, contract: contract({ constraints: ["read-only"] }) }].map(
      async (over) => resultOf(agent, inputFor(folder, "implementer", over)),
    ),
  );
  expect(outputs.map((r) => places(r).includes("check.lint :"))).toEqual([false, true, false]);
  expect(outputs[0]?.output).toContain("--allow-run");
  expect(outputs[2]?.assumptions.join()).toContain("read-only");
}, 30_000);

test("partial output is kept on the way, and no time means a partial result that says so", async () => {
  const folder = await repo();
  const events = await eventsOf(agentFor(folder), inputFor(folder, "auditor"));
  expect(events.filter((event) => event.type === "checkpoint").length).toBeGreaterThan(1);
  const late = await resultOf(agentFor(folder), inputFor(folder, "auditor", { deadline: Date.now() }));
  expect(late.status).toBe("partial");
  expect(late.open_items.join()).toMatch(/time|deadline/);
});

test("an employee of another name looks for what its expertise names", async () => {
  const folder = await repo({ ...FILES, LICENSE: "MIT License\n" });
  const result = await resultOf(
    agentFor(folder),
    inputFor(folder, "counsel", { expertise: "legal: payment rules" }),
  );
  expect(result.output).toContain("LICENSE: MIT License");
  expect(result.output).toContain("`src/payment/charge.ts:");
  expect(result.suggestions.join()).toContain("model");
});

test("a workspace that is gone is an error that names it", async () => {
  const folder = await testFolder();
  await rm(folder.path, { recursive: true });
  await expect(resultOf(agentFor(folder), inputFor(folder, "analyst"))).rejects.toMatchObject({
    code: "agent-failed",
    message: expect.stringContaining(folder.path),
  });
});

test("github_pr: a plan, findings and small additions, one commit each, on firm/<run>; asked again, the same commits", async () => {
  const folder = await repo();
  const agent = agentFor(folder);
  const input = inputFor(folder, "implementer", { deliveryFormat: "github_pr" });
  const result = await resultOf(agent, input);
  expect(result.commits.map((c) => c.subject)).toEqual([
    "Plan: Audit this repository",
    "Findings: Audit this repository",
    "Add an .editorconfig, so that editors agree",
  ]);
  expect(result.pull_request).toMatchObject({
    draft: true,
    labels: ["needs-review"],
    branch: `firm/${input.run}`,
    base: "main",
  });
  expect(await readFile(result.pull_request?.files[1] ?? "", "utf8")).toContain("Commits:");
  expect(
    await git(folder.path, ["show", `firm/${input.run}:docs/firm/audit-this-repository/findings.md`]),
  ).toContain("src/login.ts:2");
  expect((await git(folder.path, ["status", "--porcelain"])).trim()).toBe("");
  const again = await resultOf(agent, { ...input, attempt: 2 });
  expect(again.commits).toEqual(result.commits);
});

test("github_pr with a read-only constraint is blocked; once settled, it is delivered as text", async () => {
  const folder = await repo();
  const agent = agentFor(folder);
  const given = inputFor(folder, "implementer", {
    deliveryFormat: "github_pr",
    contract: contract({ constraints: ["read-only access only"] }),
  });
  const events = await eventsOf(agent, given);
  expect(events).toMatchObject([
    {
      type: "blocked",
      reason: expect.stringContaining("read-only access only"),
      partial: { status: "blocked" },
    },
  ]);
  const settled = contract({
    constraints: ["read-only access only", "Resolution by ceo of the blocker (iteration 1): text only"],
  });
  const result = await resultOf(agent, { ...given, contract: settled });
  expect(result.commits).toEqual([]);
  expect(result.open_items.join()).toContain("No branch was written");
  expect(await git(folder.path, ["branch", "--list", "firm/*"])).toBe("");
});

test("github_pr without a repository is an open item, not a failure", async () => {
  const folder = await testFolder(FILES);
  made.push(folder);
  const result = await resultOf(
    agentFor(folder),
    inputFor(folder, "implementer", { deliveryFormat: "github_pr" }),
  );
  expect(result.open_items.join()).toContain("not a git repository");
});
