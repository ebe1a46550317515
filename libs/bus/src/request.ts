// Owns request and reply: one try, since only the asker knows whether asking twice does harm.
import { FirmError } from "@firm/protocol";
import { fromReply } from "./errors.ts";
import type { Link } from "./link.ts";
import { Received, toClientHeaders } from "./message.ts";
import type { BusMessage, RequestOptions } from "./types.ts";

const TIMEOUT_MS = 5_000;

/**
 * Asks. Waits for the connection first where it is lost.
 * @throws FirmError with the answerer's code, or `bus-unavailable`, `permission-refused`, `too-large`.
 */
export async function request(
  link: Link,
  subject: string,
  body: string | Uint8Array,
  options: RequestOptions = {},
): Promise<BusMessage> {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  if (options.signal !== undefined)
    return abortable(options.signal, () => ask(link, subject, body, options, timeoutMs));
  return ask(link, subject, body, options, timeoutMs);
}

async function ask(
  link: Link,
  subject: string,
  body: string | Uint8Array,
  options: RequestOptions,
  timeoutMs: number,
): Promise<BusMessage> {
  let leftMs = timeoutMs;
  if (!link.connected) {
    const start = performance.now();
    await link.whenConnected(timeoutMs);
    leftMs = Math.max(1, timeoutMs - (performance.now() - start));
  }
  const msg = await link.mux.send(
    subject,
    body,
    options.headers === undefined ? undefined : toClientHeaders(options.headers),
    leftMs,
  );
  const error = fromReply(msg);
  if (error !== undefined) throw error;
  return new Received(msg);
}

/** Rejects with the signal's reason as soon as it aborts. */
function abortable<T>(signal: AbortSignal, operation: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(
        signal.reason instanceof Error ? signal.reason : new FirmError("internal", String(signal.reason)),
      );
    };
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    operation()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
