// Owns the strategy part: what the project is, how it is built, what it depends on, what endangers it, and a plan for the objective.
import { dependencyFindings, divergingRanges } from "../scan/dependencies.ts";
import { finding } from "../findings.ts";
import { findingsLine, section, table } from "../part.ts";
import { planFor } from "../plan.ts";
import { historyOf, type History } from "../scan/history.ts";
import type { Manifest } from "../scan/manifest-readers.ts";
import { manifestsOf } from "../scan/manifests.ts";
import { readText } from "../scan/source.ts";
import { checkpoint, scan, type RoleWork, type Workbench } from "../workbench.ts";

interface Count {
  files: number;
  lines: number;
}

export const analyst: RoleWork = async function* (bench) {
  const { part, repository, box } = bench;
  const [{ manifests, unreadable }, history] = await Promise.all([
    manifestsOf(repository),
    historyOf(repository, box),
  ]);
  for (const { file, reason } of unreadable) {
    part.findings.push(
      finding(
        "strategy.unreadable-manifest",
        { file },
        {
          title: `${file} cannot be read: ${reason}`.slice(0, 400),
          severity: "high",
          recommendation: "Correct its syntax: no tool can read it either.",
        },
      ),
    );
  }
  const own = new Set(manifests.flatMap((m) => m.name ?? []));
  part.findings.push(
    ...dependencyFindings(manifests, own),
    ...divergingRanges(manifests, own),
    ...peopleFindings(history),
  );
  part.sections = [
    await about(bench, manifests),
    section("Dependencies", dependencyLines(manifests)),
    section("History", historyLines(history)),
  ];
  yield checkpoint(bench, `${repository.files.length} files, ${manifests.length} manifests`);

  const languages = new Map<string, Count>();
  const folders = new Map<string, Count>();
  const add = (map: Map<string, Count>, key: string, lines: number): void => {
    const count = map.get(key) ?? { files: 0, lines: 0 };
    map.set(key, { files: count.files + 1, lines: count.lines + lines });
  };
  yield* scan(bench, (source) => {
    add(languages, source.language.name, source.lines.length);
    if (source.language.code) add(folders, folderOf(source.path), source.lines.length);
  });
  const byLines = (map: Map<string, Count>): [string, Count][] =>
    [...map].toSorted((a, b) => b[1].lines - a[1].lines);
  part.sections = [
    await about(bench, manifests),
    section("Structure", [
      ...table(
        ["language", "files", "lines"],
        byLines(languages)
          .slice(0, 8)
          .map(([name, c]) => [name, c.files, c.lines]),
      ),
      "",
      ...table(
        ["folder", "code files", "lines"],
        byLines(folders)
          .slice(0, 10)
          .map(([name, c]) => [`\`${name}\``, c.files, c.lines]),
      ),
    ]),
    section("Entry points", entryLines(manifests)),
    section("Dependencies", dependencyLines(manifests)),
    section("History", historyLines(history)),
    section("Plan", planFor(bench, "strategy")),
  ].filter(Boolean);
  part.summary = `${identity(manifests)}: ${bench.coverage.lines} lines in ${bench.coverage.read} files, mostly ${byLines(languages)[0]?.[0] ?? "no known language"}; ${count(manifests)} dependencies in ${manifests.length} manifests. Strategy has ${findingsLine(part.findings)}.`;
  part.decisions.push(
    bench.focus.size === 0
      ? "The objective names no part of the workspace, so the whole of it is in scope."
      : `The objective's words name ${bench.focus.size} files, which come first: ${[...bench.focus].slice(0, 8).join(", ")}.`,
  );
};

function identity(manifests: readonly Manifest[]): string {
  const root = manifests[0];
  return root?.name === undefined
    ? "The workspace"
    : `${root.name}${root.version === undefined ? "" : ` ${root.version}`}`;
}

const count = (manifests: readonly Manifest[]): number =>
  new Set(manifests.flatMap((m) => m.dependencies.map((d) => d.name))).size;

async function about(bench: Workbench, manifests: readonly Manifest[]): Promise<string> {
  const { repository } = bench;
  const readme = repository.files.find((file) => /^readme\.md$/i.test(file.path));
  const text = readme === undefined ? undefined : await readText(repository, readme.path);
  const first = text
    ?.split(/\n\s*\n/)
    .map((block) => block.trim())
    .find((block) => /^[A-Za-z*_`]/.test(block));
  const said = manifests[0]?.description ?? first?.replaceAll(/\s+/g, " ").slice(0, 400);
  const bytes = repository.files.reduce((sum, file) => sum + file.size, 0);
  const { git } = repository;
  const state =
    git.kind === "ready"
      ? `branch ${git.branch ?? "(detached)"} at ${git.head.slice(0, 8)}${git.dirty ? ", with uncommitted changes" : ""}`
      : git.kind === "none"
        ? git.reason
        : git.kind;
  return section("What it is", [
    `${identity(manifests)}${said === undefined ? " says nowhere what it is for." : `: ${said}`}`,
    "",
    `${repository.files.length} files, ${(bytes / 1_048_576).toFixed(1)} MiB; ${state}.`,
  ]);
}

function folderOf(path: string): string {
  const parts = path.split("/");
  return parts.length === 1 ? "." : parts.slice(0, Math.min(2, parts.length - 1)).join("/");
}

function entryLines(manifests: readonly Manifest[]): string[] {
  const lines = manifests.flatMap((m) =>
    m.entries.map(({ kind, path }) => `- ${kind}: \`${path}\` (${m.file})`),
  );
  return [...new Set(lines)].slice(0, 15);
}

function dependencyLines(manifests: readonly Manifest[]): string[] {
  const used = manifests.filter((m) => m.dependencies.length > 0).slice(0, 20);
  return table(
    ["manifest", "run time", "development"],
    used.map((m) => [
      m.file,
      m.dependencies.filter((d) => !d.development).length,
      m.dependencies.filter((d) => d.development).length,
    ]),
  );
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

function historyLines(history: History | undefined): string[] {
  if (history === undefined) return [];
  const hot = history.hot.slice(0, 5).map(({ path, changes }) => `\`${path}\` (${changes})`);
  return [
    `- ${history.commits} commits by ${history.authors} author${history.authors === 1 ? "" : "s"}, ${day(history.first)} to ${day(history.last)}; ${history.recent} in the last 90 days before that`,
    `- Tags: ${history.tags.length === 0 ? "none" : `${history.tags.length}, latest ${history.tags[0]}`}`,
    ...(hot.length === 0 ? [] : [`- Changed most often: ${hot.join(", ")}`]),
  ];
}

function peopleFindings(history: History | undefined) {
  if (history === undefined || history.read < 30) return [];
  if (history.topShare < 0.8 && history.authors > 1) return [];
  const share = Math.round(history.topShare * 100);
  return [
    finding(
      "strategy.one-author",
      {},
      {
        title: `One author made ${share} % of the last ${history.read} commits`,
        severity: "low",
        detail: "What only one person knows stops with that person.",
        recommendation: "Have a second person review, and write down how the parts named above work.",
      },
    ),
  ];
}
