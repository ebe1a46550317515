// Owns what engineering writes for a pull request: plan, findings and small mechanical additions, one commit each, on the run's
// own branch (seed: firm-orchestration, Phase 6).
import { FirmError, slugOf, type Commit } from "@firm/protocol";
import type { AgentEvent } from "../../types.ts";
import { preparePullRequest } from "../../workspace/pull-request.ts";
import { openWorktree, type SubTask } from "../../workspace/worktree.ts";
import { dedupeFindings, placeOf } from "./findings.ts";
import { findingsLine, OFFLINE_NOTE } from "./part.ts";
import { checkpoint, type Workbench } from "./workbench.ts";

/** Commits the sub-tasks and prepares the draft; where the workspace carries no branch, says so as an open item. */
export async function* proposeChanges(
  bench: Workbench,
): AsyncGenerator<AgentEvent, void, string | undefined> {
  const { input, options, part, repository } = bench;
  if (repository.git.kind !== "ready") {
    part.openItems.push(
      "No pull request: the workspace is not a git repository with a commit. The plan in this report stands in for it.",
    );
    return;
  }
  const tree = await openWorktree({
    workspace: input.workspace ?? repository.root,
    stateDir: options.stateDir,
    run: input.run,
    role: input.role,
    signal: input.signal,
  });
  try {
    const commits: Commit[] = [];
    for (const task of subTasks(bench)) {
      if (input.signal.aborted) return;
      const commit = await tree.commit(task);
      if (commit === undefined) continue;
      commits.push(commit);
      part.commits = commits;
      yield checkpoint(bench, `committed ${commit.sha.slice(0, 8)} ${commit.subject}`);
    }
    if (tree.dirty)
      part.assumptions.push(
        "The workspace has uncommitted changes; the branch starts from HEAD and does not hold them.",
      );
    const { pullRequest, note } = await preparePullRequest({
      worktree: tree,
      stateDir: options.stateDir,
      run: input.run,
      title: titleOf(input.contract.objective),
      body: [
        part.summary,
        ...part.sections,
        `Commits:\n\n${commits.map((c) => `- ${c.sha.slice(0, 8)} ${c.subject}`).join("\n")}`,
        OFFLINE_NOTE,
      ].join("\n\n"),
      signal: input.signal,
      publish: true,
      env: {
        GH_TOKEN: options.env["GH_TOKEN"],
        GITHUB_TOKEN: options.env["GITHUB_TOKEN"],
        GH_HOST: options.env["GH_HOST"],
      },
    });
    part.pullRequest = pullRequest;
    part.decisions.push(
      `${commits.length} commits on ${tree.branch}, from ${tree.baseCommit.slice(0, 8)} of ${tree.base}. ${note}.`,
    );
    if (pullRequest.url === undefined)
      part.openItems.push(`Open the draft pull request from ${tree.branch}: ${note}`);
  } catch (error) {
    if (!(error instanceof FirmError) || input.signal.aborted) throw error;
    part.openItems.push(`The branch is not complete: ${error.message}`);
  } finally {
    await tree.close();
  }
}

function titleOf(objective: string): string {
  return (objective.split("\n")[0] ?? "").trim().slice(0, 72);
}

function subTasks(bench: Workbench): SubTask[] {
  const { input, part, repository } = bench;
  const folder = `docs/firm/${slugOf(input.contract.objective)}`;
  const title = titleOf(input.contract.objective);
  const findings = dedupeFindings(part.findings);
  const rows = findings.map(
    (f) =>
      `- **${f.severity}** ${f.title}${placeOf(f) === "" ? "" : ` (\`${placeOf(f)}\`)`}${f.recommendation === undefined ? "" : `\n  ${f.recommendation}`}`,
  );
  const plan: SubTask = {
    subject: `Plan: ${title}`,
    body: "The plan that follows from the objective and the repository as it is.",
    files: {
      [`${folder}/plan.md`]: `# ${title}\n\n${part.summary}\n\n${part.sections.join("\n\n")}\n\n${OFFLINE_NOTE}\n`,
    },
  };
  const found: SubTask = {
    subject: `Findings: ${title}`,
    body: `${findingsLine(findings)}.`,
    files: {
      [`${folder}/findings.md`]: `# Findings: ${title}\n\n${rows.join("\n") || "None."}\n\n${OFFLINE_NOTE}\n`,
    },
  };
  return [plan, found, ...additions(repository.has)];
}

/** What any project may have, changes no behaviour, and needs no judgement. */
function additions(has: (path: string) => boolean): SubTask[] {
  if (has(".editorconfig")) return [];
  const text =
    "root = true\n\n[*]\ncharset = utf-8\nend_of_line = lf\ninsert_final_newline = true\ntrim_trailing_whitespace = true\n\n[*.md]\ntrim_trailing_whitespace = false\n";
  return [{ subject: "Add an .editorconfig, so that editors agree", files: { ".editorconfig": text } }];
}
