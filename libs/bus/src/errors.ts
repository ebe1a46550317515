// Owns the mapping between the client's errors, errors on the wire and FirmErrors (DESIGN "Subjects (v1)": errors use NATS's own headers).
import { ERROR_CODES, FirmError, HEADERS, isErrorCode, WireError, type ErrorCode } from "@firm/protocol";
import { PermissionViolationError, type Msg } from "nats";
import type { Headers } from "./types.ts";

/** What a client error means to the caller. `doing` completes "… while". */
export function fromClient(error: unknown, doing: string): FirmError {
  if (error instanceof FirmError) return error;
  const refusal =
    error instanceof Error && error.cause instanceof PermissionViolationError ? error.cause : error;
  if (refusal instanceof PermissionViolationError) return refused(refusal, doing);
  const reason = error instanceof Error ? error.message : String(error);
  return new FirmError("bus-unavailable", `NATS failed while ${doing}: ${reason}`, { cause: error });
}

/** NATS refused a publish or subscribe. */
export function refused(error: PermissionViolationError, doing: string): FirmError {
  return new FirmError(
    "permission-refused",
    `NATS refused to ${error.operation} "${error.subject}" while ${doing}`,
    {
      cause: error,
      hint: "the credentials in use belong to another role, or the server's permissions are older than firm.yaml",
    },
  );
}

/** The error that a reply's headers carry; undefined for an ordinary reply. */
export function fromReply(msg: Msg): FirmError | undefined {
  const headers = msg.headers;
  if (headers === undefined) return undefined;
  const text = headers.get(HEADERS.error);
  const number = headers.get(HEADERS.errorCode);
  if (text === "" && number === "") return undefined;
  const name = headers.get(HEADERS.errorName);
  const code = isErrorCode(name) ? name : codeOfNumber(Number.parseInt(number, 10));
  const body = bodyOf(msg);
  return new FirmError(code, body?.message ?? (text === "" ? `error ${number}` : text), {
    ...(body?.field === undefined ? {} : { field: body.field }),
    ...(body?.hint === undefined ? {} : { hint: body.hint }),
  });
}

function bodyOf(msg: Msg): WireError["error"] | undefined {
  try {
    return WireError.safeParse(JSON.parse(msg.string())).data?.error;
  } catch {
    // A service that is not ours sends what it likes; its headers say enough.
    return undefined;
  }
}

/** The first code of the table with this number; a foreign service sends numbers only. */
function codeOfNumber(number: number): ErrorCode {
  for (const [code, status] of Object.entries(ERROR_CODES)) {
    if (status === number && isErrorCode(code) && code !== "permission-refused") return code;
  }
  return number >= 400 && number < 500 ? "invalid-input" : "internal";
}

/** Headers and body that tell an error to the asker. What is not a FirmError is told as `internal`, without its text. */
export function errorReply(error: unknown): { headers: Headers; body: string } {
  const known =
    error instanceof FirmError
      ? error
      : new FirmError("internal", "internal error; the service's log says more", { cause: error });
  const wire: WireError = {
    error: {
      code: known.code,
      message: known.message,
      ...(known.field === undefined ? {} : { field: known.field }),
      ...(known.hint === undefined ? {} : { hint: known.hint }),
    },
  };
  return {
    headers: {
      [HEADERS.error]: known.message.replaceAll(/[\r\n]+/g, " ").slice(0, 512),
      [HEADERS.errorCode]: String(known.status),
      [HEADERS.errorName]: known.code,
    },
    body: JSON.stringify(wire),
  };
}
