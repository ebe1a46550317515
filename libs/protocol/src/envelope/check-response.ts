// Pure: does an answer keep the rules of the format, and if not, what exactly is wrong (seed: agent-protocol, "Response Format").
import type { Role } from "../roles.ts";
import { readEnvelopes } from "./read.ts";
import { labelOf } from "./read-response.ts";
import { DATA_POINTS, lineRule, RESPONSE_END } from "./rules.ts";
import { textFault } from "./text.ts";
import { CONFIDENCES, type ReadResponse, type ResponseEnvelope } from "./types.ts";

/** The response of an answer, or what its author has to mend, sentence by sentence. */
export interface ResponseCheck {
  readonly response?: ResponseEnvelope;
  readonly problems: readonly string[];
}

/**
 * Looks for the one response of a role in an answer. A response that is the whole of a fenced block counts where no other
 * is there: agents fence what they hand over.
 */
export function checkResponse(text: string, role: Role): ResponseCheck {
  const responses = responsesOf(text);
  const own = responses.filter((response) => response.role === role);
  const [first] = own;
  if (first === undefined) return { problems: [missing(text, role, responses)] };
  if (own.length > 1)
    return { problems: [`there are ${String(own.length)} responses of ${role}: write one`] };
  return checked(first);
}

function responsesOf(text: string): ReadResponse[] {
  const { envelopes, fences } = readEnvelopes(text);
  const speaking = envelopes.flatMap(({ envelope }) => (envelope.kind === "response" ? [envelope] : []));
  if (speaking.length > 0) return speaking;
  return fences.flatMap(({ start, end }) => {
    const inner = text.slice(start, end);
    if (!/^\s*[[［【]\s*RESPONSE\s*[:：]/i.test(inner)) return [];
    return readEnvelopes(inner.trimStart()).envelopes.flatMap(({ envelope }) =>
      envelope.kind === "response" ? [envelope] : [],
    );
  });
}

function missing(text: string, role: Role, responses: readonly ReadResponse[]): string {
  const [other] = responses;
  if (other !== undefined) return `the response is signed ${other.role}: sign it [RESPONSE:${role}]`;
  const [problem] = readEnvelopes(text).problems;
  const why = problem === undefined ? "" : `; ${problem.message}`;
  return `there is no [RESPONSE:${role}] … ${RESPONSE_END}${why}`;
}

function checked(read: ReadResponse): ResponseCheck {
  const { role, findings, data, confidences, caveats, stray } = read;
  const problems = [
    ...one(labelOf("finding"), findings),
    ...between(data.length),
    ...one(labelOf("confidence"), confidences),
    ...one(labelOf("caveat"), caveats),
  ];
  const [finding = ""] = findings;
  const [caveat = ""] = caveats;
  const [word = ""] = confidences;
  const confidence = CONFIDENCES.find((known) => known === word);
  if (confidences.length === 1 && confidence === undefined) {
    problems.push(`confidence is "${word.slice(0, 64)}": write ${CONFIDENCES.join(", ")}, nothing else`);
  }
  if (findings.length === 1) problems.push(...line("the key finding", finding));
  if (caveats.length === 1) problems.push(...line("the caveat", caveat));
  problems.push(...data.flatMap((point, index) => line(`data point ${String(index + 1)}`, point)));
  if (stray.length > 0) {
    problems.push(`a line belongs to no field: "${(stray[0] ?? "").slice(0, 120)}"`);
  }
  if (problems.length > 0 || confidence === undefined) return { problems };
  return { response: { kind: "response", role, finding, data, confidence, caveat }, problems: [] };
}

function one(label: string, values: readonly string[]): string[] {
  if (values.length === 0) return [`there is no line ${label}`];
  return values.length > 1 ? [`there are ${String(values.length)} lines ${label}: write exactly one`] : [];
}

function between(count: number): string[] {
  const { least, most } = DATA_POINTS;
  if (count >= least && count <= most) return [];
  return [
    `there are ${String(count)} data points under ${labelOf("data")}: write ${String(least)} or ${String(most)}`,
  ];
}

function line(what: string, value: string): string[] {
  const wrong = textFault(value, lineRule(what));
  return wrong === undefined ? [] : [wrong.message];
}
