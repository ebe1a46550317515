// Owns how git is called: never through hooks, pagers, prompts or a file system monitor of the repository at hand, and with an
// identity of its own where a commit is made.
import { FirmError } from "@firm/protocol";
import { runProcess, type RunResult } from "../process/run.ts";

/** Options that keep a repository's own configuration from running programs or asking questions. */
const SAFE = [
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.quotePath=false",
  "-c",
  "commit.gpgSign=false",
];

const AUTHOR = { name: "Firm", email: "firm@localhost" };

const ENV = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_EDITOR: "true",
  // Set so that a commit needs no user.name of the machine, and is told from a person's.
  GIT_AUTHOR_NAME: AUTHOR.name,
  GIT_AUTHOR_EMAIL: AUTHOR.email,
  GIT_COMMITTER_NAME: AUTHOR.name,
  GIT_COMMITTER_EMAIL: AUTHOR.email,
  LC_ALL: "C.UTF-8",
};

export interface GitOptions {
  readonly signal?: AbortSignal;
  /** ms; default 10 000. */
  readonly timeoutMs?: number;
  /** Bytes of output kept; default 4 MiB. */
  readonly maxOutputBytes?: number;
}

/** Runs git; a non-zero exit is a result. */
export function tryGit(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<RunResult> {
  return runProcess("git", [...SAFE, ...args], {
    cwd,
    env: ENV,
    timeoutMs: options.timeoutMs ?? 10_000,
    maxOutputBytes: options.maxOutputBytes ?? 4_194_304,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    guarded: false,
  });
}

/**
 * Runs git and gives its output.
 * @throws FirmError `agent-failed` with git's own words.
 */
export async function git(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const result = await tryGit(cwd, args, options);
  if (result.exitCode === 0) return result.stdout;
  const said = result.stderr.trim().split("\n").slice(0, 3).join(" ") || `it ended by ${result.ended}`;
  throw new FirmError("agent-failed", `git ${args[0] ?? ""} failed: ${said}`);
}

/** What kind of place a directory is for git. */
export type GitState =
  | { readonly kind: "none"; readonly reason: string }
  | { readonly kind: "bare" }
  /** A repository without a commit. */
  | { readonly kind: "unborn"; readonly root: string }
  | {
      readonly kind: "ready";
      readonly root: string;
      readonly head: string;
      /** Undefined where HEAD is detached. */
      readonly branch: string | undefined;
      readonly dirty: boolean;
    };

/** Looks at a directory; never throws for what it is. */
export async function gitStateOf(directory: string, signal?: AbortSignal): Promise<GitState> {
  const options = signal === undefined ? {} : { signal };
  let probe: RunResult;
  try {
    probe = await tryGit(directory, ["rev-parse", "--is-bare-repository", "--is-inside-work-tree"], options);
  } catch (error) {
    if (!(error instanceof FirmError)) throw error;
    return { kind: "none", reason: "the git program was not found" };
  }
  if (probe.exitCode !== 0) {
    const unsafe = /dubious ownership/.test(probe.stderr);
    return {
      kind: "none",
      reason: unsafe ? "git refuses it: it belongs to another user" : "it is not a git repository",
    };
  }
  const [bare, inside] = probe.stdout.trim().split("\n");
  if (bare === "true" || inside !== "true") return { kind: "bare" };
  const root = (await git(directory, ["rev-parse", "--show-toplevel"], options)).trim();
  const head = await tryGit(root, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], options);
  if (head.exitCode !== 0) return { kind: "unborn", root };
  const branch = await tryGit(root, ["symbolic-ref", "--quiet", "--short", "HEAD"], options);
  const status = await git(root, ["status", "--porcelain", "--untracked-files=normal"], options);
  return {
    kind: "ready",
    root,
    head: head.stdout.trim(),
    branch: branch.exitCode === 0 ? branch.stdout.trim() : undefined,
    dirty: status.trim() !== "",
  };
}

/** The repository's default branch: the remote's HEAD, else main or master where there is one, else the current branch. */
export async function defaultBranchOf(root: string): Promise<string | undefined> {
  const remote = await tryGit(root, ["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]);
  if (remote.exitCode === 0) return remote.stdout.trim().replace(/^origin\//, "");
  for (const name of ["main", "master"]) {
    const found = await tryGit(root, ["show-ref", "--verify", "--quiet", `refs/heads/${name}`]);
    if (found.exitCode === 0) return name;
  }
  const current = await tryGit(root, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return current.exitCode === 0 ? current.stdout.trim() : undefined;
}
