// Owns the reading of source files, one at a time, with the reader's limits on size and time.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Timebox } from "../timebox.ts";
import type { FileEntry, Repository } from "./files.ts";
import { isTestPath, type Language } from "./languages.ts";
import { CODE, mask } from "./mask.ts";

/** A text file, with what rules ask of it. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly language: Language;
  readonly test: boolean;
  readonly lines: readonly string[];
  /** 1-based line of an offset. */
  lineOf(offset: number): number;
  /** CODE, COMMENT or STRING at an offset. */
  kindAt(offset: number): number;
}

/** Larger ones are data, whatever their name says. */
const MAX_BYTES = 524_288;

export function sourceOf(path: string, text: string, language: Language, test = isTestPath(path)): Source {
  const lines = text.split("\n");
  const starts: number[] = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  let kinds: Uint8Array | undefined;
  return {
    path,
    text,
    language,
    test,
    lines,
    lineOf: (offset) => {
      let low = 0;
      let high = lines.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) <= offset) low = middle;
        else high = middle - 1;
      }
      return low + 1;
    },
    kindAt: (offset) => (kinds ??= mask(text, language.syntax))[offset] ?? CODE,
  };
}

/** Text of a file of the workspace; undefined where it is not there, too large or binary. */
export async function readText(repository: Repository, path: string): Promise<string | undefined> {
  const entry = repository.files.find((file) => file.path === path);
  return entry === undefined ? undefined : readEntry(repository, entry);
}

async function readEntry(repository: Repository, entry: FileEntry): Promise<string | undefined> {
  if (entry.size > MAX_BYTES) return undefined;
  const bytes = await readFile(join(repository.root, entry.path)).catch(() => undefined);
  // A NUL byte near the start is how git, too, tells binary files.
  if (bytes === undefined || bytes.subarray(0, 8_192).includes(0)) return undefined;
  return bytes.toString("utf8");
}

/** Count of files read and of files that time left unread. */
export interface Coverage {
  read: number;
  unread: number;
  lines: number;
}

/** Reads files in order until the timebox is over, and counts into `coverage`. */
export async function* readSources(
  repository: Repository,
  files: readonly FileEntry[],
  box: Timebox,
  coverage: Coverage,
): AsyncGenerator<Source> {
  for (const [i, file] of files.entries()) {
    if (box.over()) {
      coverage.unread += files.length - i;
      return;
    }
    // Heartbeats and the abort must get their turn between files.
    if (i % 8 === 0) await setImmediate();
    const text = await readEntry(repository, file);
    if (text === undefined || file.language === undefined) continue;
    const source = sourceOf(file.path, text, file.language);
    coverage.read++;
    coverage.lines += source.lines.length;
    yield source;
  }
}
