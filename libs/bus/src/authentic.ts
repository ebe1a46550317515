// Pure: which stored messages were appended by a publisher (DESIGN "Subjects (v1)": `Nats-Msg-Id` on every JetStream publish).
// A server sends the answer to an API request to whatever reply subject the asker names, so a role that may pull its work can
// have the server publish into a stream that it may not publish to itself. It cannot choose a header that way: what has no
// message id is nobody's event. Objectives are excepted, since any NATS client may publish one, and each is checked on intake.
import { HEADERS, STREAMS } from "@firm/protocol";
import type { Msg } from "nats";

/** Streams whose every message has a message id. */
const APPENDED: ReadonlySet<string> = new Set([STREAMS.runs, STREAMS.work, STREAMS.dlq]);

/** False for a message that no publisher can have appended to this stream. */
export function isAppended(stream: string, msg: Msg): boolean {
  return !APPENDED.has(stream) || (msg.headers?.has(HEADERS.msgId) ?? false);
}
