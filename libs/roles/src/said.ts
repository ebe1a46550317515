// Pure: what an agent's text says in the protocol: questions, assumptions; and what of it is only repeated (seed: agent-protocol).
import { printEnvelope, readEnvelopes } from "@firm/protocol";
import type { AgentInput } from "@firm/agents";
import type { Heard, Question } from "./questions.ts";

/** A question as it stands in the text. */
export interface Said extends Question {
  readonly source: string;
}

/** Questions and assumptions of a text; what stands in code, quotations and answers of others is neither. */
export function saidIn(text: string): {
  readonly questions: readonly Said[];
  readonly assumptions: readonly string[];
  /** Questions that cannot be read, and why. */
  readonly broken: readonly string[];
} {
  const questions = new Map<string, Said>();
  const assumptions: string[] = [];
  const { envelopes, problems } = readEnvelopes(text);
  for (const { envelope, start, end } of envelopes) {
    if (envelope.kind === "invoke") {
      const { role, question } = envelope;
      const key = printEnvelope(envelope);
      if (!questions.has(key)) questions.set(key, { role, question, source: text.slice(start, end) });
    } else if (envelope.kind === "assumption") assumptions.push(envelope.text);
    else if (envelope.kind === "blocked" && envelope.assumption !== undefined)
      assumptions.push(envelope.assumption);
  }
  const broken = problems.filter(({ keyword }) => keyword === "INVOKE").map(({ message }) => message);
  return { questions: [...questions.values()], assumptions, broken };
}

/** What a colleague took as given in its answer, with its name. */
export function heardFrom({ role, answered, text }: Heard): readonly string[] {
  return answered ? saidIn(text).assumptions.map((assumption) => `${role}: ${assumption}`) : [];
}

/** All that an agent was given to read, its own words of earlier turns included. */
export function wordsOf(input: AgentInput): string {
  const { contract, context, history, children } = input;
  return flat(
    [
      contract.objective,
      ...contract.constraints,
      contract.definition_of_done,
      context,
      // What it is told to say again, it may ask again.
      ...history.filter(({ text }) => text !== input.ask?.complaint?.text).map(({ text }) => text),
      ...children.flatMap(({ result }) => (result === undefined ? [] : [result.summary, result.output])),
    ].join("\n"),
  );
}

/** True where the very envelope stands in what the agent was given. */
export function isRepeated({ source, role, question }: Said, given: string): boolean {
  return [source, `[INVOKE:${role}|${question}]`].some((text) => given.includes(flat(text)));
}

/** Letter case, line breaks and Markdown's marks apart. */
function flat(text: string): string {
  return text
    .toLowerCase()
    .replace(/[*_`>]/g, "")
    .replace(/\s+/g, " ");
}
