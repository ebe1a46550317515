// Owns reading how many messages a stream holds, by the list of streams, which needs no right to the stream itself.
import { FirmError } from "@firm/protocol";
import * as z from "zod";
import { apiRequest } from "./jetstream.ts";
import type { Link } from "./link.ts";

const Listed = z.object({
  streams: z
    .array(z.object({ config: z.object({ name: z.string() }), state: z.object({ messages: z.number() }) }))
    .nullable()
    .default([]),
});

/**
 * Messages that a stream holds.
 * @param subject one that the stream takes, so that the list is short
 * @throws FirmError `storage-unavailable` where there is no such stream.
 */
export async function readHeld(link: Link, stream: string, subject: string): Promise<number> {
  const { streams } = await apiRequest(link, "STREAM.LIST", { subject }, Listed, `stream ${stream}`);
  const found = streams?.find(({ config }) => config.name === stream);
  if (found === undefined)
    throw new FirmError("storage-unavailable", `there is no stream ${stream}`, {
      hint: "`firm bus init` creates the streams, durables and buckets",
    });
  return found.state.messages;
}
