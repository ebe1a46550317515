// Owns publishing to streams: nothing counts as stored before the stream says so, and a retry is never a second event (DESIGN "Never").
import { FirmError, HEADERS } from "@firm/protocol";
import { nuid } from "nats";
import * as z from "zod";
import { JS_ERRORS, jetStreamErrorOf, parseReply } from "./jetstream.ts";
import type { Link } from "./link.ts";
import { toClientHeaders } from "./message.ts";
import { NoRespondersError } from "./mux.ts";
import { readLast } from "./read.ts";
import { retrying } from "./retry.ts";
import type { Appended, AppendOptions } from "./types.ts";

const PubAck = z.object({ seq: z.number(), duplicate: z.boolean().default(false) });

/** One attempt waits this long for the acknowledgement; the retry is safe, so it is short. */
const ATTEMPT_MS = 2_000;

/** Publishes and waits until it is stored.
 * @throws FirmError `already-ended`, `too-large`, `storage-unavailable`, `bus-unavailable`, `permission-refused`. */
export async function append(link: Link, subject: string, body: string | Uint8Array, options: AppendOptions = {}): Promise<Appended> {
  const msgId = options.msgId ?? nuid.next();
  const headers = toClientHeaders({
    ...options.headers,
    [HEADERS.msgId]: msgId,
    ...(options.expectedLastSubjectSequence === undefined
      ? {}
      : { [HEADERS.expectedLastSubjectSequence]: String(options.expectedLastSubjectSequence) }),
  });
  try {
    return await retrying(link, async (leftMs) => {
      const msg = await link.mux.send(subject, body, headers, Math.min(ATTEMPT_MS, leftMs));
      return parseReply(msg, PubAck, subject);
    });
  } catch (error) {
    const refusal = jetStreamErrorOf(error);
    const code = refusal?.body.err_code;
    if (refusal?.stream !== undefined && (code === JS_ERRORS.wrongLastSequence || code === JS_ERRORS.wrongLastSequenceUnknown)) {
      return ownOrTaken(link, refusal.stream, subject, msgId, options.expectedLastSubjectSequence, error);
    }
    if (error instanceof NoRespondersError) {
      throw new FirmError("storage-unavailable", `no stream takes "${subject}"`, {
        cause: error,
        hint: "is JetStream enabled on the server, and has `firm bus init` been run?",
      });
    }
    throw error;
  }
}

/**
 * What stands already may be this very append, its acknowledgement lost: the message id tells. The server's own
 * check for duplicates forgets after the stream's duplicate window; this one does not.
 */
async function ownOrTaken(
  link: Link,
  stream: string,
  subject: string,
  msgId: string,
  expected: number | undefined,
  cause: unknown,
): Promise<Appended> {
  const last = await readLast(link, stream, subject);
  if (last?.headers[HEADERS.msgId] === msgId) return { seq: last.seq, duplicate: true };
  const message = expected === 0 ? `"${subject}" stands already` : `"${subject}" has changed since sequence ${expected}`;
  throw new FirmError("already-ended", `${message} (now ${last?.seq ?? "deleted"})`, { cause });
}
