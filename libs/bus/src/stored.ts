// Owns reading a stream's messages as the server delivers them: by consumer (metadata in the ack subject) or by direct get (in headers).
import type { Msg } from "nats";
import { Received } from "./message.ts";
import type { StoredMessage } from "./types.ts";

/** What an ack subject says. */
export interface AckInfo {
  readonly stream: string;
  readonly consumer: string;
  readonly deliveryCount: number;
  readonly streamSeq: number;
  readonly consumerSeq: number;
  /** epoch ms */
  readonly storedAt: number;
  /** Messages that the consumer has not delivered yet. */
  readonly pending: number;
}

/**
 * Reads `$JS.ACK.<stream>.<consumer>.<delivered>.<stream seq>.<consumer seq>.<ns>.<pending>`, or the longer form
 * with domain and account hash; undefined for any other subject.
 */
export function parseAckSubject(reply: string): AckInfo | undefined {
  if (!reply.startsWith("$JS.ACK.")) return undefined;
  const tokens = reply.split(".");
  const at = tokens.length === 9 ? 2 : 4;
  const [stream, consumer, delivered, streamSeq, consumerSeq, nanos, pending] = tokens.slice(at);
  if (stream === undefined || consumer === undefined || nanos === undefined) return undefined;
  return {
    stream,
    consumer,
    deliveryCount: Number(delivered),
    streamSeq: Number(streamSeq),
    consumerSeq: Number(consumerSeq),
    storedAt: Number(nanos.slice(0, -6)),
    pending: Number(pending),
  };
}

/** A message that a consumer delivered. */
export class Delivered extends Received implements StoredMessage {
  readonly info: AckInfo;
  constructor(msg: Msg, info: AckInfo) {
    super(msg);
    this.info = info;
  }
  get seq(): number {
    return this.info.streamSeq;
  }
  get storedAt(): number {
    return this.info.storedAt;
  }
}

/** A message that a direct get returned: subject, sequence and time are headers. */
export class DirectlyRead extends Received implements StoredMessage {
  override get subject(): string {
    return this.headers["Nats-Subject"] ?? "";
  }
  get seq(): number {
    return Number(this.headers["Nats-Sequence"]);
  }
  get storedAt(): number {
    return Date.parse(this.headers["Nats-Time-Stamp"] ?? "");
  }
}
