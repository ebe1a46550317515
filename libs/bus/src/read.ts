// Owns reading single messages of a stream.
import { FirmError } from "@firm/protocol";
import type { Link } from "./link.ts";
import { retrying } from "./retry.ts";
import { DirectlyRead } from "./stored.ts";
import type { StoredMessage } from "./types.ts";

/**
 * The latest message under a subject, by direct get: any replica answers.
 * @throws FirmError `bus-unavailable`, `storage-unavailable`.
 */
export async function readLast(link: Link, stream: string, subject: string): Promise<StoredMessage | undefined> {
  return retrying(link, async (leftMs) => {
    const msg = await link.mux.send(`$JS.API.DIRECT.GET.${stream}.${subject}`, "", undefined, Math.min(leftMs, 2_000));
    const status = msg.data.length === 0 ? (msg.headers?.code ?? 0) : 0;
    if (status === 404) return undefined;
    if (status >= 400) throw new FirmError("storage-unavailable", `${stream}: ${msg.headers?.description ?? "cannot be read"}`);
    return new DirectlyRead(msg);
  });
}
