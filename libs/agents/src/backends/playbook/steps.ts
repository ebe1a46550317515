// Pure: the steps that each department takes for each kind of objective; `{topic}` stands for the objective's own words.
import type { Kind } from "./objective.ts";

type Steps = Readonly<
  Record<"strategy" | "engineering" | "quality" | "operations" | "other", readonly string[]>
>;

const BUILD: Steps = {
  strategy: [
    "Name the users of {topic} and the one job they need done first.",
    "Fix scope and non-goals in writing before code.",
    "Order the parts by risk: what could make the whole impossible comes first.",
    "Agree how success is measured and when it is looked at.",
  ],
  engineering: [
    "Write the interface of {topic} first: inputs, outputs, errors, limits.",
    "Build the thinnest path through all parts, then widen it.",
    "Make every state change repeatable without harm, and validate at the edge.",
    "Commit after each sub-task on a branch; open a draft for review early.",
  ],
  quality: [
    "Turn each part of the definition of done into a test that fails today.",
    "Cover the refusals: wrong input, no permission, timeout, doubled request.",
    "Threat-model {topic}: who may call it, what it stores, what it reveals.",
    "Measure the slowest path under load before release.",
  ],
  operations: [
    "Decide where {topic} runs, with which configuration and secrets.",
    "Add logs, metrics and one alert that a person acts on.",
    "Plan roll-out and roll-back in one step each, and try the roll-back.",
    "Write the runbook and say who is on call.",
  ],
  other: [
    "State what of {topic} falls into this field.",
    "Name the conditions under which it may go on, and the ones under which it must stop.",
    "Have a person confirm them.",
  ],
};

const AUDIT: Steps = {
  strategy: [
    "Settle findings of high severity first, each with an owner and a date.",
    "Decide which risks are accepted, and write down why.",
    "Repeat the audit after the changes and compare by finding key.",
  ],
  engineering: [
    "Repair what fails for everybody first (checks, entry points, scripts).",
    "Then the hot spots: files that change often and are long.",
    "Move notes in comments to the tracker, or do them.",
  ],
  quality: [
    "Revoke any secret that was found before it is removed.",
    "For each scored place: can outside input reach it? If so, repair; if not, say why in a comment.",
    "Add the test that would have found it.",
  ],
  operations: [
    "Add the project files that are missing; each is small.",
    "Let CI run the checks that exist and refuse what fails them.",
    "Pin what the build takes from outside.",
  ],
  other: [
    "Read the places above in this field's light.",
    "State what must change before release, and what may wait.",
  ],
};

const FIX: Steps = {
  strategy: [
    "Write down what {topic} should do, what it does, and since when.",
    "Judge who is affected and whether a workaround is needed today.",
  ],
  engineering: [
    "Reproduce it in the smallest case, as a failing test.",
    "Find the cause, not the first place where it shows; look for its siblings.",
    "Change the least that removes the cause.",
  ],
  quality: [
    "Keep the failing case as a regression test.",
    "Check the neighbours of the change, and the case in which it is not needed.",
  ],
  operations: [
    "Ship the repair alone, with a way back.",
    "Watch the measure that showed the failure; close when it stays quiet.",
  ],
  other: ["State whether users must be told, and how."],
};

const MIGRATE: Steps = {
  strategy: [
    "List what depends on {topic}, inside and outside.",
    "Choose between one switch and a stepwise move; prefer steps that can be undone.",
  ],
  engineering: [
    "Put the old and the new behind one interface.",
    "Move one consumer, compare results, then the others.",
    "Remove the old once nothing calls it.",
  ],
  quality: ["Pin today's behaviour by tests before the first change.", "Compare old and new on real inputs."],
  operations: [
    "Plan data moves with a dry run, a count check and a backup that was restored once.",
    "Keep both versions deployable until the end.",
  ],
  other: ["State which obligations hold during the move."],
};

const DOCUMENT: Steps = {
  strategy: [
    "Name the reader of {topic} and the task they come with.",
    "List the questions that are asked most; answer those first.",
  ],
  engineering: [
    "Let examples run in CI, so that they stay true.",
    "Generate reference from the code's own types.",
  ],
  quality: [
    "Have somebody new follow it without help, and note where they stop.",
    "Check every command and link.",
  ],
  operations: [
    "Publish with each release; show which version a page is about.",
    "Name an owner for each page.",
  ],
  other: ["State what must not be published."],
};

const RELEASE: Steps = {
  strategy: [
    "Decide what is in, what waits, and what users must be told.",
    "Set the condition for stopping the release.",
  ],
  engineering: [
    "Freeze the branch; only repairs of blockers enter.",
    "Raise versions and write migration notes.",
  ],
  quality: [
    "Run all checks on the very artefact that ships.",
    "Test the upgrade from the last version, and the way back.",
  ],
  operations: [
    "Tag, build once, sign, roll out in steps, watch.",
    "Write the changelog; announce; keep the last version ready.",
  ],
  other: ["State which approvals are needed before it ships."],
};

const BY_KIND: Readonly<Record<Kind, Steps>> = {
  audit: AUDIT,
  build: BUILD,
  fix: FIX,
  migrate: MIGRATE,
  document: DOCUMENT,
  release: RELEASE,
  test: BUILD,
  other: BUILD,
};

export function stepsFor(kind: Kind, department: string, topic: string): readonly string[] {
  const steps = BY_KIND[kind];
  const own = Object.hasOwn(steps, department) ? steps[department as keyof Steps] : steps.other;
  return own.map((step) => step.replaceAll("{topic}", topic));
}
