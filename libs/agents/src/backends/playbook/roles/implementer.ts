// Owns the engineering part: where the code is hot, what is unfinished in it, whether it type-checks, and, for a pull request,
// commits on a branch of the run's own.
import { finding } from "../findings.ts";
import { mayNotWrite } from "../blockers.ts";
import { capByRule, findingsLine, section, table } from "../part.ts";
import { planFor } from "../plan.ts";
import { proposeChanges } from "../propose.ts";
import { applyRules } from "../rules/rule.ts";
import { CODE_RULES } from "../rules/robustness.ts";
import { notesIn } from "../scan/comments.ts";
import { longFunctions } from "../scan/functions.ts";
import { historyOf } from "../scan/history.ts";
import { Imports } from "../scan/imports.ts";
import { lineOf } from "../scan/manifest-readers.ts";
import { manifestsOf } from "../scan/manifests.ts";
import { brokenEntries } from "../scan/references.ts";
import { readText } from "../scan/source.ts";
import { checkpoint, scan, type RoleWork, type Workbench } from "../workbench.ts";
import { runChecks } from "./run-checks.ts";

/** A file that is hard to hold in one's head. */
const LONG = 600;

export const implementer: RoleWork = async function* (bench) {
  const { part, repository, box } = bench;
  const [{ manifests }, history] = await Promise.all([manifestsOf(repository), historyOf(repository, box)]);
  part.findings.push(
    ...manifests.flatMap((manifest) => brokenEntries(repository, manifest)),
    ...(await strictness(bench)),
  );
  yield checkpoint(bench, "manifests and history read");

  const sizes = new Map<string, number>();
  const imports = new Imports();
  let notes = 0;
  yield* scan(bench, (source) => {
    if (source.language.code && !source.test) sizes.set(source.path, source.lines.length);
    const noted = notesIn(source);
    notes += noted.length;
    imports.add(source);
    part.findings.push(...noted, ...applyRules(CODE_RULES, source), ...longFunctions(source));
  });
  part.findings.push(...imports.undeclared(manifests));
  // Whether nothing imports a package is known only once everything was read.
  if (bench.coverage.unread === 0) part.findings.push(...imports.unused(manifests));
  for (const [file, lines] of sizes) {
    if (lines > LONG)
      part.findings.push(
        finding(
          "code.long-file",
          { file },
          {
            title: `${lines} lines in one file`,
            severity: "low",
            detail: "Long files hold several concerns, and changes to them collide.",
            recommendation: "Split it by concern.",
          },
        ),
      );
  }
  yield checkpoint(bench, `${bench.coverage.read} files read`);

  const checks = yield* runChecks(bench, manifests, ["typecheck", "lint"]);
  const { kept, more } = capByRule(part.findings);
  part.findings = kept;
  const hot = (history?.hot ?? []).filter(({ path }) => sizes.has(path)).slice(0, 8);
  part.sections = [
    section(
      "Hot spots",
      table(
        ["file", "commits", "lines"],
        hot.map(({ path, changes }) => [`\`${path}\``, changes, sizes.get(path) ?? 0]),
      ),
    ),
    section("Unfinished work", [
      `${notes} notes of the authors in comments (TODO, FIXME, HACK).`,
      ...more.map((line) => `- ${line}`),
    ]),
    checks,
    section(
      "Implementation notes",
      planFor(bench, "engineering", { manifests, hot: hot.map(({ path }) => path) }),
    ),
  ].filter(Boolean);
  part.summary = `${sizes.size} source files read, ${notes} notes in comments. Engineering has ${findingsLine(part.findings)}.`;
  if (bench.input.deliveryFormat !== "github_pr") return;
  if (mayNotWrite(bench.input)) {
    part.openItems.push(
      "No branch was written, as the settled constraint asks: the plan in this report is the proposal.",
    );
    return;
  }
  yield* proposeChanges(bench);
};

async function strictness(bench: Workbench) {
  const configs = bench.repository.files.filter((file) => /^(?:tsconfig(?:\.base)?\.json)$/.test(file.path));
  const texts = await Promise.all(
    configs.map(async ({ path }) => ({ path, text: (await readText(bench.repository, path)) ?? "" })),
  );
  const [first] = texts;
  if (
    first === undefined ||
    texts.some(({ text }) => /"strict"\s*:\s*true/.test(text) || /"extends"\s*:\s*"(?!\.)/.test(text))
  )
    return [];
  return [
    finding(
      "code.not-strict",
      { file: first.path, line: lineOf(first.text, "compilerOptions") },
      {
        title: "TypeScript is not strict",
        severity: "medium",
        detail: "Null and implicit any pass unchecked.",
        recommendation: 'Set "strict": true, folder by folder if need be.',
      },
    ),
  ];
}
