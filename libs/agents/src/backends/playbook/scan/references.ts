// Owns references that lead nowhere: links in Markdown, files that scripts and manifests name.
import type { Finding } from "@firm/protocol";
import { posix } from "node:path";
import { finding } from "../findings.ts";
import type { Repository } from "./files.ts";
import { lineOf, type Manifest } from "./manifest-readers.ts";
import type { Source } from "./source.ts";

/** Relative links of a Markdown file to what is not in the workspace. */
export function brokenLinks(repository: Repository, source: Source): Finding[] {
  if (source.language.name !== "Markdown") return [];
  const found: Finding[] = [];
  let fenced = false;
  for (const [i, line] of source.lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    for (const match of line
      .replaceAll(/`[^`]*`/g, "")
      .matchAll(/\]\(\s*<?([^)\s>#]+)(?:#[^)\s>]*)?>?(?:\s+"[^"]*")?\s*\)/g)) {
      const target = match[1] ?? "";
      if (
        /^(?:[a-z][a-z0-9+.-]*:|\/|\{|\$)/i.test(target) ||
        exists(repository, resolve(source.path, decode(target)))
      )
        continue;
      found.push(
        finding(
          "docs.broken-link",
          { file: source.path, line: i + 1, content: target },
          {
            title: `Link to a file that is not there: ${target}`,
            severity: "low",
            recommendation: "Correct the path, or add the file.",
          },
        ),
      );
    }
  }
  return found;
}

/** Entry points and scripts of a manifest whose files are not in the workspace. */
export function brokenEntries(repository: Repository, manifest: Manifest): Finding[] {
  const found: Finding[] = [];
  const builds = Object.keys(manifest.scripts).some((name) =>
    /^(?:build|prepare|prepack|compile)/.test(name),
  );
  for (const { kind, path } of manifest.entries) {
    if (
      path.includes("*") ||
      exists(repository, resolve(manifest.file, path)) ||
      (builds && /^\.?\/?(?:dist|build|lib|out)\//.test(path))
    )
      continue;
    if (
      ["", ".js", ".json", "/index.js"].some((end) => exists(repository, resolve(manifest.file, path) + end))
    )
      continue;
    found.push(
      finding(
        "code.missing-entry",
        { file: manifest.file, line: lineOf(manifest.text, `"${path}"`), content: `${kind} ${path}` },
        {
          title: `${kind} names a file that is not there: ${path}`,
          severity: "medium",
          detail: "Whoever installs or imports the package gets an error.",
          recommendation: "Correct the path, or add the file.",
        },
      ),
    );
  }
  for (const [name, script] of Object.entries(manifest.scripts)) {
    const file =
      /(?:^|&&\s*|;\s*)(?:node|tsx|ts-node|python3?|bash|sh)\s+(?:-[\w-]+(?:=\S+)?\s+)*((?:\.\/)?[\w./-]+\.(?:[cm]?[jt]s|py|sh))(?:\s|$)/.exec(
        script,
      )?.[1];
    if (
      file === undefined ||
      exists(repository, resolve(manifest.file, file)) ||
      (builds && /^(?:\.\/)?(?:dist|build|lib|out)\//.test(file))
    )
      continue;
    found.push(
      finding(
        "code.missing-script",
        { file: manifest.file, line: lineOf(manifest.text, `"${name}"`), content: `${name} ${file}` },
        {
          title: `Script "${name}" starts a file that is not there: ${file}`,
          severity: "medium",
          detail: "The script fails for everybody.",
          recommendation: "Add the file, or remove the script.",
        },
      ),
    );
  }
  return found;
}

function resolve(from: string, target: string): string {
  return posix.normalize(posix.join(posix.dirname(from), target)).replace(/\/$/, "");
}

function decode(target: string): string {
  return /%[0-9a-f]{2}/i.test(target)
    ? decodeURIComponent(target.replaceAll(/%(?![0-9a-f]{2})/gi, "%25"))
    : target;
}

function exists(repository: Repository, path: string): boolean {
  // What lies above the workspace cannot be judged from inside it.
  if (path.startsWith("..") || path === "." || path === "") return true;
  return repository.has(path) || repository.files.some((file) => file.path.startsWith(`${path}/`));
}
