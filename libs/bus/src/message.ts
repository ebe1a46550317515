// Owns how the client's messages look to the rest of Firm; headers are read only when asked for.
import { FirmError } from "@firm/protocol";
import { MsgHdrsImpl, type Msg, type MsgHdrs } from "nats";
import { errorReply } from "./errors.ts";
import type { BusMessage, BusRequest, Headers } from "./types.ts";

const NO_HEADERS: Headers = Object.freeze({});
const BREAKS_HEADER = /[\r\n]/;

/** Client headers of ours. @throws FirmError `invalid-input` where a value would break the header block. */
export function toClientHeaders(headers: Headers): MsgHdrs {
  const record: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (BREAKS_HEADER.test(value))
      throw new FirmError("invalid-input", `header ${name} holds a line break`, { field: name });
    record[name] = [value];
  }
  return MsgHdrsImpl.fromRecord(record);
}

function toHeaders(headers: MsgHdrs | undefined): Headers {
  if (headers === undefined) return NO_HEADERS;
  const record: Record<string, string> = {};
  for (const [name, [value]] of headers) if (value !== undefined) record[name] = value;
  return record;
}

/** A received message. */
export class Received implements BusMessage {
  protected readonly msg: Msg;
  #headers: Headers | undefined;

  constructor(msg: Msg) {
    this.msg = msg;
  }
  get subject(): string {
    return this.msg.subject;
  }
  get headers(): Headers {
    return (this.#headers ??= toHeaders(this.msg.headers));
  }
  get size(): number {
    return this.msg.data.length;
  }
  text(): string {
    return this.msg.string();
  }
  bytes(): Uint8Array {
    return this.msg.data;
  }
}

/**
 * Where an answer may go. The answerer's own rights apply to it, so a reply subject inside Firm's or the server's
 * subjects would let the asker speak with them (confused deputy): no answer goes there.
 */
export function mayReplyTo(subject: string): boolean {
  return subject !== "" && !subject.startsWith("firm.") && !subject.startsWith("$");
}

/** A received message that may want an answer. */
export class ReceivedRequest extends Received implements BusRequest {
  get expectsReply(): boolean {
    return mayReplyTo(this.msg.reply ?? "");
  }
  respond(body: string | Uint8Array, headers?: Headers): void {
    if (!this.expectsReply) return;
    this.msg.respond(body, headers === undefined ? undefined : { headers: toClientHeaders(headers) });
  }
  fail(error: unknown): void {
    const { headers, body } = errorReply(error);
    this.respond(body, headers);
  }
}
