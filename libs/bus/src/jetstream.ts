// Owns the requests to JetStream's API and what its errors mean to a caller.
import { FirmError } from "@firm/protocol";
import type { Msg } from "nats";
import * as z from "zod";
import type { Link } from "./link.ts";
import { NoRespondersError } from "./mux.ts";
import { retrying } from "./retry.ts";

/** Numbers of the server's error table that Firm tells apart. */
export const JS_ERRORS = {
  clusterUnavailable: 10008,
  clusterNotLeader: 10009,
  consumerNotFound: 10014,
  noMessage: 10037,
  notEnabledForAccount: 10039,
  messageTooLarge: 10054,
  streamNotFound: 10059,
  wrongLastSequence: 10071,
  notEnabled: 10076,
  storeFailed: 10077,
  wrongLastSequenceUnknown: 10164,
} as const;

const ApiErrorBody = z.object({
  code: z.number(),
  err_code: z.number().default(0),
  description: z.string().default(""),
});
export type ApiErrorBody = z.infer<typeof ApiErrorBody>;
const Reply = z.looseObject({ error: ApiErrorBody.optional(), stream: z.string().optional() });

/** An error of JetStream's API, kept as the cause of the FirmError that says it. */
export class JetStreamError extends Error {
  readonly body: ApiErrorBody;
  /** The stream that refused a publish. */
  readonly stream: string | undefined;
  constructor(body: ApiErrorBody, stream?: string) {
    super(`${body.description} (JetStream error ${body.err_code})`);
    this.name = "JetStreamError";
    this.body = body;
    this.stream = stream;
  }
}

/** JetStream's own error behind a FirmError; undefined where JetStream said nothing. */
export function jetStreamErrorOf(error: unknown): JetStreamError | undefined {
  return error instanceof FirmError && error.cause instanceof JetStreamError ? error.cause : undefined;
}

const INIT_HINT = "`firm bus init` creates the streams, durables and buckets";

/** What an API error means. `what` names the stream, durable or subject. */
function fromApiError(body: ApiErrorBody, about: string, stream: string | undefined): FirmError {
  const cause = new JetStreamError(body, stream);
  const what = stream === undefined || stream === "" ? about : `${about} (stream ${stream})`;
  switch (body.err_code) {
    case JS_ERRORS.clusterUnavailable:
    case JS_ERRORS.clusterNotLeader:
      return new FirmError("bus-unavailable", `${what}: JetStream has no leader at the moment`, { cause });
    case JS_ERRORS.notEnabled:
    case JS_ERRORS.notEnabledForAccount:
      return jetStreamDisabled(cause);
    case JS_ERRORS.streamNotFound:
    case JS_ERRORS.consumerNotFound:
      return new FirmError("storage-unavailable", `${what}: ${body.description}`, { cause, hint: INIT_HINT });
    case JS_ERRORS.messageTooLarge:
      return new FirmError("too-large", `${what}: the message is larger than the stream allows`, { cause });
    default:
      return new FirmError("storage-unavailable", `${what} cannot be stored or read: ${body.description}`, {
        cause,
        hint: "free disk space, or raise bus.max_bytes in firm.yaml (or the server's JetStream limits) and run `firm bus init`",
      });
  }
}

/** JetStream is off, on the server or for this account. */
function jetStreamDisabled(cause?: unknown): FirmError {
  return new FirmError("storage-unavailable", "JetStream is not enabled on this NATS server", {
    cause,
    hint: "start it with `nats-server -js`, or put a `jetstream {}` block into its configuration",
  });
}

/** Reads a reply of the API. @throws FirmError for an error in it. */
export function parseReply<T>(msg: Msg, schema: z.ZodType<T>, what: string): T {
  let json: unknown;
  try {
    json = JSON.parse(msg.string());
  } catch (cause) {
    throw new FirmError("storage-unavailable", `${what}: the answer is not JetStream's`, { cause });
  }
  const { error, stream } = Reply.parse(json);
  if (error !== undefined) throw fromApiError(error, what, stream);
  const parsed = schema.safeParse(json);
  if (!parsed.success)
    throw new FirmError("storage-unavailable", `${what}: JetStream's answer is not understood`, {
      cause: parsed.error,
    });
  return parsed.data;
}

/** A request to `$JS.API.<api>` that may be repeated. @throws FirmError. */
export async function apiRequest<T>(
  link: Link,
  api: string,
  body: unknown,
  schema: z.ZodType<T>,
  what: string,
  budgetMs?: number,
): Promise<T> {
  const text = body === undefined ? "" : JSON.stringify(body);
  try {
    return await retrying(
      link,
      async (leftMs) =>
        parseReply(
          await link.mux.send(`$JS.API.${api}`, text, undefined, Math.min(leftMs, 2_000)),
          schema,
          what,
        ),
      budgetMs,
    );
  } catch (error) {
    if (error instanceof NoRespondersError) throw jetStreamDisabled(error);
    throw error;
  }
}
