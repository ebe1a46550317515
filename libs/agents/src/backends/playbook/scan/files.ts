// Owns the list of a workspace's files: what git tracks or would track, or what no ignore file excludes; bounded in number and time.
import ignore from "ignore";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gitStateOf, tryGit, type GitState } from "../../../workspace/git.ts";
import type { Timebox } from "../timebox.ts";
import { isGenerated, languageOf, type Language } from "./languages.ts";

export interface FileEntry {
  /** Relative to the workspace, with "/". */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly language: Language | undefined;
}

export interface Repository {
  /** Absolute. */
  readonly root: string;
  readonly git: GitState;
  readonly files: readonly FileEntry[];
  readonly has: (path: string) => boolean;
  /** What was left out and why, for the reader. */
  readonly limits: readonly string[];
}

const MAX_FILES = 20_000;
/** Never of interest, also where no ignore file says so. */
const SKIPPED = new Set([".git", ".firm", "node_modules", ".hg", ".svn"]);

/** Lists the workspace. */
export async function listRepository(root: string, box: Timebox): Promise<Repository> {
  const around = await gitStateOf(root, box.signal);
  const inWorktree = around.kind === "ready" || around.kind === "unborn";
  const listed = inWorktree ? await listByGit(root, box) : await listByWalk(root, box);
  // A workspace that the repository around it ignores is looked at as a plain directory.
  const ignored = inWorktree && listed.paths.length === 0;
  const { paths, limits } = ignored ? await listByWalk(root, box) : listed;
  const git: GitState =
    ignored && paths.length > 0 ? { kind: "none", reason: "the repository around it ignores it" } : around;
  const files: FileEntry[] = [];
  for (let i = 0; i < paths.length && !box.over(); i += 256) {
    const batch = await Promise.all(paths.slice(i, i + 256).map((path) => entryOf(root, path)));
    files.push(...batch.filter((entry) => entry !== undefined));
  }
  if (files.length < paths.length && box.over())
    limits.push(`time ended the listing after ${files.length} of ${paths.length} files`);
  const known = new Set(files.map((file) => file.path));
  return { root, git, files, has: (path) => known.has(path), limits };
}

async function entryOf(root: string, path: string): Promise<FileEntry | undefined> {
  // Links are not followed: they may lead out of the workspace. Deleted but still tracked files are not there.
  const stats = await lstat(join(root, path)).catch(() => undefined);
  return stats?.isFile() === true ? { path, size: stats.size, language: languageOf(path) } : undefined;
}

async function listByGit(root: string, box: Timebox): Promise<{ paths: string[]; limits: string[] }> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const listed = await tryGit(root, args, { signal: box.signal, timeoutMs: Math.max(1_000, box.left()) });
  if (listed.exitCode !== 0) return listByWalk(root, box);
  const all = listed.stdout
    .split("\0")
    .filter((path) => path !== "" && !path.split("/").some((part) => SKIPPED.has(part)));
  const limits =
    all.length > MAX_FILES || listed.truncated ? [`only the first ${MAX_FILES} files were read`] : [];
  return { paths: all.slice(0, MAX_FILES), limits };
}

async function listByWalk(root: string, box: Timebox): Promise<{ paths: string[]; limits: string[] }> {
  const paths: string[] = [];
  const folders: { path: string; rules: readonly { base: string; rule: ReturnType<typeof ignore> }[] }[] = [
    { path: "", rules: [] },
  ];
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    if (box.over()) return { paths, limits: [`time ended the listing after ${paths.length} files`] };
    const entries = await readdir(join(root, next.path), { withFileTypes: true }).catch(() => []);
    const own = entries.some((entry) => entry.name === ".gitignore")
      ? await readFile(join(root, next.path, ".gitignore"), "utf8").catch(() => "")
      : "";
    const rules = own === "" ? next.rules : [...next.rules, { base: next.path, rule: ignore().add(own) }];
    for (const entry of entries.toSorted((a, b) => a.name.localeCompare(b.name))) {
      if (SKIPPED.has(entry.name)) continue;
      const path = next.path === "" ? entry.name : `${next.path}/${entry.name}`;
      const asked = entry.isDirectory() ? `${path}/` : path;
      if (rules.some(({ base, rule }) => rule.ignores(base === "" ? asked : asked.slice(base.length + 1))))
        continue;
      if (entry.isDirectory()) folders.push({ path, rules });
      else if (entry.isFile()) paths.push(path);
      if (paths.length >= MAX_FILES)
        return { paths, limits: [`only the first ${MAX_FILES} files were read`] };
    }
  }
  return { paths, limits: [] };
}

/** Files that the project wrote itself, in a language that is known. */
export function ownFiles(repository: Repository): readonly FileEntry[] {
  return repository.files.filter((file) => file.language !== undefined && !isGenerated(file.path));
}
