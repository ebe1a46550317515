// Owns what an employee works with: the contract's words, the workspace's files, the time, and the partial output that is kept
// on the way.
import type { AgentEvent, AgentInput } from "../../types.ts";
import type { AgentOptions } from "../../registry.ts";
import { kindOf, topicWords, concerns, type Kind } from "./objective.ts";
import { toResult, type Part } from "./part.ts";
import { isGenerated } from "./scan/languages.ts";
import { ownFiles, type FileEntry, type Repository } from "./scan/files.ts";
import { readSources, type Coverage, type Source } from "./scan/source.ts";
import type { Timebox } from "./timebox.ts";

export interface Workbench {
  readonly input: AgentInput;
  readonly options: AgentOptions;
  readonly box: Timebox;
  readonly repository: Repository;
  readonly kind: Kind;
  /** Words of the objective's topic. */
  readonly words: readonly string[];
  /** Files that the objective's words name; empty where it is about the whole. */
  readonly focus: ReadonlySet<string>;
  /** The project's own files, those in focus first. */
  readonly files: readonly FileEntry[];
  readonly coverage: Coverage;
  readonly part: Part;
}

/** A role's work: yields what is worth telling, fills `bench.part`. */
export type RoleWork = (bench: Workbench) => AsyncGenerator<AgentEvent, void, string | undefined>;

const CHECKPOINT_MS = 1_500;

export function benchOf(
  input: AgentInput,
  options: AgentOptions,
  box: Timebox,
  repository: Repository,
  part: Part,
): Workbench {
  const words = topicWords(input.contract.objective);
  const own = ownFiles(repository);
  const named = own.filter((file) => !isGenerated(file.path) && concerns(file.path, words));
  // Words that name half of the project name nothing.
  const focus = new Set(
    named.length > 0 && named.length * 2 < own.length ? named.map((file) => file.path) : [],
  );
  const files = [...own].toSorted((a, b) => Number(focus.has(b.path)) - Number(focus.has(a.path)));
  return {
    input,
    options,
    box,
    repository,
    kind: kindOf(input.contract.objective),
    words,
    focus,
    files,
    coverage: { read: 0, unread: 0, lines: 0 },
    part,
  };
}

export function checkpoint(bench: Workbench, note: string): AgentEvent {
  return {
    type: "checkpoint",
    note: note.slice(0, 500),
    partial: toResult(bench.input, bench.part, "partial"),
  };
}

/** Reads all of the project's own files, gives each to `visit`, and keeps partial output on the way. */
export async function* scan(
  bench: Workbench,
  visit: (source: Source) => void | Promise<void>,
): AsyncGenerator<AgentEvent, void, string | undefined> {
  let kept = Date.now();
  for await (const source of readSources(bench.repository, bench.files, bench.box, bench.coverage)) {
    await visit(source);
    if (Date.now() - kept < CHECKPOINT_MS) continue;
    kept = Date.now();
    bench.part.summary = `${bench.coverage.read} of ${bench.files.length} files read so far.`;
    yield checkpoint(bench, bench.part.summary);
  }
}

/** What limits the part, for its open items. */
export function limitsOf(bench: Workbench): string[] {
  const { coverage, repository } = bench;
  const unread =
    coverage.unread > 0
      ? [`${coverage.unread} of ${bench.files.length} files were not read: the deadline left no time`]
      : [];
  return [...repository.limits, ...unread];
}
