// Pure: the words of the format, spelt once for printer, parser and reader (seed: agent-protocol, "Response Format", Rule 4).
import { ENVELOPE_LIMITS } from "./limits.ts";
import type { TextRule } from "./text.ts";

export const LABELS = {
  finding: "Key finding",
  data: "Supporting data",
  confidence: "Confidence",
  caveat: "Caveat",
} as const;
export type Label = keyof typeof LABELS;

export const RESPONSE_START = "[RESPONSE:";
export const RESPONSE_END = "[/RESPONSE]";
export const BULLET = "  - ";
export const CANNOT_INVOKE = "cannot invoke ";
export const BECAUSE = " — ";
export const INSTEAD = "State assumption used instead:";
export const ARROW = " → ";

/** Data points of a response. */
export const DATA_POINTS = { least: 2, most: 3 } as const;

const { questionBytes, assumptionBytes, lineBytes } = ENVELOPE_LIMITS;

export const QUESTION: TextRule = { what: "the question", bytes: questionBytes, lines: true };
export const ASSUMPTION: TextRule = { what: "the assumption", bytes: assumptionBytes, lines: true };
export const REASON: TextRule = { what: "the reason", bytes: assumptionBytes, lines: false };

/** One line of a response. */
export function lineRule(what: string): TextRule {
  return { what, bytes: lineBytes, lines: false };
}
