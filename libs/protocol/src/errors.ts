// Pure: the one table of error codes; every refusal and failure on the bus carries one of them.

/** Code → number for `Nats-Service-Error-Code` (HTTP's meaning of the number). */
export const ERROR_CODES = {
  // the sender can mend these
  "invalid-input": 400,
  "invalid-config": 400,
  "invalid-token": 401,
  "expired-token": 401,
  "wrong-sender": 403,
  "edge-not-in-org-chart": 403,
  "self-invocation": 403,
  "depth-exceeded": 403,
  "circular-call": 403,
  "isolated-phase": 403,
  "unknown-role": 404,
  "unknown-run": 404,
  "unknown-session": 404,
  "unknown-context": 404,
  "unknown-handoff": 404,
  "already-ended": 409,
  "stale-attempt": 409,
  "run-cancelled": 410,
  "run-ended": 410,
  "deadline-passed": 408,
  "too-large": 413,
  "spawn-limit": 429,
  "budget-spent": 429,
  "rate-limited": 429,
  // the operator can mend these
  "bus-unavailable": 503,
  "storage-unavailable": 503,
  "permission-refused": 500,
  "agent-failed": 502,
  internal: 500,
} as const;

/** A stable name for what went wrong. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** What an error may carry besides its sentence. */
export interface ErrorDetail {
  /** Path of the field that is wrong, e.g. `departments.0`. */
  field?: string;
  /** What the reader can do about it. */
  hint?: string;
  cause?: unknown;
}

/** The one error type of Firm; `code` says what, `message` says it to a person. */
export class FirmError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "FirmError";
    this.code = code;
    this.field = detail.field;
    this.hint = detail.hint;
  }

  /** The number for `Nats-Service-Error-Code`. */
  get status(): number {
    return ERROR_CODES[this.code];
  }
}

/** A refusal that no retry can change: the caller goes on without. */
export class TerminalError extends FirmError {
  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(code, message, detail);
    this.name = "TerminalError";
  }
}

/** True for a code that names a passing state of the bus, where the same request may succeed later. */
export function isRetryable(code: ErrorCode): boolean {
  return code === "bus-unavailable" || code === "storage-unavailable";
}

/** True for a string that is a code of the table. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}
