// Owns the part of an employee that no playbook was written for: it looks for what its expertise and the objective name.
import { levelOf, nameOf } from "@firm/protocol";
import { concerns, topicWords } from "../objective.ts";
import { section } from "../part.ts";
import { planFor } from "../plan.ts";
import { hygieneOf } from "../scan/hygiene.ts";
import { manifestsOf } from "../scan/manifests.ts";
import { readText } from "../scan/source.ts";
import { checkpoint, scan, type RoleWork, type Workbench } from "../workbench.ts";

const MAX_PLACES = 20;

export const generic: RoleWork = async function* (bench) {
  const { part, input } = bench;
  const name = levelOf(input.role) === undefined ? input.role : nameOf(input.role);
  const words = [...new Set([...topicWords(input.expertise), ...bench.words])];
  const legal = /\b(?:legal|law|counsel|licen[cs]\w*|complian\w*|privacy|gdpr)\b/i.test(
    `${name} ${input.expertise} ${input.contract.from}`,
  );
  if (legal) part.sections.push(section("Licences", await licences(bench)));
  yield checkpoint(bench, `looking for ${words.slice(0, 5).join(", ") || "the objective's topic"}`);
  const places: string[] = [];
  let named = 0;
  yield* scan(bench, (source) => {
    if (concerns(source.path, words)) {
      named++;
      if (places.length < MAX_PLACES) places.push(`- \`${source.path}:1\` by its name`);
      return;
    }
    for (const [i, line] of source.lines.entries()) {
      if (line.length > 500 || !concerns(line, words)) continue;
      named++;
      if (places.length < MAX_PLACES)
        places.push(`- \`${source.path}:${i + 1}\` ${line.trim().slice(0, 120).replaceAll("`", "'")}`);
      return;
    }
  });
  part.sections.push(
    section(`Places that name ${words.slice(0, 6).join(", ") || "the topic"}`, places),
    section("Assessment", planFor(bench, name)),
  );
  part.sections = part.sections.filter(Boolean);
  part.summary = `${name}${input.expertise === "" ? "" : ` (${input.expertise.slice(0, 120)})`} looked through ${bench.coverage.read} files: ${named} name the topic.`;
  part.assumptions.push(`No playbook is written for ${input.role}; it looked for words, and judged nothing.`);
  part.suggestions.push(`Configure an agent with a model for ${input.role}: its field needs judgement.`);
};

async function licences(bench: Workbench): Promise<string[]> {
  const { manifests } = await manifestsOf(bench.repository);
  const hygiene = await hygieneOf(bench.repository, manifests);
  const text = hygiene.license === undefined ? undefined : await readText(bench.repository, hygiene.license);
  const first = text
    ?.split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "");
  const named = manifests.flatMap((m) => (m.license === undefined ? [] : [`- ${m.file}: ${m.license}`]));
  return [
    `- ${hygiene.license ?? "no licence file"}${first === undefined ? "" : `: ${first.slice(0, 120)}`}`,
    ...named.slice(0, 20),
  ];
}
