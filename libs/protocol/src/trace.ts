// Pure: a run's trace. Its ids follow from the run's own, so that every process names the same spans without being told
// (W3C Trace Context; docs/operations.md, "Tracing").
import { digest, isRunId } from "./ids.ts";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The trace of a run: the 128 bits of its ULID as 32 hex digits. */
export function traceIdOf(run: string): string {
  let bits = 0n;
  for (const letter of run) bits = bits * 32n + BigInt(CROCKFORD.indexOf(letter));
  return (bits & ((1n << 128n) - 1n)).toString(16).padStart(32, "0");
}

/** A span's id, 16 hex digits: the same parts are the same span. */
export function spanIdOf(run: string, ...parts: readonly (string | number)[]): string {
  return digest(run, ...parts.map(String)).slice(0, 16);
}

/** Spans that more than one process names. */
export const spans = {
  run: (run: string): string => spanIdOf(run, "run"),
  handoff: (run: string, handoff: string): string => spanIdOf(run, "handoff", handoff),
  attempt: (run: string, handoff: string, attempt: number): string =>
    spanIdOf(run, "attempt", handoff, attempt),
  invocation: (run: string, id: string): string => spanIdOf(run, "invocation", id),
} as const;

/** The `traceparent` header that names a span of a run. */
export function traceparentOf(run: string, span: string): string {
  return `00-${traceIdOf(run)}-${span}-01`;
}

/** A span somewhere. */
export interface SpanRef {
  readonly traceId: string;
  readonly spanId: string;
}

/** Reads a `traceparent` header from outside; undefined for one that is none. */
export function parseTraceparent(text: string | undefined): SpanRef | undefined {
  const [, traceId, spanId] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return undefined;
  return { traceId, spanId };
}

/** The trace id of a run for a log line; undefined for a text that is no run. */
export function traceIdOrNone(run: unknown): string | undefined {
  return typeof run === "string" && isRunId(run) ? traceIdOf(run) : undefined;
}
