// Owns what the repository's history says: pace, people, and the files that change most. Names and addresses stay out of it.
import { tryGit } from "../../../workspace/git.ts";
import type { Timebox } from "../timebox.ts";
import type { Repository } from "./files.ts";
import { isGenerated } from "./languages.ts";

export interface History {
  /** Commits in all. */
  readonly commits: number;
  /** Among the commits that were read. */
  readonly authors: number;
  /** Share of the most active author, 0 to 1. */
  readonly topShare: number;
  /** Epoch ms. */
  readonly first: number;
  readonly last: number;
  /** Commits of the 90 days before the last one. */
  readonly recent: number;
  /** Own files by number of commits that touched them, most first. */
  readonly hot: readonly { readonly path: string; readonly changes: number }[];
  readonly tags: readonly string[];
  /** Commits that were read for authors and files. */
  readonly read: number;
}

const READ = 1_000;
const DAY = 86_400_000;

/** Undefined where there is no history. */
export async function historyOf(repository: Repository, box: Timebox): Promise<History | undefined> {
  if (repository.git.kind !== "ready" || box.over()) return undefined;
  const options = { signal: box.signal, timeoutMs: Math.max(500, box.left() / 2) };
  const ask = (args: readonly string[]): ReturnType<typeof tryGit> => tryGit(repository.root, args, options);
  const [count, log, tags] = await Promise.all([
    ask(["rev-list", "--count", "HEAD"]),
    ask([
      "log",
      `--max-count=${READ}`,
      "--no-renames",
      "--no-merges",
      "--relative",
      "--format=%x01%ct%x00%ae",
      "--name-only",
    ]),
    ask(["tag", "--list", "--sort=-creatordate"]),
  ]);
  if (log.exitCode !== 0) return undefined;
  const commits = log.stdout.split("\u0001").slice(1).map(commitOf);
  const last = Math.max(...commits.map((c) => c.at), 0);
  const authors = tally(commits.map((c) => c.author));
  const hot = tally(commits.flatMap((c) => c.files))
    .filter(([path, n]) => n > 1 && repository.has(path) && !isGenerated(path))
    .map(([path, changes]) => ({ path, changes }));
  return {
    commits: Number(count.stdout) || commits.length,
    authors: authors.length,
    topShare: commits.length === 0 ? 0 : (authors[0]?.[1] ?? 0) / commits.length,
    first: Math.min(...commits.map((c) => c.at)),
    last,
    recent: commits.filter((c) => last - c.at < 90 * DAY).length,
    hot: hot.slice(0, 50),
    tags: tags.stdout.split("\n").filter(Boolean),
    read: commits.length,
  };
}

function commitOf(text: string): { at: number; author: string; files: string[] } {
  const [head = "", ...files] = text.split("\n");
  const [time, author = ""] = head.split("\0");
  return { at: Number(time) * 1_000, author, files: files.filter(Boolean) };
}

/** Values by how often they stand there, most first. */
function tally(values: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}
