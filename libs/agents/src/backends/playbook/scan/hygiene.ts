// Owns what a project needs around its code to be operated: licence, CI, lock file, readme, changelog, containers.
import type { Finding } from "@firm/protocol";
import { finding } from "../findings.ts";
import type { Repository } from "./files.ts";
import type { Manifest } from "./manifest-readers.ts";
import { containerFindings, workflowFindings } from "./pipelines.ts";

export interface Hygiene {
  readonly license: string | undefined;
  readonly readme: string | undefined;
  readonly changelog: string | undefined;
  readonly security: string | undefined;
  /** Files that configure a CI. */
  readonly ci: readonly string[];
  readonly lockfiles: readonly string[];
  readonly containers: readonly string[];
  readonly findings: readonly Finding[];
}

const CI =
  /^(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci\/config\.yml|Jenkinsfile|azure-pipelines\.yml|\.travis\.yml|\.drone\.yml|bitbucket-pipelines\.yml|\.buildkite\/.+|\.woodpecker(?:\.yml|\/.+)|\.ci\/.+|\.forgejo\/workflows\/.+|\.gitea\/workflows\/.+)$/;
const LOCKS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$/,
  rust: /^Cargo\.lock$/,
  go: /^go\.sum$/,
  python: /^(?:poetry\.lock|uv\.lock|Pipfile\.lock|pdm\.lock)$/,
  ruby: /^Gemfile\.lock$/,
  php: /^composer\.lock$/,
};
const COMMITTED =
  /(?:^|\/)(?:\.env(?:\.(?:local|production|prod))?|id_rsa|id_ed25519|[^/]+\.(?:p12|pfx|keystore|jks))$/;
const LARGE = 1_048_576;

export async function hygieneOf(repository: Repository, manifests: readonly Manifest[]): Promise<Hygiene> {
  const top = (pattern: RegExp): string | undefined =>
    repository.files.find((file) => pattern.test(file.path))?.path;
  const all = (pattern: RegExp): string[] =>
    repository.files.map((file) => file.path).filter((path) => pattern.test(path));
  const license = top(/^(?:licen[cs]e|copying|unlicense)(?:[.-][^/]*)?$/i);
  const readme = top(/^readme(?:\.[^/]*)?$/i);
  const changelog = top(/^(?:changelog|changes|history|news)(?:\.[^/]*)?$/i);
  const security = top(/^(?:\.github\/|docs\/)?security\.md$/i);
  const ci = all(CI);
  const lockfiles = all(/^[^/]+$/).filter((path) =>
    Object.values(LOCKS).some((pattern) => pattern.test(path)),
  );
  const containers = all(/(?:^|\/)(?:Dockerfile|Containerfile)(?:\.[^/]+)?$|\.dockerfile$/i);
  const findings = [
    ...missing(repository, manifests, { license, readme, changelog, security, ci, lockfiles }),
    ...(await containerFindings(repository, containers)),
    ...(await workflowFindings(repository, ci)),
  ];
  return { license, readme, changelog, security, ci, lockfiles, containers, findings };
}

/** Keys and environment files in the repository, by name: for quality, which owns secrets. */
export function committedSecrets(repository: Repository): Finding[] {
  return repository.files
    .filter(
      (file) =>
        COMMITTED.test(file.path) && !/(?:^|\/)(?:tests?|fixtures?|testdata|examples?)\//.test(file.path),
    )
    .map((file) =>
      finding(
        "security.key-file",
        { file: file.path },
        {
          title: "A file that usually holds secrets is in the workspace and not ignored",
          severity: "high",
          detail: "Its name is that of a private key or of an environment file.",
          recommendation:
            "Add it to .gitignore, remove it from the index and history, and revoke what it held.",
        },
      ),
    );
}

/** Files that make every clone heavy. */
export function largeFiles(repository: Repository): Finding[] {
  return repository.files
    .filter((file) => file.size > LARGE)
    .toSorted((a, b) => b.size - a.size)
    .slice(0, 20)
    .map((file) =>
      finding(
        "operations.large-file",
        { file: file.path },
        {
          title: `Large file: ${(file.size / 1_048_576).toFixed(1)} MiB`,
          severity: file.size > 10 * LARGE ? "medium" : "low",
          detail: "Every clone and every CI run carries it, also after it is deleted.",
          recommendation: "Keep it in an artefact store or Git LFS, or build it.",
        },
      ),
    );
}

type Found = Pick<Hygiene, "license" | "readme" | "changelog" | "security" | "ci" | "lockfiles">;

function missing(repository: Repository, manifests: readonly Manifest[], found: Found): Finding[] {
  const list: Finding[] = [];
  const add = (
    rule: string,
    title: string,
    severity: Finding["severity"],
    detail: string,
    recommendation: string,
    file?: string,
  ): void => {
    list.push(finding(rule, { file }, { title, severity, detail, recommendation }));
  };
  const root = manifests.find((m) => !m.file.includes("/"));
  if (found.license === undefined) {
    const named =
      root?.license === undefined
        ? ""
        : ` The manifest says "${root.license}", which alone grants nothing a reader can hold.`;
    add(
      "operations.no-license",
      "There is no licence file",
      root?.private === true ? "low" : "medium",
      `Without one nobody may use the code.${named}`,
      "Add a LICENSE file with the text of the licence that was chosen.",
    );
  } else if (root?.ecosystem === "npm" && root.license === undefined) {
    add(
      "operations.license-unnamed",
      "The manifest names no licence",
      "low",
      "Tools that check licences read the manifest.",
      `Add "license" with the SPDX name of ${found.license}.`,
      root.file,
    );
  }
  if (found.readme === undefined)
    add(
      "operations.no-readme",
      "There is no README",
      "medium",
      "A newcomer cannot tell what this is or how it is started.",
      "Add a README with purpose, one line to install and one to run.",
    );
  if (found.ci.length === 0)
    add(
      "operations.no-ci",
      "No CI is configured",
      "medium",
      "Whether a change passes the checks depends on memory.",
      `Run ${checksLine(root)} on every change.`,
    );
  if (found.changelog === undefined)
    add(
      "operations.no-changelog",
      "There is no changelog",
      root?.private === true ? "info" : "low",
      "Users cannot tell what an update changes.",
      "Keep a CHANGELOG.md, or generate one from releases.",
    );
  if (found.security === undefined && root?.private !== true)
    add(
      "operations.no-security-policy",
      "There is no security policy",
      "low",
      "Finders of a vulnerability do not know whom to tell in private.",
      "Add a SECURITY.md with a contact and the supported versions.",
    );
  for (const [ecosystem, pattern] of Object.entries(LOCKS)) {
    const own = manifests.filter(
      (m) => m.ecosystem === ecosystem && !m.file.includes("/") && m.dependencies.length > 0,
    );
    const [manifest] = own;
    if (manifest === undefined || found.lockfiles.some((path) => pattern.test(path))) continue;
    if (ecosystem === "python" && manifest.file.includes("requirements")) continue;
    add(
      `operations.no-lockfile.${ecosystem}`,
      `No lock file for ${ecosystem}`,
      "medium",
      "Two installs may differ, and a failure cannot be reproduced.",
      "Commit the lock file that the package manager writes.",
      manifest.file,
    );
  }
  const ignoring = repository.has(".gitignore");
  if (repository.git.kind === "ready" && !ignoring)
    add(
      "operations.no-gitignore",
      "There is no .gitignore",
      "low",
      "Build results and local settings get committed by accident.",
      "Add one for the languages in use.",
    );
  return list;
}

function checksLine(root: Manifest | undefined): string {
  const names = Object.keys(root?.scripts ?? {}).filter((name) =>
    /^(?:check|test|lint|typecheck|build)$/.test(name),
  );
  return names.length === 0 ? "the tests" : names.map((name) => `npm run ${name}`).join(", ");
}
