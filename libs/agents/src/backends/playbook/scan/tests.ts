// Pure: how the project is tested: files, cases, framework, and the sources that no test stands beside.
import type { FileEntry } from "./files.ts";
import { isTestFile, isTestPath } from "./languages.ts";
import type { Manifest } from "./manifest-readers.ts";
import type { Source } from "./source.ts";

export interface TestFacts {
  files: number;
  /** Last parts of the paths and packages that tests import. */
  readonly imported: Set<string>;
  /** Counted by the usual spellings of a case. */
  cases: number;
  testLines: number;
  sourceLines: number;
}

const CASE: Readonly<Record<string, RegExp>> = {
  TypeScript: /\b(?:it|test)(?:\.\w+)*\s*(?:\(|`)/g,
  JavaScript: /\b(?:it|test)(?:\.\w+)*\s*(?:\(|`)/g,
  Python: /^\s*(?:async\s+)?def\s+test_\w*/gm,
  Go: /^func\s+(?:Test|Fuzz|Benchmark)\w*\s*\(/gm,
  Rust: /#\[(?:\w+::)?test\]/g,
  Java: /@(?:Test|ParameterizedTest)\b/g,
  Kotlin: /@Test\b/g,
  Ruby: /^\s*(?:it|test)\s+["']/gm,
  "C#": /\[(?:Fact|Theory|Test|TestMethod)\]/g,
};

/** Adds one file to the facts. */
export function countTests(facts: TestFacts, source: Source): void {
  if (!source.language.code) return;
  const pattern = CASE[source.language.name];
  const inline = source.language.name === "Rust" && /#\[(?:\w+::)?test\]/.test(source.text);
  if (isTestFile(source.path) || inline) {
    facts.files++;
    for (const match of pattern === undefined ? [] : source.text.matchAll(pattern))
      if (source.kindAt(match.index) === 0) facts.cases++;
  }
  if (source.test) for (const name of importsIn(source)) facts.imported.add(name);
  if (source.test) facts.testLines += source.lines.length;
  else facts.sourceLines += source.lines.length;
}

const FRAMEWORKS = [
  "vitest",
  "jest",
  "mocha",
  "ava",
  "tap",
  "@playwright/test",
  "cypress",
  "pytest",
  "unittest2",
  "junit-jupiter",
  "junit",
  "rspec",
  "phpunit/phpunit",
];

/** Test frameworks by their names in manifests, and those that a language brings along. */
export function frameworksOf(manifests: readonly Manifest[]): readonly string[] {
  const named = manifests
    .flatMap((m) => m.dependencies.map((d) => d.name))
    .filter((name) => FRAMEWORKS.includes(name));
  const scripts = manifests.flatMap((m) => Object.values(m.scripts));
  const brought = [
    ...(scripts.some((script) => /\bnode\b[^&|]*--test\b/.test(script)) ? ["node:test"] : []),
    ...(manifests.some((m) => m.ecosystem === "go") ? ["go test"] : []),
    ...(manifests.some((m) => m.ecosystem === "rust") ? ["cargo test"] : []),
  ];
  return [...new Set([...named, ...brought])];
}

/** What a file imports: `./work.ts` as `work`, a package by its name. */
function importsIn(source: Source): string[] {
  const found = source.text.matchAll(
    /\bfrom\s+["']([^"'\n]+)["']|\bimport\s*\(?\s*["']([^"'\n]+)["']|\brequire\s*\(\s*["']([^"'\n]+)["']|^\s*(?:from|import)\s+([\w.]+)/gm,
  );
  return [...found]
    .map((m) => m[1] ?? m[2] ?? m[3] ?? m[4] ?? "")
    .map((path) =>
      path.startsWith(".") ? stem(path) : path.includes("/") ? path : (path.split(".").at(-1) ?? path),
    );
}

/**
 * Program files that no test is named after, imports, or reaches through their package's name.
 * @param packages directory by package name
 */
export function untested(
  files: readonly FileEntry[],
  imported: ReadonlySet<string>,
  packages: ReadonlyMap<string, string>,
): readonly FileEntry[] {
  const tested = new Set(files.filter((file) => isTestFile(file.path)).map((file) => stem(file.path)));
  const reached = [...packages].filter(([name]) => imported.has(name)).map(([, folder]) => folder);
  return files.filter(
    (file) =>
      file.language?.code === true &&
      !isTestPath(file.path) &&
      !isTestFile(file.path) &&
      !DECLARATIONS.test(file.path) &&
      !tested.has(stem(file.path)) &&
      !imported.has(stem(file.path)) &&
      !reached.some((folder) => folder !== "" && file.path.startsWith(`${folder}/`)),
  );
}

/** Files without behaviour of their own. */
const DECLARATIONS =
  /(?:^|\/)(?:index|types|main|mod|lib|__init__|setup|conftest)\.[a-z]+$|\.d\.ts$|\.config\.[a-z]+$|\.(?:css|scss|less|html|sql|proto|tf|sh)$|(?:^|\/)(?:Dockerfile|Makefile)$/;

function stem(path: string): string {
  return path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/\.[a-z]+$/i, "")
    .replace(/[._-](?:test|spec|e2e)$|^test_|_test$|_spec$|Tests?$/, "")
    .toLowerCase();
}
