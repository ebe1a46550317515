// Owns how a role runs the workspace's checks: allowed or not, one after another, each told to those who watch.
import type { AgentEvent } from "../../../types.ts";
import { mayNotWrite } from "../blockers.ts";
import { section } from "../part.ts";
import { checkFinding, checksOf, runCheck, type CheckKind } from "../scan/checks.ts";
import type { Manifest } from "../scan/manifest-readers.ts";
import { checkpoint, type Workbench } from "../workbench.ts";

/** Runs what is there of the kinds and gives a section about it. */
export async function* runChecks(
  bench: Workbench,
  manifests: readonly Manifest[],
  kinds: readonly CheckKind[],
): AsyncGenerator<AgentEvent, string, string | undefined> {
  const { part, input, box } = bench;
  const checks = checksOf(bench.repository, manifests, kinds);
  if (checks.length === 0) return section("Checks", [`The project offers no ${kinds.join(" or ")}.`]);
  const names = checks.map(({ command }) => `\`${command.join(" ")}\``).join(", ");
  if (!input.allowRun)
    return section("Checks", [
      `Not run, as running was not allowed: ${names}. Allow it with \`--allow-run\`.`,
    ]);
  if (mayNotWrite(input)) {
    part.assumptions.push(
      `Checks may write caches, so the read-only constraint outweighs the permission to run: ${names} were not run.`,
    );
    return section("Checks", [`Not run because of the read-only constraint: ${names}.`]);
  }
  const lines: string[] = [];
  for (const check of checks) {
    if (input.signal.aborted) break;
    yield { type: "text", text: `running ${check.command.join(" ")}` };
    const result = await runCheck(bench.repository, check, box);
    part.findings.push(...checkFinding(bench.repository, result));
    const [first = ""] = result.message.split("\n");
    lines.push(
      `- ${result.status}: \`${result.name}\`, ${(result.durationMs / 1_000).toFixed(1)} s, ${first}`,
    );
    if (result.status === "skip") part.openItems.push(`\`${result.name}\` gave no verdict: ${first}`);
    yield checkpoint(bench, `${check.command.join(" ")}: ${result.status}`);
  }
  return section("Checks", lines);
}
