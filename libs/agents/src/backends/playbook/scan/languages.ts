// Pure: the language of a file by its name, and how that language writes comments and strings.

/** Families of lexical rules. */
export type Syntax = "c" | "js" | "python" | "hash" | "dash" | "markup" | "none";

export interface Language {
  readonly name: string;
  readonly syntax: Syntax;
  /** Programs, as against data, markup and prose. */
  readonly code: boolean;
}

const language = (name: string, syntax: Syntax, code = true): Language => ({ name, syntax, code });
const TS = language("TypeScript", "js");
const JS = language("JavaScript", "js");
const YAML = language("YAML", "hash", false);
const CPP = language("C++", "c");
const SHELL = language("Shell", "hash");

const BY_EXTENSION: Readonly<Record<string, Language>> = {
  ts: TS,
  tsx: TS,
  mts: TS,
  cts: TS,
  js: JS,
  jsx: JS,
  mjs: JS,
  cjs: JS,
  vue: language("Vue", "js"),
  svelte: language("Svelte", "js"),
  py: language("Python", "python"),
  pyi: language("Python", "python"),
  go: language("Go", "c"),
  rs: language("Rust", "c"),
  java: language("Java", "c"),
  kt: language("Kotlin", "c"),
  kts: language("Kotlin", "c"),
  scala: language("Scala", "c"),
  cs: language("C#", "c"),
  swift: language("Swift", "c"),
  dart: language("Dart", "c"),
  php: language("PHP", "c"),
  c: language("C", "c"),
  h: language("C", "c"),
  cc: CPP,
  cpp: CPP,
  cxx: CPP,
  hpp: CPP,
  hh: CPP,
  m: language("Objective-C", "c"),
  proto: language("Protocol Buffers", "c"),
  rb: language("Ruby", "hash"),
  pl: language("Perl", "hash"),
  ex: language("Elixir", "hash"),
  exs: language("Elixir", "hash"),
  r: language("R", "hash"),
  jl: language("Julia", "hash"),
  sh: SHELL,
  bash: SHELL,
  zsh: SHELL,
  sql: language("SQL", "dash"),
  lua: language("Lua", "dash"),
  hs: language("Haskell", "dash"),
  css: language("CSS", "c"),
  scss: language("SCSS", "c"),
  less: language("Less", "c"),
  html: language("HTML", "markup"),
  htm: language("HTML", "markup"),
  tf: language("HCL", "hash"),
  yaml: YAML,
  yml: YAML,
  toml: language("TOML", "hash", false),
  ini: language("INI", "hash", false),
  json: language("JSON", "none", false),
  jsonc: language("JSON", "c", false),
  xml: language("XML", "markup", false),
  md: language("Markdown", "none", false),
  mdx: language("Markdown", "none", false),
  rst: language("reStructuredText", "none", false),
  txt: language("Text", "none", false),
};

const BY_NAME: Readonly<Record<string, Language>> = {
  dockerfile: language("Dockerfile", "hash"),
  containerfile: language("Dockerfile", "hash"),
  makefile: language("Makefile", "hash"),
  gemfile: language("Ruby", "hash"),
  rakefile: language("Ruby", "hash"),
};

/** Undefined for what is not known, e.g. images. */
export function languageOf(path: string): Language | undefined {
  const base = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (!base.includes(".") && /(?:^|\/)(?:\.ci|bin|scripts)\/[^/]+$/.test(path)) return SHELL;
  const named = BY_NAME[base] ?? (base.startsWith("dockerfile.") ? BY_NAME["dockerfile"] : undefined);
  return named ?? BY_EXTENSION[base.slice(base.lastIndexOf(".") + 1)];
}

const TEST =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|testing|e2e|fixtures?|testdata|mocks?|__mocks__)\/|[._-](?:test|spec|e2e)\.[a-z]+$|(?:^|\/)(?:test_[^/]+|conftest)\.py$|_test\.(?:go|py|rb)$|Tests?\.(?:java|kt|cs|swift)$/;
const TEST_CASES =
  /[._-](?:test|spec|e2e)\.[a-z]+$|(?:^|\/)test_[^/]+\.py$|_test\.(?:go|py)$|_spec\.rb$|Tests?\.(?:java|kt|cs|swift)$|(?:^|\/)(?:tests?|__tests__)\/[^/]+\.(?:rs|js|mjs|cjs)$/;
const GENERATED =
  /(?:^|\/)(?:node_modules|_?vendor|dist|build|out|target|coverage|\.next|\.firm|\.git|__pycache__|\.venv|venv|third_party)\/|\.min\.(?:js|css)$|\.(?:lock|map|snap|svg)$|(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum)$|\.pb\.go$|_pb2\.py$|\.generated\.|\.g\.dart$/;

/** Tests, their helpers and their data: what is found there weighs less. */
export const isTestPath = (path: string): boolean => TEST.test(path);
/** A file that itself holds test cases. */
export const isTestFile = (path: string): boolean => TEST_CASES.test(path);
/** Made by a program, or brought from elsewhere: not the project's own words. */
export const isGenerated = (path: string): boolean => GENERATED.test(path);
