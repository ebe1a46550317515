// Owns the operations part: CI, licence, lock files, versions and releases, documents that lead nowhere, and a runbook.
import { capByRule, findingsLine, section, table } from "../part.ts";
import { planFor } from "../plan.ts";
import { historyOf, type History } from "../scan/history.ts";
import { hygieneOf, largeFiles, type Hygiene } from "../scan/hygiene.ts";
import type { Manifest } from "../scan/manifest-readers.ts";
import { manifestsOf } from "../scan/manifests.ts";
import { brokenLinks } from "../scan/references.ts";
import { finding } from "../findings.ts";
import { checkpoint, scan, type RoleWork } from "../workbench.ts";

const DAY = 86_400_000;

export const coordinator: RoleWork = async function* (bench) {
  const { part, repository, box } = bench;
  const { manifests } = await manifestsOf(repository);
  const [hygiene, history] = await Promise.all([
    hygieneOf(repository, manifests),
    historyOf(repository, box),
  ]);
  part.findings.push(...hygiene.findings, ...largeFiles(repository), ...releaseFindings(manifests, history));
  yield checkpoint(bench, "project files checked");
  const prose = { ...bench, files: bench.files.filter((file) => file.language?.name === "Markdown") };
  yield* scan(prose, (source) => void part.findings.push(...brokenLinks(repository, source)));
  const { kept, more } = capByRule(part.findings);
  part.findings = kept;
  part.sections = [
    section("Project files", [
      ...table(["what", "where"], presence(hygiene)),
      ...more.map((line) => `- ${line}`),
    ]),
    section("Release", releaseLines(manifests, history, hygiene)),
    section("Runbook", runbook(manifests)),
    section("Next steps", planFor(bench, "operations")),
  ].filter(Boolean);
  const lacking = presence(hygiene)
    .filter(([, where]) => where === "missing")
    .map(([what]) => what);
  part.summary = `${lacking.length === 0 ? "Licence, CI, lock file, readme and changelog are there" : `Missing: ${lacking.join(", ")}`}. Operations has ${findingsLine(kept)}.`;
};

function presence(hygiene: Hygiene): [string, string][] {
  const list = (files: readonly string[]): string =>
    files.length === 0 ? "missing" : files.slice(0, 5).join(", ");
  return [
    ["licence", hygiene.license ?? "missing"],
    ["readme", hygiene.readme ?? "missing"],
    ["changelog", hygiene.changelog ?? "missing"],
    ["CI", list(hygiene.ci)],
    ["lock file", list(hygiene.lockfiles)],
    ["security policy", hygiene.security ?? "missing"],
    ["containers", hygiene.containers.length === 0 ? "none" : hygiene.containers.slice(0, 5).join(", ")],
  ];
}

function releaseFindings(manifests: readonly Manifest[], history: History | undefined) {
  const root = manifests.find((m) => !m.file.includes("/"));
  if (history === undefined || root?.version === undefined || root.private) return [];
  if (history.tags.length > 0 && !history.tags.some((tag) => tag.endsWith(root.version ?? "\0"))) {
    return [
      finding(
        "operations.untagged",
        { file: root.file },
        {
          title: `Version ${root.version} has no tag; the latest is ${history.tags[0]}`,
          severity: "low",
          detail: "Which commit a version is cannot be told.",
          recommendation: `Tag the release commit v${root.version}, or raise the version with the release.`,
        },
      ),
    ];
  }
  return [];
}

function releaseLines(
  manifests: readonly Manifest[],
  history: History | undefined,
  hygiene: Hygiene,
): string[] {
  const root = manifests.find((m) => !m.file.includes("/"));
  const versions = new Set(manifests.flatMap((m) => m.version ?? []));
  return [
    `- Version in the manifest: ${root?.version ?? "none"}${versions.size > 1 ? `; ${versions.size} different versions over ${manifests.length} manifests` : ""}`,
    `- Tags: ${history === undefined || history.tags.length === 0 ? "none" : history.tags.slice(0, 3).join(", ")}`,
    ...(history === undefined
      ? []
      : [
          `- Commits in the 90 days to ${new Date(history.last).toISOString().slice(0, 10)}: ${history.recent}, over ${Math.max(1, Math.round((history.last - history.first) / DAY))} days of history read`,
        ]),
    `- Changes for users are written down in: ${hygiene.changelog ?? "nothing"}`,
  ];
}

const STEPS: Readonly<Record<Manifest["ecosystem"], readonly string[]>> = {
  npm: [],
  python: ["install: `python3 -m pip install .`", "test: `python3 -m pytest`"],
  go: ["build: `go build ./...`", "test: `go test ./...`"],
  rust: ["build: `cargo build --release`", "test: `cargo test`"],
  maven: ["build and test: the wrapper, `mvn verify` or `gradle build`"],
  ruby: ["install: `bundle install`"],
  php: ["install: `composer install`"],
};

/** How the project is installed, checked, started, by its own manifests. */
function runbook(manifests: readonly Manifest[]): string[] {
  const roots = manifests.filter((m) => !m.file.includes("/"));
  const lines = roots.flatMap((m) => {
    if (m.ecosystem !== "npm") return STEPS[m.ecosystem];
    const wanted = ["build", "start", "dev", "check", "test", "lint", "typecheck", "release", "deploy"];
    return [
      "install: `npm ci`",
      ...wanted
        .filter((name) => m.scripts[name] !== undefined)
        .map((name) => `${name}: \`npm run ${name}\` → \`${(m.scripts[name] ?? "").slice(0, 120)}\``),
    ];
  });
  return [...new Set(lines)].map((line) => `- ${line}`);
}
