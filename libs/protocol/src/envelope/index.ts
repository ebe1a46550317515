export { checkResponse, type ResponseCheck } from "./check-response.ts";
export { ENVELOPE_PROBLEMS, EnvelopeError, type EnvelopeProblem, type Position } from "./errors.ts";
export { ENVELOPE_LIMITS } from "./limits.ts";
export type { Meter } from "./meter.ts";
export { parseEnvelope } from "./parse.ts";
export { printEnvelope } from "./print.ts";
export {
  readEnvelopes,
  type FencedText,
  type FoundEnvelope,
  type QuotedEnvelope,
  type Reading,
} from "./read.ts";
export type { Quoting } from "./scan.ts";
export { TOLERANCES, type Tolerance } from "./tolerances.ts";
export {
  CONFIDENCES,
  type AssumptionEnvelope,
  type BlockedEnvelope,
  type ChainEnvelope,
  type Confidence,
  type Envelope,
  type InvocableRole,
  type InvokeEnvelope,
  type ReadEnvelope,
  type ReadResponse,
  type ResponseEnvelope,
} from "./types.ts";
