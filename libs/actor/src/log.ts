// Owns the process's log: pino JSON lines on standard error, with nothing secret in them.
import { FirmError, traceIdOrNone } from "@firm/protocol";
import { pino, type DestinationStream, type Logger } from "pino";

/** The process's logger. */
export type Log = Logger;

/** Fields that hold secrets wherever they stand in a log line. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  "token",
  "nkey",
  "seed",
  "creds",
  "password",
  "authorization",
  "Firm-Token",
]);
const REDACTED = "[redacted]";
/** Objects within objects that are looked into; what is deeper is not for logs. */
const DEPTH = 4;

/**
 * The same fields without secrets; the object itself where it holds none. By hand, because each line pays for
 * it: pino's own redaction by wildcard paths takes several times as long as all the rest of a line.
 */
function withoutSecrets(fields: Record<string, unknown>, depth = DEPTH): Record<string, unknown> {
  let clean: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(fields)) {
    let safe = value;
    if (SECRET_FIELDS.has(name)) safe = value === undefined ? value : REDACTED;
    else if (isPlainObject(value)) safe = depth === 0 ? REDACTED : withoutSecrets(value, depth - 1);
    if (safe === value) continue;
    clean ??= { ...fields };
    clean[name] = safe;
  }
  return clean ?? fields;
}

/** A line about a run names its trace, so that logs and traces are found from each other. */
function withTrace(fields: Record<string, unknown>): Record<string, unknown> {
  const trace = fields.trace_id === undefined ? traceIdOrNone(fields.run) : undefined;
  return trace === undefined ? fields : { ...fields, trace_id: trace };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** An nkey seed in running text: `S`, the kind, 56 base32 characters. */
const NKEY_SEED = /\bS[UANOCX][A-Z2-7]{56}\b/g;

/** Text without nkey seeds. */
export function scrub(text: string): string {
  return text.replace(NKEY_SEED, REDACTED);
}

/**
 * The process's logger; one per process.
 * @param destination where lines go; standard error by default, written at once so that a crash loses none.
 */
export function createLog(
  role: string,
  level: string,
  destination: DestinationStream = standardError(),
): Log {
  return pino(
    {
      level,
      base: { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        // Children's bindings are the runtime's own (run, handoff, chain, attempt) and hold no secret.
        log: (fields) => withTrace(withoutSecrets(fields)),
      },
      serializers: { err: describeError },
    },
    destination,
  );
}

function standardError(): DestinationStream {
  const stream = pino.destination({ fd: 2, sync: true });
  // Nobody reads any more: there is no place left to say so, and work in hand must not die of it.
  stream.on("error", () => undefined);
  return stream;
}

/** An error as a log line carries it: code, field and hint beside the message. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: scrub(String(error)) };
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  const stack = error.stack === undefined ? {} : { stack: scrub(error.stack) };
  if (error instanceof FirmError) {
    // A refusal is no programming error: its stack says nothing that the code does not.
    return {
      type: error.name,
      code: error.code,
      message: scrub(error.message),
      field: error.field,
      hint: error.hint,
      ...cause,
    };
  }
  return { type: error.name, message: scrub(error.message), ...stack, ...cause };
}
