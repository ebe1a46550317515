// Holds the reference pages to the code: what a user can set, send or receive is written down, with its default.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseConfig } from "@firm/config";
import { BUCKETS, ERROR_CODES, HEADERS, ROLE_VERBS, RunEvent, STREAMS } from "@firm/protocol";
import { describe, expect, it } from "vitest";
import { ROOT } from "../harness/sources.ts";

const page = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md"))
  .map((path) => join("docs", path));

/** The words of a page that stand in backticks, and their parts. */
function terms(path: string): Set<string> {
  const quoted = [...page(path).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");
  return new Set(quoted.flatMap((text) => [text, ...text.split(/[.,\s]+/)]));
}

describe("docs/subjects.md", () => {
  const known = terms("docs/subjects.md");
  const missing = (names: readonly string[]): string[] => names.filter((name) => !known.has(name));

  it("names every error code with its number", () => {
    const text = page("docs/subjects.md");
    const rows = Object.entries(ERROR_CODES).filter(
      ([code, number]) => !new RegExp(`\`${code}\`[^|\n]*\\| ${number} \\|`).test(text),
    );
    expect(rows).toEqual([]);
  });

  it("names every header, stream, bucket, verb and event", () => {
    const internal = new Set<string>([HEADERS.expectedLastSubjectSequence]);
    expect(missing(Object.values(HEADERS).filter((name) => !internal.has(name)))).toEqual([]);
    expect(missing([...Object.values(STREAMS), ...Object.values(BUCKETS)])).toEqual([]);
    expect(missing(ROLE_VERBS.map((verb) => verb.split(".").at(-1) ?? verb))).toEqual([]);
    expect(missing(RunEvent.options.map((option) => option.shape.type.value))).toEqual([]);
  });
});

describe("docs/configuration.md", () => {
  it("has a row with the default of every field", () => {
    const { departments: _, ...rest } = parseConfig("");
    const text = page("docs/configuration.md").replaceAll("`", "");
    const fields = Object.entries(rest).flatMap(([group, values]) =>
      Object.entries(values ?? {}).map(([name, value]) => {
        const shown = typeof value === "string" ? value : JSON.stringify(value);
        return `| ${group}.${name} | ${shown} |`;
      }),
    );
    expect(fields.filter((row) => !text.includes(row))).toEqual([]);
  });
});

it("every relative link leads somewhere", () => {
  const broken = [...pages, "CONTRIBUTING.md"].flatMap((path) =>
    [...page(path).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map((match) => join(dirname(path), match[1] ?? ""))
      .filter((target) => !existsSync(join(ROOT, target)))
      .map((target) => `${path} → ${target}`),
  );
  expect(broken).toEqual([]);
});
