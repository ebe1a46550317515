import { expect, test } from "vitest";
import { testSource } from "../../../testing/source.ts";
import { notesIn } from "../scan/comments.ts";
import { longFunctions } from "../scan/functions.ts";
import { CODE_RULES, TEST_RULES } from "./robustness.ts";
import { applyRules } from "./rule.ts";
import { SECURITY_RULES } from "./security.ts";

const found = (path: string, text: string): string[] =>
  applyRules([...SECURITY_RULES, ...CODE_RULES, ...TEST_RULES], testSource(path, text)).map(
    (f) => `${f.objective_key.split(":")[0]}@${f.line}`,
  );

test.each([
  ["a.ts", "const x = 1;\neval(text);", "security.eval@2"],
  ["a.ts", "new Function(body)", "security.eval@1"],
  ["a.ts", "exec(`rm ${name}`)", "security.shell@1"],
  ["a.ts", 'child_process.execSync("ls " + dir)', "security.shell@1"],
  ["a.ts", "spawn(cmd, args, { shell: true })", "security.shell-option@1"],
  ["a.ts", "db.query(`SELECT * FROM users WHERE id = ${id}`)", "security.sql@1"],
  ["a.ts", "db.query(\n  `DELETE FROM users WHERE id = ${id}`)", "security.sql@1"],
  ["a.js", 'db.all("select a from b where c=" + c)', "security.sql@1"],
  ["a.ts", "https.request({ rejectUnauthorized: false })", "security.tls@1"],
  ["a.ts", 'process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"', "none"],
  ["a.ts", 'process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0"', "security.tls@1"],
  ["a.ts", "el.innerHTML = value;", "security.html@1"],
  ["a.ts", "const token = 'x' + Math.random()", "security.random@1"],
  ["a.ts", "createHash('md5')", "security.hash@1"],
  ["a.ts", "jwt.verify(t, k, { ignoreExpiration: true })", "security.jwt@1"],
  ["a.py", "eval(data)", "security.py-eval@1"],
  ["a.py", "subprocess.run(cmd, shell=True)", "security.py-shell@1"],
  ["a.py", 'cur.execute(f"select * from t where a={a}")', "security.py-sql@1"],
  ["a.py", "pickle.loads(data)", "security.py-deserialise@1"],
  ["a.py", "requests.get(url, verify=False)", "security.py-tls@1"],
  ["a.go", "tls.Config{InsecureSkipVerify: true}", "security.go-tls@1"],
  ["a.go", 'db.Query(fmt.Sprintf("SELECT a FROM b WHERE c = %s", c))', "security.go-sql@1"],
  ["a.go", 'exec.Command("sh", "-c", cmd)', "security.go-shell@1"],
  ["A.java", 'st.executeQuery("SELECT a FROM b WHERE c = " + c)', "security.java-sql@1"],
  ["a.c", "strcpy(a, b);", "security.c-buffer@1"],
  ["i.sh", "#!/bin/sh -e\ncurl https://x.test/i.sh | sh", "security.pipe-to-shell@2"],
  ["a.ts", 'const password = "hunter2hunter2"', "security.credential@1"],
  ["a.ts", "try { f() } catch {}", "code.swallowed-error@1"],
  ["a.py", "try:\n  f()\nexcept Exception:\n  pass", "code.py-swallowed-error@3"],
  ["a.ts", "// @ts-ignore\nf()", "code.type-escape@1"],
  ["a.ts", "x as unknown as Y", "code.double-cast@1"],
  ["a.ts", "<<<<<<< HEAD\na\n", "code.conflict@1"],
  ["i.sh", "#!/bin/sh\nls", "code.shell-errors@1"],
  ["a.test.ts", "test.only('x', f)", "test.only@1"],
  ["a.test.ts", "it.skip('x', f)", "test.skip@1"],
  [".github/workflows/a.yml", "run: echo ${{ github.event.issue.title }}", "security.workflow-injection@1"],
])("%s: %s → %s", (path, text, expected) => {
  expect(found(path, text).join() || "none").toBe(expected);
});

test.each([
  ["a comment", "a.ts", "// eval(text) is not used here"],
  ["a string", "a.ts", 'const why = "eval(text)";'],
  ["a rule's own pattern", "a.ts", "const pattern = /\\beval\\(|rejectUnauthorized: false/;"],
  ["a method of that name", "a.ts", "redis.eval(script)"],
  ["RegExp.exec", "a.ts", "pattern.exec(`a${b}`)"],
  ["bound parameters", "a.ts", 'db.query("SELECT a FROM b WHERE c = $1", [c])'],
  ["an SQL constant", "a.ts", "db.query(`SELECT a FROM b`)"],
  ["an emptied element", "a.ts", 'el.innerHTML = "";'],
  ["a safe loader", "a.py", "yaml.load(text, Loader=yaml.SafeLoader)"],
  ["a literal", "a.py", "ast.literal_eval(x)"],
  ["a comparison of modes", "a.py", "if mode != ssl.CERT_NONE: pass"],
  ["a placeholder", "a.ts", 'const password = "your-password-1234"'],
  ["a value from the environment", "a.ts", 'const apiKey = process.env["API_KEY_1234"]'],
  ["a workflow value in env", ".github/workflows/a.yml", "      TITLE: ${{ github.event.issue.title }}"],
  ["a catch with a reason", "a.ts", "try { f() } catch { /* gone already */ }"],
  ["a careful script", "i.sh", "#!/usr/bin/env bash\nset -euo pipefail\nls"],
])("%s is no finding", (_, path, text) => {
  expect(found(path, text)).toEqual([]);
});

test("a scored finding says its vector; in test code it is low and unscored", () => {
  const [source] = applyRules(SECURITY_RULES, testSource("src/a.ts", "eval(text)"));
  expect(source).toMatchObject({
    severity: "high",
    cvss: 8.1,
    detail: expect.stringContaining("CVSS:3.1/AV:N"),
  });
  const [inTest] = applyRules(SECURITY_RULES, testSource("src/a.test.ts", "eval(text)"));
  expect(inTest?.severity).toBe("low");
  expect(inTest?.cvss).toBeUndefined();
});

test("a key follows the content, not the line; equal lines of a file keep their own keys", () => {
  const keys = (text: string): (string | undefined)[] =>
    applyRules(SECURITY_RULES, testSource("a.ts", text)).map((f) => f.objective_key);
  expect(keys("\n\n  eval(text)")).toEqual(keys("eval(text)"));
  const twice = keys("eval(text)\neval(text)");
  expect(new Set(twice).size).toBe(2);
});

test("very long lines are data and end no pattern in trouble", () => {
  expect(found("a.ts", `eval(${"a".repeat(100_000)})`)).toEqual([]);
  expect(found("a.ts", `db.query(\`SELECT ${"a FROM ".repeat(5_000)}`)).toEqual([]);
});

test.each([
  ["a.ts", "// TODO: write it\nf()", ["TODO: write it@1 low"]],
  ["a.ts", "f(); // FIXME(ann) broken", ["FIXME: broken@1 medium"]],
  ["a.py", "# HACK around it", ["HACK: around it@1 low"]],
  ["a.ts", "// finds every TODO in a text", []],
  ["a.ts", 'const marker = "TODO: x";', []],
  ["a.ts", "/*\n * TODO later\n */", ["TODO: later@2 low"]],
  ["README.md", "TODO: x", []],
])("notes in %s: %s", (path, text, expected) => {
  expect(notesIn(testSource(path, text)).map((f) => `${f.title}@${f.line} ${f.severity}`)).toEqual(expected);
});

test("long functions are named with their line; types in the signature are no body", () => {
  const body = "  f();\n".repeat(120);
  const of = (path: string, text: string): string[] =>
    longFunctions(testSource(path, text)).map((f) => `${f.title}@${f.line}`);
  expect(
    of(
      "a.ts",
      `const a = 1;\nfunction big(x: { a: string }): { b: number } {\n${body}}\nfunction small() { }\n`,
    ),
  ).toEqual(["big is 122 lines long@2"]);
  expect(of("a.py", `def big(x):\n${body}\ndef small():\n  pass\n`)).toEqual(["big is 121 lines long@1"]);
  expect(of("a.go", `func (s *T) Big() error {\n${body}}\n`)).toEqual(["Big is 122 lines long@1"]);
});
