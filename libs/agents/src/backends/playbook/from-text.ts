// Pure: a role's part where there is no workspace: the objective's words alone, taken apart, with what was assumed and what must
// be asked. Nothing was inspected, and it says so.
import { levelOf, nameOf } from "@firm/protocol";
import type { AgentInput } from "../../types.ts";
import { constraintsOf, kindOf, partsOf, resolutionIn, topicWords } from "./objective.ts";
import { emptyPart, section, type Part } from "./part.ts";
import { topicOf } from "./plan.ts";
import { stepsFor } from "./steps.ts";

/** The department whose steps an employee of the default chart takes. */
export const DEPARTMENT_OF: Readonly<Record<string, "strategy" | "engineering" | "quality" | "operations">> =
  {
    analyst: "strategy",
    implementer: "engineering",
    auditor: "quality",
    coordinator: "operations",
  };

const QUESTIONS: Readonly<Record<string, (topic: string) => readonly string[]>> = {
  strategy: (topic) => [
    `Who uses ${topic}, how many, and what do they do today instead?`,
    "What must not be part of the first version?",
  ],
  engineering: (topic) => [
    `Which systems does ${topic} talk to, and which of their interfaces are fixed?`,
    "Which language, framework and data store are given?",
  ],
  quality: (topic) => [
    `Which data of ${topic} is sensitive, and which rules apply to it?`,
    "Which failure would be worst, and how soon must it be noticed?",
  ],
  operations: (topic) => [
    `Where does ${topic} run, and who is called when it fails?`,
    "How much downtime and data loss is acceptable?",
  ],
  other: (topic) => [`Which rules of this field apply to ${topic}, and who decides?`],
};

export function fromText(input: AgentInput): Part {
  const { contract, role, expertise } = input;
  const name = levelOf(role) === undefined ? role : nameOf(role);
  const department = DEPARTMENT_OF[name] ?? "other";
  const kind = kindOf(contract.objective);
  const topic = topicOf(topicWords(contract.objective));
  const parts = partsOf(contract.objective);
  const constraints = constraintsOf(contract);
  const part = emptyPart();
  const steps = stepsFor(kind, department, topic).map((step, i) => `${i + 1}. ${step}`);
  const questions = (QUESTIONS[department] ?? QUESTIONS["other"])?.(topic) ?? [];
  const resolution = resolutionIn(contract);
  part.sections = [
    section("Basis", [
      "No workspace was given: nothing was inspected, and this part follows from the objective's words alone.",
    ]),
    section(
      department === "strategy" ? "Deliverables" : "Understood as",
      parts.map((text) => `- ${text}`),
    ),
    section("Steps", steps),
    section(
      "Constraints",
      [...constraints, ...(resolution === undefined ? [] : [resolution])].map((text) => `- ${text}`),
    ),
    section(
      "Next steps and open questions",
      questions.map((text) => `- ${text}`),
    ),
    section("Risks", [
      `- The plan rests on ${questions.length} unanswered questions; a wrong guess there costs most.`,
    ]),
  ].filter(Boolean);
  part.summary = `${name}${expertise === "" ? "" : ` (${expertise.slice(0, 100)})`}: ${steps.length} steps to ${kind === "other" ? "reach" : kind} "${topic}", from the objective's text alone; nothing was inspected.`;
  part.assumptions = [`"${topic}" starts from nothing: no existing code was named.`];
  part.openItems = questions.map((text) => `${name} asks: ${text}`);
  part.suggestions = ["Give a workspace (--workspace), so that the part rests on what is there."];
  return part;
}
