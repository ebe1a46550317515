// Owns the view of the repository as source files and their imports, for the tests that hold its shape.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root directory, absolute. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** One source file. */
export interface SourceFile {
  /** Relative to the root, with slashes. */
  readonly path: string;
  /** The workspace it belongs to, e.g. `libs/bus`. */
  readonly workspace: string;
  readonly text: string;
  /** The text without its comments. */
  readonly code: string;
  /** Module specifiers of static, dynamic, type-only and re-exporting imports. */
  readonly imports: readonly string[];
}

const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+|\bresolve\s*\(\s*)["']([^"'\n]+)["']/g;
const COMMENT_OR_STRING =
  /\/\*[\s\S]*?\*\/|(?<![:\\/])\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

/** Removes comments, and leaves what looks like one inside a string. */
export function withoutComments(text: string): string {
  return text.replace(COMMENT_OR_STRING, (match) => (match.startsWith("/") ? "" : match));
}

/** The module specifiers that a source imports. */
export function importsOf(code: string): string[] {
  return [...code.matchAll(SPECIFIER)].map((match) => match[1] ?? "");
}

/** Every TypeScript and JavaScript file under the directories, `node_modules` left out. */
export function sourceFiles(...directories: readonly string[]): SourceFile[] {
  return directories.flatMap((directory) =>
    readdirSync(join(ROOT, directory), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[cm]?[jt]s$/.test(entry.name))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .filter((path) => !path.includes("node_modules/"))
      .toSorted()
      .map((path) => {
        const text = readFileSync(join(ROOT, path), "utf8");
        const code = withoutComments(text);
        return {
          path,
          workspace: path.split("/").slice(0, 2).join("/"),
          text,
          code,
          imports: importsOf(code),
        };
      }),
  );
}

/** True for a file that only tests use. */
export function isTest(path: string): boolean {
  return path.endsWith(".test.ts") || path.includes("/testing/");
}
