// Pure: a role's plan: the steps of its department for this kind of objective, tied to the workspace's own files and commands.
import type { Finding } from "@firm/protocol";
import { placeOf, sortFindings } from "./findings.ts";
import { constraintsOf, partsOf, resolutionIn } from "./objective.ts";
import type { Manifest } from "./scan/manifest-readers.ts";
import { stepsFor } from "./steps.ts";
import type { Workbench } from "./workbench.ts";

export interface PlanFacts {
  readonly manifests?: readonly Manifest[];
  /** Files that change most. */
  readonly hot?: readonly string[];
}

/** The topic as a phrase: `payment api`. */
export function topicOf(words: readonly string[]): string {
  return words.slice(0, 4).join(" ") || "it";
}

export function planFor(bench: Workbench, department: string, facts: PlanFacts = {}): string[] {
  const { input, kind, words } = bench;
  const lines = stepsFor(kind, department, topicOf(words)).map((step, i) => `${i + 1}. ${step}`);
  return [
    ...lines,
    ...objectiveLines(input.contract.objective, department),
    ...placeLines(bench, facts),
    ...boundLines(bench),
  ];
}

/** An objective of several parts is broken down once, by strategy. */
function objectiveLines(objective: string, department: string): string[] {
  const parts = partsOf(objective);
  if (department !== "strategy" || parts.length < 2) return [];
  return ["", "Parts of the objective:", "", ...parts.map((part) => `- ${part}`)];
}

function placeLines(bench: Workbench, facts: PlanFacts): string[] {
  const urgent = sortFindings(bench.part.findings).filter((f) => f.severity !== "info");
  const focus = [...bench.focus].slice(0, 8).map((path) => `\`${path}\``);
  const entries = (facts.manifests ?? []).flatMap((m) => m.entries.map((entry) => `\`${entry.path}\``));
  return [
    ...(urgent.length === 0 ? [] : ["", `Begin here: ${urgent.slice(0, 3).map(oneLine).join("; ")}.`]),
    ...(focus.length === 0 ? [] : ["", `Files that the objective names: ${focus.join(", ")}.`]),
    ...(entries.length === 0 || bench.kind === "audit"
      ? []
      : ["", `Changes will meet these entry points: ${[...new Set(entries)].slice(0, 6).join(", ")}.`]),
    ...(facts.hot === undefined || facts.hot.length === 0 || bench.kind === "audit"
      ? []
      : [
          "",
          `Expect conflicts with other work in ${facts.hot
            .slice(0, 3)
            .map((path) => `\`${path}\``)
            .join(", ")}.`,
        ]),
  ];
}

const oneLine = (found: Finding): string =>
  `${found.title}${placeOf(found) === "" ? "" : ` (\`${placeOf(found)}\`)`}`;

function boundLines(bench: Workbench): string[] {
  const constraints = constraintsOf(bench.input.contract);
  const resolution = resolutionIn(bench.input.contract);
  return [
    ...(constraints.length === 0 ? [] : ["", `Bound by: ${constraints.join("; ")}.`]),
    ...(resolution === undefined ? [] : ["", `Settled before: ${resolution}`]),
  ];
}
