// Owns the draft pull request (seed: firm-orchestration, Phase 6: draft, labelled needs-review, never straight to main): by the
// `gh` program where it and a remote exist, otherwise as a patch and a body in files.
import { FirmError, TerminalError, type PullRequest } from "@firm/protocol";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProcess, type RunResult } from "../process/run.ts";
import { git, tryGit } from "./git.ts";
import type { Worktree } from "./worktree.ts";

/** The label that every pull request of the firm carries. */
export const REVIEW_LABEL = "needs-review";

/**
 * Refuses a pull request that is no draft, lacks the label, or would merge the base into itself.
 * @throws TerminalError `invalid-input` naming the field.
 */
export function checkPullRequest(request: PullRequest): void {
  if (!request.draft)
    throw new TerminalError("invalid-input", "a pull request of the firm must be a draft", {
      field: "draft",
    });
  if (!request.labels.includes(REVIEW_LABEL)) {
    throw new TerminalError("invalid-input", `a pull request of the firm must be labelled ${REVIEW_LABEL}`, {
      field: "labels",
    });
  }
  if (request.branch === request.base) {
    throw new TerminalError(
      "invalid-input",
      `a pull request needs a branch of its own, not "${request.base}"`,
      { field: "branch" },
    );
  }
}

export interface PullRequestInput {
  readonly worktree: Worktree;
  readonly stateDir: string;
  readonly run: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  readonly signal: AbortSignal;
  /** Whether the branch may leave this machine; false writes files only. */
  readonly publish: boolean;
  /** Variables for `gh`, e.g. GH_TOKEN. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What was prepared, and how, in one line. */
export interface PreparedPullRequest {
  readonly pullRequest: PullRequest;
  readonly note: string;
}

/**
 * Prepares the draft; falls back to files where the forge cannot be reached, and says why.
 * @throws FirmError `agent-failed` where the branch holds no commit of its own.
 */
export async function preparePullRequest(input: PullRequestInput): Promise<PreparedPullRequest> {
  const { worktree } = input;
  const range = `${worktree.baseCommit}..${worktree.branch}`;
  const patch = await git(worktree.path, ["format-patch", "--stdout", range], {
    signal: input.signal,
    maxOutputBytes: 67_108_864,
  });
  if (patch.trim() === "")
    throw new FirmError(
      "agent-failed",
      `${worktree.branch} holds no commit of its own: there is nothing to propose`,
    );
  const folder = join(input.stateDir, "runs", input.run);
  await mkdir(folder, { recursive: true });
  const files = [join(folder, "pull-request.patch"), join(folder, "pull-request.md")];
  await writeFile(files[0] ?? "", patch);
  await writeFile(files[1] ?? "", `# ${input.title}\n\n${input.body}\n`);
  const draft: PullRequest = {
    title: input.title,
    body: input.body,
    branch: worktree.branch,
    base: worktree.base,
    draft: true,
    labels: [REVIEW_LABEL],
    files,
  };
  checkPullRequest(draft);
  if (!input.publish)
    return {
      pullRequest: draft,
      note: `Draft left as branch ${draft.branch}, patch and body: ${files.join(", ")}`,
    };
  const sent = await openOnForge(draft, files[1] ?? "", input);
  if ("url" in sent)
    return { pullRequest: { ...draft, url: sent.url }, note: `Draft pull request opened: ${sent.url}` };
  return {
    pullRequest: draft,
    note: `${sent.why}; the draft is left as branch ${draft.branch}, patch and body: ${files.join(", ")}`,
  };
}

async function openOnForge(
  draft: PullRequest,
  bodyFile: string,
  input: PullRequestInput,
): Promise<{ url: string } | { why: string }> {
  const { path } = input.worktree;
  const remotes = (await git(path, ["remote"])).split("\n").filter(Boolean);
  const remote = remotes.includes("origin") ? "origin" : remotes[0];
  if (remote === undefined) return { why: "The repository has no remote" };
  const gh = await tryGh(["auth", "status"], input);
  if (gh === undefined) return { why: "The gh program is not installed" };
  if (gh.exitCode !== 0) return { why: "The gh program is not logged in" };
  const push = await tryGit(
    path,
    ["push", "--quiet", remote, `refs/heads/${draft.branch}:refs/heads/${draft.branch}`],
    {
      signal: input.signal,
      timeoutMs: 60_000,
    },
  );
  if (push.exitCode !== 0) return { why: `The branch could not be pushed to ${remote} (${firstLine(push)})` };
  const labels = draft.labels.flatMap((label) => ["--label", label]);
  const head = ["--head", draft.branch, "--base", draft.base];
  const created = await tryGh(
    ["pr", "create", "--draft", ...labels, "--title", draft.title, "--body-file", bodyFile, ...head],
    input,
  );
  // An earlier attempt at the same run may have opened it.
  const there = created !== undefined && (created.exitCode === 0 || /already exists/.test(created.stderr));
  const url = /https?:\/\/\S+/.exec(`${created?.stdout ?? ""}\n${created?.stderr ?? ""}`)?.[0];
  if (there && url !== undefined) return { url };
  return {
    why: `gh could not open the pull request (${created === undefined ? "not installed" : firstLine(created)})`,
  };
}

/** Undefined where the program is not there. */
async function tryGh(args: readonly string[], input: PullRequestInput): Promise<RunResult | undefined> {
  try {
    const env = { GH_PROMPT_DISABLED: "1", NO_COLOR: "1", ...input.env };
    return await runProcess("gh", args, {
      cwd: input.worktree.path,
      env,
      timeoutMs: 60_000,
      signal: input.signal,
    });
  } catch (error) {
    if (error instanceof FirmError && error.code === "agent-failed") return undefined;
    throw error;
  }
}

function firstLine(result: RunResult): string {
  return result.stderr.trim().split("\n")[0] ?? result.ended;
}
