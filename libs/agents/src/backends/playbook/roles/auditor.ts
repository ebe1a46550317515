// Owns the quality part: secrets, dangerous patterns with their scores, tests and what they leave out.
import { countBySeverity, finding, placeOf } from "../findings.ts";
import { capByRule, findingsLine, section, table } from "../part.ts";
import { planFor } from "../plan.ts";
import { TEST_RULES } from "../rules/robustness.ts";
import { applyRules } from "../rules/rule.ts";
import { SECURITY_RULES } from "../rules/security.ts";
import { committedSecrets } from "../scan/hygiene.ts";
import { historyOf } from "../scan/history.ts";
import { manifestsOf } from "../scan/manifests.ts";
import { secretScanner } from "../scan/secrets.ts";
import { countTests, frameworksOf, untested, type TestFacts } from "../scan/tests.ts";
import { checkpoint, scan, type RoleWork, type Workbench } from "../workbench.ts";
import { runChecks } from "./run-checks.ts";

/** Smaller files are rarely worth a finding of their own. */
const WORTH_A_TEST = 3_000;
const MOST_UNTESTED = 5;

/** Where a file's own behaviour begins, below its head and imports. */
const DECLARES =
  /^(?:export\s+(?!type|interface|\*|\{)|(?:async\s+)?(?:function|def|class)\s|func\s|pub\s|fn\s|public\s)/;

export const auditor: RoleWork = async function* (bench) {
  const { part, repository, box } = bench;
  part.findings.push(...committedSecrets(repository));
  const facts: TestFacts = { files: 0, imported: new Set(), cases: 0, testLines: 0, sourceLines: 0 };
  const [secretsIn, { manifests }, history] = await Promise.all([
    secretScanner(),
    manifestsOf(repository),
    historyOf(repository, box),
  ]);
  const begins = new Map<string, number>();
  yield checkpoint(bench, `${bench.files.length} files to audit`);
  yield* scan(bench, async (source) => {
    countTests(facts, source);
    begins.set(
      source.path,
      1 +
        Math.max(
          0,
          source.lines.findIndex((line) => DECLARES.test(line)),
        ),
    );
    const secrets = await secretsIn(source);
    const found = applyRules([...SECURITY_RULES, ...TEST_RULES], source);
    // A place that the scanner names as a secret needs no second finding as a credential.
    part.findings.push(...secrets, ...found.filter((f) => !secrets.some((s) => s.line === f.line)));
  });
  yield checkpoint(bench, `${bench.coverage.read} files audited`);
  const changes = new Map((history?.hot ?? []).map(({ path, changes: n }) => [path, n]));
  testFindings(
    bench,
    facts,
    changes,
    new Map(manifests.flatMap((m) => (m.name === undefined ? [] : [[m.name, folderOf(m.file)] as const]))),
    begins,
  );
  const checks = yield* runChecks(bench, manifests, ["test"]);
  const { kept, more } = capByRule(part.findings);
  part.findings = kept;
  const frameworks = frameworksOf(manifests);
  const ratio = facts.sourceLines === 0 ? 0 : facts.testLines / facts.sourceLines;
  const scored = kept.filter((f) => f.cvss !== undefined);
  part.sections = [
    section("Security", [
      `${SECURITY_RULES.length} patterns and secretlint's recommended rules were applied to ${bench.coverage.read} files. Scores are CVSS 3.1 base scores of the case that an attacker's input reaches the place; whether it does, a person must judge.`,
      ...(scored.length === 0
        ? ["", "Nothing found that calls for a CVSS score."]
        : [
            "",
            ...table(
              ["CVSS", "finding", "place"],
              scored.slice(0, 15).map((f) => [(f.cvss ?? 0).toFixed(1), f.title, `\`${placeOf(f)}\``]),
            ),
          ]),
    ]),
    section("Tests", [
      `- ${facts.cases} cases in ${facts.files} files${frameworks.length === 0 ? "" : ` (${frameworks.join(", ")})`}`,
      `- ${facts.testLines} lines of test code to ${facts.sourceLines} of source: ${ratio.toFixed(2)}`,
      ...more.map((line) => `- ${line}`),
    ]),
    checks,
    section("Acceptance", planFor(bench, "quality")),
  ].filter(Boolean);
  part.summary = `${facts.cases} test cases, test-to-source ratio ${ratio.toFixed(2)}; ${scored.length} findings with a CVSS score (${countBySeverity(scored)}). Quality has ${findingsLine(kept)}.`;
};

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

function testFindings(
  bench: Workbench,
  facts: TestFacts,
  changes: ReadonlyMap<string, number>,
  packages: ReadonlyMap<string, string>,
  begins: ReadonlyMap<string, number>,
): void {
  const { part, files } = bench;
  if (facts.files === 0 && facts.sourceLines > 0) {
    part.findings.push(
      finding(
        "test.none",
        {},
        {
          title: "There are no tests",
          severity: "high",
          detail: "Nothing shows that a change keeps what worked.",
          recommendation: "Begin with one test of the main job, run in CI.",
        },
      ),
    );
    return;
  }
  const bare = untested(files, facts.imported, packages).filter((file) => file.size > WORTH_A_TEST);
  const weight = (path: string, size: number): number => size * (1 + (changes.get(path) ?? 0));
  for (const file of bare
    .toSorted((a, b) => weight(b.path, b.size) - weight(a.path, a.size))
    .slice(0, MOST_UNTESTED)) {
    const often = changes.get(file.path);
    part.findings.push(
      finding(
        "test.missing",
        { file: file.path, line: begins.get(file.path) },
        {
          title: "A large file that no test is named after or imports",
          severity: "low",
          detail: `${(file.size / 1_024).toFixed(1)} KiB${often === undefined ? "" : `, changed in ${often} commits`}; it may still be reached by tests of other parts.`,
          recommendation: "Add a test of its behaviour, or note which test covers it.",
        },
      ),
    );
  }
}
