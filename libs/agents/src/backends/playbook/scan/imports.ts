// Owns the comparison of what JavaScript and TypeScript files import with what their manifest declares.
import type { Finding } from "@firm/protocol";
import { isBuiltin } from "node:module";
import { finding } from "../findings.ts";
import type { Manifest } from "./manifest-readers.ts";
import { CODE } from "./mask.ts";
import type { Source } from "./source.ts";

const IMPORT =
  /\b(?:import|export)\s[^"';]{0,2000}?\bfrom\s*["']([^"'\n]+)["']|\bimport\s*["']([^"'\n]+)["']|\b(?:import|require)\s*\(\s*["']([^"'\n]+)["']/g;
const LANGUAGES = ["TypeScript", "JavaScript", "Vue", "Svelte"];

/** A package that a file imports, and where. */
interface Use {
  readonly package: string;
  readonly file: string;
  readonly line: number;
}

/** Collects uses over a scan, then compares. */
export class Imports {
  readonly #uses: Use[] = [];
  readonly #configured = new Set<string>();

  add(source: Source): void {
    if (LANGUAGES.includes(source.language.name)) {
      for (const match of source.text.matchAll(IMPORT)) {
        const name = packageOf(match[1] ?? match[2] ?? match[3] ?? "");
        if (name !== undefined && source.kindAt(match.index) === CODE)
          this.#uses.push({
            package: name,
            file: source.path,
            line: source.lineOf(match.index + match[0].length - 1),
          });
      }
    }
    // Configuration names packages without importing them.
    if (/(?:config|rc)[^/]*$/.test(source.path) || source.language.name === "YAML") {
      for (const [name] of source.text.matchAll(/(?:@[\w.-]+\/)?[\w.-]+/g)) this.#configured.add(name);
    }
  }

  /** Uses that no manifest above the file declares. */
  undeclared(manifests: readonly Manifest[]): Finding[] {
    const npm = manifests.filter((m) => m.ecosystem === "npm");
    const own = new Set(npm.flatMap((m) => m.name ?? []));
    const seen = new Set<string>();
    return this.#uses.flatMap((use) => {
      const above = npm
        .filter((m) => contains(m.file, use.file))
        .toSorted((a, b) => b.file.length - a.file.length);
      const [nearest] = above;
      const declared = above.some(
        (m) =>
          m.name === use.package ||
          m.dependencies.some((d) => d.name === use.package || d.name === `@types/${use.package}`),
      );
      // What belongs to no workspace, e.g. tests at the top, may use all of them: the root links them.
      const linked = nearest?.file === "package.json" && own.has(use.package);
      const key = `${nearest?.file} ${use.package}`;
      if (nearest === undefined || declared || linked || seen.has(key)) return [];
      seen.add(key);
      return [
        finding(
          "code.undeclared-import",
          { file: use.file, line: use.line, content: use.package },
          {
            title: `${use.package} is imported but not declared in ${nearest.file}`,
            severity: "medium",
            detail: "It works only as long as another package happens to bring it along.",
            recommendation: `Add ${use.package} to ${nearest.file}, in the version that is in use.`,
          },
        ),
      ];
    });
  }

  /** Run-time dependencies that no file below their manifest imports. */
  unused(manifests: readonly Manifest[]): Finding[] {
    return manifests
      .filter((m) => m.ecosystem === "npm")
      .flatMap((manifest) => {
        const used = new Set(
          this.#uses.filter((use) => contains(manifest.file, use.file)).map((use) => use.package),
        );
        const scripts = Object.values(manifest.scripts).join(" ");
        // A manifest whose files import nothing was not read far enough to judge.
        if (used.size === 0) return [];
        return manifest.dependencies
          .filter(
            (d) =>
              !d.development &&
              !used.has(d.name) &&
              !d.name.startsWith("@types/") &&
              !scripts.includes(d.name) &&
              !this.#configured.has(d.name),
          )
          .map((d) =>
            finding(
              "code.unused-dependency",
              { file: manifest.file, line: d.line, content: d.name },
              {
                title: `${d.name} is declared but nothing imports it`,
                severity: "low",
                detail: "Every install fetches it, and its vulnerabilities are the project's.",
                recommendation: "Remove it, or move it to the package that uses it.",
              },
            ),
          );
      });
  }
}

function contains(manifest: string, file: string): boolean {
  return file.startsWith(manifest.slice(0, manifest.lastIndexOf("/") + 1));
}

function packageOf(specifier: string): string | undefined {
  // Relative, absolute, aliased (`@/`, `~`, `#`) and virtual modules name no package.
  if (
    !/^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*(?:\/|$)/i.test(specifier) ||
    /^(?:~|[a-z]+:)/.test(specifier) ||
    isBuiltin(specifier)
  )
    return undefined;
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : parts[0];
}
