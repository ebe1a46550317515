import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { testFolder, testRepo, type TestFolder } from "../../../testing/repo.ts";
import { testSource } from "../../../testing/source.ts";
import { git } from "../../../workspace/git.ts";
import { timeboxOf } from "../timebox.ts";
import { checkFinding, checksOf, runCheck } from "./checks.ts";
import { dependencyFindings, divergingRanges } from "./dependencies.ts";
import { listRepository, ownFiles, type Repository } from "./files.ts";
import { historyOf } from "./history.ts";
import { committedSecrets, hygieneOf } from "./hygiene.ts";
import { Imports } from "./imports.ts";
import { manifestsOf } from "./manifests.ts";
import { brokenEntries, brokenLinks } from "./references.ts";
import { secretScanner } from "./secrets.ts";
import { readSources, readText } from "./source.ts";
import { countTests, frameworksOf, untested } from "./tests.ts";

const made: TestFolder[] = [];
afterEach(async () => {
  await Promise.all(made.splice(0).map((folder) => folder.remove()));
});
const box = (ms = 30_000) => timeboxOf(Date.now() + ms, AbortSignal.timeout(60_000));
const open = async (folder: Promise<TestFolder>): Promise<Repository> => {
  made.push(await folder);
  return listRepository((await folder).path, box());
};
const json = (value: unknown): string => JSON.stringify(value, null, 2);

test.each([
  ["git", testRepo],
  ["a plain directory", testFolder],
])("lists what %s does not ignore; links are not followed", async (_, make) => {
  const folder = await make({
    ".gitignore": "/dist\n*.log\n",
    "a.ts": "a",
    "sub/.gitignore": "x.ts\n",
    "sub/x.ts": "",
    "sub/y.ts": "y",
    "node_modules/m/i.js": "",
    ".firm/s.json": "",
  });
  made.push(folder);
  await folder.write({ "dist/o.js": "", "b.log": "", "new.ts": "" });
  await symlink("/etc/hostname", join(folder.path, "link.ts"));
  const repository = await listRepository(folder.path, box());
  expect(repository.files.map((file) => file.path).toSorted()).toEqual(
    [".gitignore", "a.ts", "new.ts", "sub/.gitignore", "sub/y.ts"].toSorted(),
  );
});

test("a directory that the repository around it ignores is read as a plain one", async () => {
  const folder = await testRepo({ ".gitignore": "inner/\n" });
  made.push(folder);
  await folder.write({ "inner/a.ts": "a" });
  const repository = await listRepository(join(folder.path, "inner"), box());
  expect(repository.files.map((file) => file.path)).toEqual(["a.ts"]);
  expect(repository.git).toMatchObject({ kind: "none", reason: expect.stringContaining("ignores") });
});

test("binary and oversized files are not read; time ends the reading and is counted", async () => {
  const repository = await open(testFolder({ "a.ts": "a\n", "b.ts": "a\0b", "c.ts": "x".repeat(600_000) }));
  expect(await readText(repository, "b.ts")).toBeUndefined();
  expect(await readText(repository, "c.ts")).toBeUndefined();
  const coverage = { read: 0, unread: 0, lines: 0 };
  for await (const source of readSources(repository, ownFiles(repository), box(), coverage))
    expect(source.path).toBe("a.ts");
  expect(coverage).toEqual({ read: 1, unread: 0, lines: 2 });
  const late = { read: 0, unread: 0, lines: 0 };
  for await (const source of readSources(repository, ownFiles(repository), box(0), late))
    expect.unreachable(source.path);
  expect(late.unread).toBe(3);
});

test("secrets are found with file and line, and never repeated", async () => {
  // Put together here, so that no scanner takes this test for a leak.
  const secret = ["wJalrXUtnFEMI", "K7MDENG", `bPxRfiCY${"QXMPLEKEYZ"}`].join("/");
  const scan = await secretScanner();
  const [found, ...more] = await scan(
    testSource("src/a.ts", `\nconst c = {\n  aws_secret_access_key: "${secret}",\n};\n`),
  );
  expect(more).toEqual([]);
  expect(found).toMatchObject({ file: "src/a.ts", line: 3, severity: "critical", cvss: 9.1 });
  expect(JSON.stringify(found)).not.toContain(secret.slice(0, 8));
  const [inTest] = await scan(testSource("src/a.test.ts", `aws_secret_access_key = "${secret}"`));
  expect(inTest).toMatchObject({ severity: "low" });
});

test("manifests of all kinds are read; a broken one is named", async () => {
  const repository = await open(
    testFolder({
      "package.json": json({
        name: "x",
        version: "1.2.3",
        dependencies: { a: "*", b: "^1" },
        devDependencies: { vitest: "1" },
        bin: { x: "bin/x.js" },
      }),
      "py/pyproject.toml": '[project]\nname = "p"\ndependencies = ["requests>=2", "flask==1"]\n',
      "py/requirements.txt": "django==4.2\nrequests\n# c\n",
      "go/go.mod": "module m\n\nrequire (\n\tgithub.com/a/b v1.2.3\n)\n",
      "rs/Cargo.toml": '[package]\nname = "r"\n[dependencies]\nserde = { version = "1" }\nlog = "*"\n',
      "jv/pom.xml":
        "<project><artifactId>j</artifactId><dependency><groupId>g</groupId><artifactId>d</artifactId><version>1</version></dependency></project>",
      "bad/package.json": "{",
    }),
  );
  const { manifests, unreadable } = await manifestsOf(repository);
  expect(unreadable.map(({ file }) => file)).toEqual(["bad/package.json"]);
  const deps = Object.fromEntries(
    manifests.map((m) => [m.file, m.dependencies.map((d) => `${d.name} ${d.range}`.trim())]),
  );
  expect(deps).toEqual({
    "package.json": ["a *", "b ^1", "vitest 1"],
    "py/pyproject.toml": ["requests >=2", "flask ==1"],
    "py/requirements.txt": ["django ==4.2", "requests"],
    "go/go.mod": ["github.com/a/b v1.2.3"],
    "rs/Cargo.toml": ["serde 1", "log *"],
    "jv/pom.xml": ["d 1"],
  });
  expect(frameworksOf(manifests)).toEqual(["vitest", "go test", "cargo test"]);
  const open_ = dependencyFindings(manifests, new Set()).map((f) => `${f.file}:${f.line} ${f.title}`);
  expect(open_).toEqual([
    'package.json:5 a takes any version ("*")',
    'py/requirements.txt:2 requests takes any version ("")',
    'rs/Cargo.toml:5 log takes any version ("*")',
  ]);
});

test("workspace packages may be named by *, and one dependency in two ranges is named once", async () => {
  const repository = await open(
    testFolder({
      "package.json": json({ name: "root", dependencies: { zod: "3.0.0" } }),
      "libs/a/package.json": json({ name: "@x/a", dependencies: { "@x/b": "*", zod: "4.0.0" } }),
      "libs/b/package.json": json({ name: "@x/b" }),
    }),
  );
  const { manifests } = await manifestsOf(repository);
  const own = new Set(["root", "@x/a", "@x/b"]);
  expect(dependencyFindings(manifests, own)).toEqual([]);
  expect(divergingRanges(manifests, own)).toMatchObject([
    { file: "libs/a/package.json", line: 5, title: "zod is asked for in 2 ranges: 3.0.0, 4.0.0" },
  ]);
});

test("imports and manifests are compared", async () => {
  const repository = await open(
    testFolder({ "package.json": json({ name: "x", dependencies: { used: "1", idle: "1" } }) }),
  );
  const { manifests } = await manifestsOf(repository);
  const imports = new Imports();
  imports.add(
    testSource(
      "a.ts",
      'import { a } from "used/sub";\nimport fs from "node:fs";\nimport b from "./b.ts";\nimport x from "x";\n// import c from "comment";\n\nimport {\n  d,\n} from "absent";\nawait import("@scope/late");',
    ),
  );
  expect(imports.undeclared(manifests).map((f) => `${f.file}:${f.line} ${f.title}`)).toEqual([
    "a.ts:9 absent is imported but not declared in package.json",
    "a.ts:10 @scope/late is imported but not declared in package.json",
  ]);
  expect(imports.unused(manifests)).toMatchObject([
    { file: "package.json", line: 5, title: "idle is declared but nothing imports it" },
  ]);
});

test("history counts commits, people and hot files, and names no address", async () => {
  const folder = await testRepo({ "hot.ts": "1\n", "cold.ts": "1\n" });
  made.push(folder);
  for (const n of [2, 3]) {
    await folder.write({ "hot.ts": `${n}\n` });
    await git(folder.path, ["commit", "--quiet", "--all", "--message", `${n}`]);
  }
  const history = await historyOf(await listRepository(folder.path, box()), box());
  expect(history).toMatchObject({
    commits: 3,
    authors: 1,
    topShare: 1,
    hot: [{ path: "hot.ts", changes: 3 }],
  });
  expect(JSON.stringify(history)).not.toContain("@");
});

test("what a project lacks is named; what it has is not", async () => {
  const bare = await open(
    testRepo({
      "package.json": json({ name: "x", version: "1.0.0", dependencies: { a: "1" } }),
      ".env": "A=1",
      Dockerfile: "FROM node\nRUN x\n",
    }),
  );
  const rules = (await hygieneOf(bare, (await manifestsOf(bare)).manifests)).findings.map(
    (f) => f.objective_key.split(":")[0],
  );
  expect(rules).toEqual(
    expect.arrayContaining([
      "operations.no-license",
      "operations.no-readme",
      "operations.no-ci",
      "operations.no-lockfile.npm",
      "operations.image-tag",
      "operations.image-root",
    ]),
  );
  expect(committedSecrets(bare)).toMatchObject([{ file: ".env", severity: "high" }]);
  const full = await open(
    testRepo({
      "package.json": json({ name: "x", license: "MIT", dependencies: { a: "1" } }),
      "package-lock.json": "{}",
      LICENSE: "MIT",
      "README.md": "x",
      "CHANGELOG.md": "x",
      "SECURITY.md": "x",
      ".gitignore": "x",
      ".github/workflows/ci.yml": "permissions:\n  contents: read\njobs:\n  a:\n    timeout-minutes: 5\n",
    }),
  );
  expect((await hygieneOf(full, (await manifestsOf(full)).manifests)).findings).toEqual([]);
});

test("references to what is not there are found", async () => {
  const repository = await open(
    testFolder({
      "docs/a.md": "",
      "package.json": json({
        name: "x",
        main: "gone.js",
        scripts: { bench: "node bench/main.ts", ok: "node src/ok.ts" },
      }),
      "src/ok.ts": "",
    }),
  );
  const text =
    "[a](a.md) [b](b.md#x)\n[c](https://x.test) `[d](d.md)`\n```\n[e](e.md)\n```\n[f](../src) [g](#h)\n";
  expect(brokenLinks(repository, testSource("docs/a.md", text)).map((f) => `${f.line} ${f.title}`)).toEqual([
    "1 Link to a file that is not there: b.md",
  ]);
  const [manifest] = (await manifestsOf(repository)).manifests;
  if (manifest === undefined) expect.unreachable();
  else
    expect(brokenEntries(repository, manifest).map((f) => `${f.line} ${f.title}`)).toEqual([
      "3 main names a file that is not there: gone.js",
      '5 Script "bench" starts a file that is not there: bench/main.ts',
    ]);
});

test("tests are counted, and what no test reaches is told from what one does", async () => {
  const facts = { files: 0, imported: new Set<string>(), cases: 0, testLines: 0, sourceLines: 0 };
  countTests(
    facts,
    testSource(
      "src/a.test.ts",
      'import { b } from "./b.ts";\nimport { p } from "@x/p";\ntest("x", f);\nit.each([1])("y", f);\n// test("no")\n',
    ),
  );
  countTests(facts, testSource("src/a.ts", "x\ny"));
  expect(facts).toMatchObject({ files: 1, cases: 2, testLines: 6, sourceLines: 2 });
  const repository = await open(
    testFolder({
      "src/a.ts": "",
      "src/a.test.ts": "",
      "src/b.ts": "",
      "src/c.ts": "",
      "src/index.ts": "",
      "libs/p/x.ts": "",
    }),
  );
  expect(
    untested(repository.files, facts.imported, new Map([["@x/p", "libs/p"]])).map((file) => file.path),
  ).toEqual(["src/c.ts"]);
});

test("checks run by exit code, within their time, and only where they can", async () => {
  const script = (code: string): string => `node -e "${code}"`;
  const folder = await testFolder({
    "package.json": json({
      name: "x",
      scripts: {
        lint: script("process.exit(0)"),
        typecheck: script("console.log('passed'); console.log('package.json(3,1): error'); process.exit(2)"),
        test: script("setInterval(()=>{},1e6)"),
      },
    }),
  });
  made.push(folder);
  const repository = await listRepository(folder.path, box());
  const { manifests } = await manifestsOf(repository);
  const checks = checksOf(repository, manifests, ["lint", "typecheck", "test"]);
  expect(checks.map(({ command }) => command.join(" "))).toEqual([
    "npm run lint",
    "npm run typecheck",
    "npm run test",
  ]);
  const [lint, types, tests] = checks;
  if (lint === undefined || types === undefined || tests === undefined) return expect.unreachable();
  expect(await runCheck(repository, lint, box())).toMatchObject({
    status: "skip",
    message: expect.stringContaining("not installed"),
  });
  await folder.write({ "node_modules/.keep": "" });
  expect(await runCheck(repository, lint, box())).toMatchObject({ status: "pass" });
  const failed = await runCheck(repository, types, box());
  expect(failed).toMatchObject({ status: "fail", message: expect.stringContaining("exit code 2") });
  expect(checkFinding(repository, failed)).toMatchObject([
    { severity: "high", file: "package.json", line: 3 },
  ]);
  expect(await runCheck(repository, tests, box(3_000))).toMatchObject({
    status: "skip",
    message: expect.stringContaining("deadline"),
  });
}, 60_000);
