// Owns how `firm` says what went wrong: one line with field and hint, no stack; FIRM_DEBUG=1 shows it.
import { FirmError } from "@firm/protocol";
import { EXIT, exitCodeOfError, type ExitCode } from "./exit-codes.ts";

/** The line for a person. */
export function errorLine(error: unknown): string {
  if (!(error instanceof Error)) return `firm: ${String(error)}`;
  const message = error.message.split("\n")[0] ?? error.message;
  if (!(error instanceof FirmError)) return `firm: ${message}`;
  const field = error.field === undefined || message.includes(error.field) ? "" : `${error.field}: `;
  const hint = error.hint === undefined || message.includes(error.hint) ? "" : ` (${error.hint})`;
  return `firm: ${field}${message}${hint}`;
}

/** Prints an error to stderr. @returns the exit code it stands for. */
export function reportError(error: unknown, debug: boolean): ExitCode {
  process.stderr.write(`${errorLine(error)}\n`);
  if (debug && error instanceof Error) process.stderr.write(`${withCauses(error)}\n`);
  return error instanceof FirmError ? exitCodeOfError(error.code) : EXIT.failed;
}

function withCauses(error: Error): string {
  const stack = error.stack ?? String(error);
  return error.cause instanceof Error ? `${stack}\ncaused by: ${withCauses(error.cause)}` : stack;
}

/** What a Node error says of itself, e.g. `ENOENT`; undefined for other errors. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
