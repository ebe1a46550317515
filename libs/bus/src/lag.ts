// Owns reading how far behind a durable is.
import * as z from "zod";
import { apiRequest } from "./jetstream.ts";
import type { Link } from "./link.ts";

const Info = z.object({ num_pending: z.number(), num_ack_pending: z.number() });

/** Messages waiting and unacknowledged. @throws FirmError. */
export async function readLag(
  link: Link,
  stream: string,
  durable: string,
): Promise<{ pending: number; unacknowledged: number }> {
  const info = await apiRequest(
    link,
    `CONSUMER.INFO.${stream}.${durable}`,
    undefined,
    Info,
    `durable ${durable} of ${stream}`,
  );
  return { pending: info.num_pending, unacknowledged: info.num_ack_pending };
}
