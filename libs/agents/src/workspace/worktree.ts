// Owns a run's git checkpoints (seed: firm-orchestration, Phase 6): commits after each sub-task on `firm/<run>`, in a worktree
// of the firm's own. W1: the user's working tree, index and branches are never touched; work starts from HEAD, so what is not
// committed there is not part of it. W2: the default branch is refused. W3: a commit exists once per sub-task, whatever is redone.
import { FirmError, TerminalError, type Commit, type Role } from "@firm/protocol";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { defaultBranchOf, git, gitStateOf, tryGit } from "./git.ts";
import { lock, type Release } from "./lock.ts";

export interface WorktreeRequest {
  readonly workspace: string;
  /** The firm's own directory, absolute. */
  readonly stateDir: string;
  readonly run: string;
  readonly role: Role;
  readonly signal: AbortSignal;
  /** Default `firm/<run>`. */
  readonly branch?: string;
}

/** A sub-task's files and words. */
export interface SubTask {
  /** Subject line of the commit, at most 72 characters kept. */
  readonly subject: string;
  readonly body?: string;
  /** Content by path relative to the repository's root. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Worktree {
  readonly path: string;
  readonly branch: string;
  /** Branch that the work is meant for. */
  readonly base: string;
  /** Commit that the work started from. */
  readonly baseCommit: string;
  /** Where the user's tree had changes that are not part of the work. */
  readonly dirty: boolean;
  readonly root: string;
  /** Writes the files and commits them. @returns undefined where they hold nothing new and no earlier commit made them. */
  commit(task: SubTask): Promise<Commit | undefined>;
  /** Removes the worktree; the branch stays. */
  close(): Promise<void>;
}

/**
 * Opens the run's worktree, or takes up the one that a killed attempt left.
 * @throws FirmError `invalid-input` where the workspace cannot carry a branch: no repository, bare, without commits.
 * @throws TerminalError `invalid-input` for the default branch.
 */
export async function openWorktree(request: WorktreeRequest): Promise<Worktree> {
  const state = await gitStateOf(request.workspace, request.signal);
  if (state.kind !== "ready")
    throw new FirmError("invalid-input", `the workspace cannot carry a branch: ${whyNot(state)}`, {
      field: "workspace",
    });
  const branch = request.branch ?? `firm/${request.run}`;
  const base = (await defaultBranchOf(state.root)) ?? "HEAD";
  if (branch === base || branch === state.branch || ["main", "master"].includes(branch)) {
    throw new TerminalError(
      "invalid-input",
      `commits to "${branch}" are refused: the firm works on firm/<run> only`,
      { field: "branch" },
    );
  }
  const path = join(request.stateDir, "worktrees", request.run);
  const release = await lock(`${path}.lock`, request.signal);
  try {
    await hideFromGit(request.stateDir);
    await addWorktree(state.root, path, branch);
    const baseCommit = (await git(path, ["merge-base", state.head, "HEAD"])).trim();
    const common = {
      path,
      branch,
      base: state.branch ?? base,
      baseCommit,
      dirty: state.dirty,
      root: state.root,
    };
    return {
      ...common,
      commit: (task) => commitTask(path, branch, baseCommit, request, task),
      close: () => closeWorktree(state.root, path, release),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

function whyNot(state: { kind: string; reason?: string }): string {
  if (state.kind === "bare") return "it is a bare repository";
  if (state.kind === "unborn") return "it has no commit yet";
  return state.reason ?? "it is not a git repository";
}

/** The state directory may lie in the user's repository, where it must not show as untracked. */
async function hideFromGit(stateDir: string): Promise<void> {
  await mkdir(stateDir, { recursive: true });
  await writeFile(join(stateDir, ".gitignore"), "*\n", { flag: "wx" }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
}

async function addWorktree(root: string, path: string, branch: string): Promise<void> {
  // Entries of worktrees whose directory a crash or a clean-up removed.
  await git(root, ["worktree", "prune"]);
  const known = await git(root, ["worktree", "list", "--porcelain"]);
  const there = await stat(join(path, ".git")).catch(() => undefined);
  if (there !== undefined && known.includes(`branch refs/heads/${branch}\n`)) {
    // Half-written files of a killed attempt; its commits stay.
    await rm(join(await gitDirOf(path), "index.lock"), { force: true });
    await git(path, ["reset", "--quiet", "--hard", "HEAD"]);
    await git(path, ["clean", "--quiet", "-fd"]);
    return;
  }
  await rm(path, { recursive: true, force: true });
  await mkdir(dirname(path), { recursive: true });
  const exists = await tryGit(root, ["show-ref", "--verify", "--quiet", `refs/heads/${branch}`]);
  const create = exists.exitCode === 0 ? [path, branch] : ["-b", branch, path, "HEAD"];
  await git(root, ["worktree", "add", "--quiet", ...create], { timeoutMs: 60_000 });
}

async function gitDirOf(path: string): Promise<string> {
  return resolve(path, (await git(path, ["rev-parse", "--git-dir"])).trim());
}

async function commitTask(
  path: string,
  branch: string,
  baseCommit: string,
  request: WorktreeRequest,
  task: SubTask,
): Promise<Commit | undefined> {
  const subject = task.subject.replaceAll(/\s+/g, " ").slice(0, 72);
  const earlier = await findCommit(path, baseCommit, subject, request.role);
  if (earlier !== undefined) return { sha: earlier, branch, subject };
  const paths = Object.keys(task.files);
  for (const [name, content] of Object.entries(task.files)) {
    const file = resolve(path, name);
    if (
      isAbsolute(name) ||
      relative(path, file).startsWith("..") ||
      relative(path, file).split("/")[0] === ".git"
    ) {
      throw new FirmError("invalid-input", `"${name}" lies outside the repository`, { field: "files" });
    }
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await git(path, ["add", "--force", "--", ...paths]);
  const staged = await tryGit(path, ["diff", "--cached", "--quiet"]);
  if (staged.exitCode === 0) return undefined;
  const message = [
    subject,
    ...(task.body === undefined ? [] : [task.body.trim()]),
    `Firm-Run: ${request.run}\nFirm-Role: ${request.role}`,
  ];
  await git(path, ["commit", "--quiet", "--no-verify", "-m", message.join("\n\n")]);
  return { sha: (await git(path, ["rev-parse", "HEAD"])).trim(), branch, subject };
}

async function findCommit(
  path: string,
  baseCommit: string,
  subject: string,
  role: Role,
): Promise<string | undefined> {
  const log = await git(path, [
    "log",
    "--format=%H%x00%s%x00%(trailers:key=Firm-Role,valueonly,separator=%x2C)",
    `${baseCommit}..HEAD`,
  ]);
  const lines = log.split("\n").map((line) => line.split("\0"));
  return lines.find(([, s, r]) => s === subject && r === role)?.[0];
}

async function closeWorktree(root: string, path: string, release: Release): Promise<void> {
  try {
    await tryGit(root, ["worktree", "remove", "--force", path]);
    await rm(path, { recursive: true, force: true });
    await git(root, ["worktree", "prune"]);
  } finally {
    await release();
  }
}
