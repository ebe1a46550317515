// Owns reading single messages of a stream.
import { FirmError } from "@firm/protocol";
import type { Msg } from "nats";
import { isAppended } from "./authentic.ts";
import type { Link } from "./link.ts";
import { retrying } from "./retry.ts";
import { DirectlyRead } from "./stored.ts";
import type { StoredMessage } from "./types.ts";

/**
 * The latest message under a subject, by direct get: any replica answers. One that nobody appended counts as none.
 * @throws FirmError `bus-unavailable`, `storage-unavailable`.
 */
export async function readLast(
  link: Link,
  stream: string,
  subject: string,
): Promise<StoredMessage | undefined> {
  const msg = await lastUnder(link, stream, subject);
  return msg !== undefined && isAppended(stream, msg) ? new DirectlyRead(msg) : undefined;
}

/** Sequence of whatever was stored last under a subject; 0 for nothing. @throws FirmError. */
export async function lastSequence(link: Link, stream: string, subject: string): Promise<number> {
  const msg = await lastUnder(link, stream, subject);
  return msg === undefined ? 0 : new DirectlyRead(msg).seq;
}

async function lastUnder(link: Link, stream: string, subject: string): Promise<Msg | undefined> {
  return retrying(link, async (leftMs) => {
    const msg = await link.mux.send(
      `$JS.API.DIRECT.GET.${stream}.${subject}`,
      "",
      undefined,
      Math.min(leftMs, 2_000),
    );
    const status = msg.data.length === 0 ? (msg.headers?.code ?? 0) : 0;
    if (status === 404) return undefined;
    if (status >= 400)
      throw new FirmError(
        "storage-unavailable",
        `${stream}: ${msg.headers?.description ?? "cannot be read"}`,
      );
    return msg;
  });
}
