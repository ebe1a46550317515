// Owns an employee's work on a workspace: list it, let the role's playbook look, say what was not looked at.
import { FirmError, nameOf } from "@firm/protocol";
import { stat } from "node:fs/promises";
import type { AgentOptions } from "../../registry.ts";
import type { AgentEvent, AgentInput } from "../../types.ts";
import { emptyPart, toResult, type Part } from "./part.ts";
import { listRepository } from "./scan/files.ts";
import { timeboxOf } from "./timebox.ts";
import { benchOf, checkpoint, limitsOf, type RoleWork } from "./workbench.ts";

/** Employees of the default chart; any other works by its expertise. */
const WORK: Readonly<Record<string, () => Promise<RoleWork>>> = {
  analyst: async () => (await import("./roles/analyst.ts")).analyst,
  implementer: async () => (await import("./roles/implementer.ts")).implementer,
  auditor: async () => (await import("./roles/auditor.ts")).auditor,
  coordinator: async () => (await import("./roles/coordinator.ts")).coordinator,
};
const anyWork = async (): Promise<RoleWork> => (await import("./roles/generic.ts")).generic;

/** Looks at the workspace in the role's way. */
export async function* onWorkspace(
  options: AgentOptions,
  input: AgentInput,
  workspace: string,
): AsyncGenerator<AgentEvent, void, string | undefined> {
  const there = await stat(workspace).catch(() => undefined);
  if (there?.isDirectory() !== true) {
    throw new FirmError(
      "agent-failed",
      `the workspace ${workspace} is not a directory that this worker can read`,
      { field: "workspace" },
    );
  }
  const box = timeboxOf(input.deadline, input.signal);
  const repository = await listRepository(workspace, box);
  const bench = benchOf(input, options, box, repository, emptyPart());
  const work = await (WORK[nameOf(input.role)] ?? anyWork)();
  yield checkpoint(bench, `${repository.files.length} files in the workspace`);
  yield* work(bench);
  if (input.signal.aborted) return;
  const limits = limitsOf(bench);
  bench.part.openItems.push(...limits);
  narrow(bench.part, bench.focus);
  yield { type: "result", result: toResult(input, bench.part, limits.length === 0 ? "ok" : "partial") };
}

/** Where the objective names files, what is small and elsewhere steps back. */
function narrow(part: Part, focus: ReadonlySet<string>): void {
  if (focus.size === 0) return;
  const kept = part.findings.filter(
    (f) => f.file === undefined || focus.has(f.file) || !["low", "info"].includes(f.severity),
  );
  const left = part.findings.length - kept.length;
  part.findings = kept;
  if (left > 0)
    part.assumptions.push(
      `${left} findings of low severity lie outside the files that the objective names and are left out.`,
    );
}
