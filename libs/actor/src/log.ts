// Owns the process's log: pino JSON lines on standard error, with nothing secret in them.
import { FirmError } from "@firm/protocol";
import { pino, type DestinationStream, type Logger } from "pino";

/** The process's logger. */
export type Log = Logger;

/** What a line about one piece of work carries. */
export interface WorkBindings {
  run: string;
  role: string;
  chain: string;
  attempt: number;
  handoff: string;
}

/** Fields that hold secrets wherever they stand in a log line. */
const SECRET_FIELDS = ["token", "nkey", "seed", "creds", "password", "authorization", "Firm-Token"];
const REDACT = SECRET_FIELDS.flatMap((field) => {
  const name = /^\w+$/.test(field) ? field : undefined;
  return name === undefined
    ? [`["${field}"]`, `*["${field}"]`, `*.headers["${field}"]`]
    : [name, `*.${name}`, `*.*.${name}`];
});

/** An nkey seed in running text: `S`, the kind, 56 base32 characters. */
const NKEY_SEED = /\bS[UANOCX][A-Z2-7]{56}\b/g;

/** Text without nkey seeds. */
export function scrub(text: string): string {
  return text.replace(NKEY_SEED, "[redacted]");
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
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACT, censor: "[redacted]" },
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
