// Owns publishing to streams: nothing counts as stored before the stream says so, and a retry is never a second event (DESIGN "Never").
import { FirmError, HEADERS } from "@firm/protocol";
import { nuid } from "nats";
import * as z from "zod";
import { JS_ERRORS, jetStreamErrorOf, parseReply } from "./jetstream.ts";
import type { Link } from "./link.ts";
import { toClientHeaders } from "./message.ts";
import { NoRespondersError } from "./mux.ts";
import { lastSequence, readLast } from "./read.ts";
import { retrying } from "./retry.ts";
import type { Appended, AppendOptions, Headers } from "./types.ts";

const PubAck = z.object({ seq: z.number(), duplicate: z.boolean().default(false) });

/** One attempt waits this long for the acknowledgement; the retry is safe, so it is short. */
const ATTEMPT_MS = 2_000;
/** Tries against what nobody appended; each has to be put there anew. */
const ROUNDS = 8;

/**
 * Publishes and waits until it is stored.
 * @throws FirmError `already-ended`, `too-large`, `storage-unavailable`, `bus-unavailable`, `permission-refused`.
 */
export async function append(
  link: Link,
  subject: string,
  body: string | Uint8Array,
  options: AppendOptions = {},
): Promise<Appended> {
  const event = { subject, body, msgId: options.msgId ?? nuid.next(), headers: options.headers ?? {} };
  const wanted = options.expectedLastSubjectSequence;
  let expected = wanted;
  for (let round = 0; ; round++) {
    try {
      return await publish(link, event, expected);
    } catch (error) {
      const stream = refusingStream(error);
      if (stream === undefined) throw error;
      const last = await readLast(link, stream, subject);
      // What stands already may be this very append, its acknowledgement lost: the message id tells. The server's own
      // check for duplicates forgets after the stream's duplicate window; this one does not.
      if (last?.headers[HEADERS.msgId] === event.msgId) return { seq: last.seq, duplicate: true };
      // What stands there may have been appended by nobody (see authentic.ts): it must not keep the event out.
      const standing =
        last === undefined && wanted === 0 && round < ROUNDS ? await lastSequence(link, stream, subject) : 0;
      if (standing === 0) throw taken(subject, wanted, last?.seq, error);
      expected = standing;
    }
  }
}

interface Event {
  readonly subject: string;
  readonly body: string | Uint8Array;
  readonly msgId: string;
  readonly headers: Headers;
}

async function publish(
  link: Link,
  { subject, body, msgId, headers }: Event,
  expected: number | undefined,
): Promise<Appended> {
  const all = toClientHeaders({
    ...headers,
    [HEADERS.msgId]: msgId,
    ...(expected === undefined ? {} : { [HEADERS.expectedLastSubjectSequence]: String(expected) }),
  });
  try {
    return await retrying(link, async (leftMs) =>
      parseReply(await link.mux.send(subject, body, all, Math.min(ATTEMPT_MS, leftMs)), PubAck, subject),
    );
  } catch (error) {
    if (!(error instanceof NoRespondersError)) throw error;
    throw new FirmError("storage-unavailable", `no stream takes "${subject}"`, {
      cause: error,
      hint: "is JetStream enabled on the server, and has `firm bus init` been run?",
    });
  }
}

/** The stream that refused because of the expected sequence; undefined for any other failure. */
function refusingStream(error: unknown): string | undefined {
  const refusal = jetStreamErrorOf(error);
  const code = refusal?.body.err_code;
  return code === JS_ERRORS.wrongLastSequence || code === JS_ERRORS.wrongLastSequenceUnknown
    ? refusal?.stream
    : undefined;
}

function taken(
  subject: string,
  wanted: number | undefined,
  seq: number | undefined,
  cause: unknown,
): FirmError {
  const message =
    wanted === 0 ? `"${subject}" stands already` : `"${subject}" has changed since sequence ${wanted}`;
  return new FirmError("already-ended", `${message} (now ${seq ?? "deleted"})`, { cause });
}
