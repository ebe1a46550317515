// Owns the running of the workspace's own checks: only where the user allowed it, each within its time, by exit code.
import type { Finding } from "@firm/protocol";
import { FirmError } from "@firm/protocol";
import { stripVTControlCharacters } from "node:util";
import { runProcess } from "../../../process/run.ts";
import { finding } from "../findings.ts";
import type { Timebox } from "../timebox.ts";
import type { Repository } from "./files.ts";
import type { Manifest } from "./manifest-readers.ts";

export type CheckKind = "typecheck" | "lint" | "test";

/** A command that the project itself offers. */
export interface Check {
  readonly kind: CheckKind;
  readonly command: readonly [string, ...string[]];
}

/** How a check went. `skip` has its reason in `message`. */
export interface CheckResult {
  readonly kind: CheckKind;
  readonly name: string;
  readonly status: "pass" | "fail" | "skip";
  readonly message: string;
  readonly durationMs: number;
}

const SCRIPTS: Readonly<Record<CheckKind, readonly string[]>> = {
  typecheck: ["typecheck", "type-check", "check-types", "tsc"],
  lint: ["lint"],
  test: ["test:unit", "test"],
};
const NO_TEST = /no test specified/;

/** The checks that exist here, of the kinds asked for. */
export function checksOf(
  repository: Repository,
  manifests: readonly Manifest[],
  kinds: readonly CheckKind[],
): Check[] {
  const checks: Check[] = [];
  const root = (ecosystem: Manifest["ecosystem"]): Manifest | undefined =>
    manifests.find((m) => m.ecosystem === ecosystem && !m.file.includes("/"));
  const npm = root("npm");
  for (const kind of kinds) {
    const script = SCRIPTS[kind].find(
      (name) => npm?.scripts[name] !== undefined && !NO_TEST.test(npm.scripts[name]),
    );
    if (script !== undefined) checks.push({ kind, command: [managerOf(repository), "run", script] });
    if (root("go") !== undefined)
      checks.push(...pick(kind, { lint: ["go", "vet", "./..."], test: ["go", "test", "./..."] }));
    if (root("rust") !== undefined)
      checks.push(
        ...pick(kind, { typecheck: ["cargo", "check", "--quiet"], test: ["cargo", "test", "--quiet"] }),
      );
    const python = repository.files.some((file) => file.language?.name === "Python");
    const tested = repository.files.some((file) => /(?:^|\/)test_[^/]*\.py$|_test\.py$/.test(file.path));
    if (python && tested) checks.push(...pick(kind, { test: ["python3", "-m", "pytest", "-q"] }));
  }
  return checks;
}

function pick(kind: CheckKind, commands: Partial<Record<CheckKind, Check["command"]>>): Check[] {
  const command = commands[kind];
  return command === undefined ? [] : [{ kind, command }];
}

function managerOf(repository: Repository): string {
  if (repository.has("pnpm-lock.yaml")) return "pnpm";
  if (repository.has("yarn.lock")) return "yarn";
  return repository.has("bun.lock") || repository.has("bun.lockb") ? "bun" : "npm";
}

/** Runs one check for at most the timebox's rest. */
export async function runCheck(repository: Repository, check: Check, box: Timebox): Promise<CheckResult> {
  const name = check.command.join(" ");
  const skip = (message: string): CheckResult => ({
    kind: check.kind,
    name,
    status: "skip",
    message,
    durationMs: 0,
  });
  const needsInstall = ["npm", "pnpm", "yarn", "bun"].includes(check.command[0]);
  if (needsInstall && !(await installed(repository)))
    return skip("dependencies are not installed (no node_modules)");
  const timeoutMs = box.left();
  if (timeoutMs < 250) return skip("no time was left for it");
  const [file, ...args] = check.command;
  try {
    const result = await runProcess(file, args, {
      cwd: repository.root,
      env: { CI: "true", NO_COLOR: "1" },
      timeoutMs,
      signal: box.signal,
      graceMs: 500,
    });
    const durationMs = Math.round(result.durationMs);
    if (result.ended !== "exit")
      return {
        ...skip(
          `not finished after ${(durationMs / 1_000).toFixed(1)} s: ${result.ended === "timeout" ? "the run's deadline left no more time" : "it was stopped"}`,
        ),
        durationMs,
      };
    const tail = lastLines(`${result.stdout}\n${result.stderr}`);
    return {
      kind: check.kind,
      name,
      status: result.exitCode === 0 ? "pass" : "fail",
      message: `exit code ${result.exitCode}${result.exitCode === 0 ? "" : `\n${tail}`}`,
      durationMs,
    };
  } catch (error) {
    if (error instanceof FirmError) return skip(error.message);
    throw error;
  }
}

async function installed(repository: Repository): Promise<boolean> {
  const { access } = await import("node:fs/promises");
  return access(`${repository.root}/node_modules`).then(
    () => true,
    () => false,
  );
}

function lastLines(text: string): string {
  // Some tools colour their output whatever NO_COLOR says.
  const lines = stripVTControlCharacters(text)
    .split("\n")
    .map((line) => line.trimEnd());
  return lines
    .filter((line) => line !== "")
    .slice(-20)
    .join("\n")
    .slice(-3_000);
}

/** A failing check is a finding, at the first place of the workspace that its output names. */
export function checkFinding(repository: Repository, result: CheckResult): Finding[] {
  if (result.status !== "fail") return [];
  const titles: Record<CheckKind, string> = {
    typecheck: "The type check fails",
    lint: "The linter fails",
    test: "The tests fail",
  };
  return [
    finding(
      `check.${result.kind}`,
      { ...firstPlace(repository, result.message), content: result.name },
      {
        title: `${titles[result.kind]}: ${result.name}`,
        severity: result.kind === "lint" ? "medium" : "high",
        detail: `The project's own check does not pass: ${result.message}`.slice(0, 8_000),
        recommendation: `Run \`${result.name}\` and repair what it names.`,
      },
    ),
  ];
}

/** `src/a.ts(3,5)`, `src/a.ts:3:5` and `[src/a.ts:3:5]`, as compilers, linters and test runners write them. */
function firstPlace(repository: Repository, output: string): { file?: string; line?: number } {
  for (const match of output.matchAll(/([\w@./-]+\.\w+)[:(](\d+)/g)) {
    const file = (match[1] ?? "").replace(/^\.\//, "");
    const line = Number(match[2]);
    if (line > 0 && repository.has(file)) return { file, line };
  }
  return {};
}
