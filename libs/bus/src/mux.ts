// Owns the requests in flight: one inbox subscription for all, and no waiting for an answer that a lost connection cannot bring.
import { FirmError } from "@firm/protocol";
import {
  createInbox,
  InvalidArgumentError,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type PermissionViolationError,
} from "nats";
import { fromClient, refused } from "./errors.ts";

interface Pending {
  readonly subject: string;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (msg: Msg) => void;
  readonly reject: (error: FirmError) => void;
}

/** True for the server's word that nobody subscribes to the subject. */
export function isNoResponders(msg: Msg): boolean {
  return msg.data.length === 0 && msg.headers?.code === 503;
}

/** Nobody subscribes to the subject: told apart from an answer that does not come. */
export class NoRespondersError extends FirmError {
  constructor(subject: string) {
    super("bus-unavailable", `nobody answers on "${subject}": no process subscribes to it`);
    this.name = "NoRespondersError";
  }
}

/** What a failed publish means; the client refuses what the server would not take. */
export function publishFailure(
  nc: NatsConnection,
  subject: string,
  body: string | Uint8Array,
  error: unknown,
): FirmError {
  if (!(error instanceof InvalidArgumentError) || !error.message.includes("max_payload"))
    return fromClient(error, `publishing to "${subject}"`);
  const size = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  const limit = nc.info?.max_payload ?? 0;
  return new FirmError(
    "too-large",
    `${size} bytes for "${subject}" with their headers exceed the server's max_payload of ${limit} bytes`,
    {
      cause: error,
      hint: "put large content into the artifact store and send its name",
    },
  );
}

/** Requests over one inbox. */
export class Mux {
  readonly #nc: NatsConnection;
  readonly #prefix: string;
  readonly #pending = new Map<string, Pending>();
  #next = 0;
  #refused: FirmError | undefined;

  constructor(nc: NatsConnection, inboxPrefix: string) {
    this.#nc = nc;
    this.#prefix = `${createInbox(inboxPrefix)}.`;
    nc.subscribe(`${this.#prefix}*`, { callback: (error, msg) => this.#receive(error, msg) });
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  /** One request; the caller reads error headers. @throws FirmError `bus-unavailable`, `permission-refused`. */
  send(
    subject: string,
    body: string | Uint8Array,
    headers: MsgHdrs | undefined,
    timeoutMs: number,
  ): Promise<Msg> {
    if (this.#refused !== undefined) return Promise.reject(this.#refused);
    const token = (this.#next++).toString(36);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(token);
        reject(new FirmError("bus-unavailable", `no answer on "${subject}" within ${timeoutMs} ms`));
      }, timeoutMs);
      this.#pending.set(token, { subject, timer, resolve, reject });
      try {
        this.#nc.publish(
          subject,
          body,
          headers === undefined ? { reply: this.#prefix + token } : { reply: this.#prefix + token, headers },
        );
      } catch (error) {
        this.#take(token);
        reject(publishFailure(this.#nc, subject, body, error));
      }
    });
  }

  /** Fails what waits: the connection that the answers would have come on is gone. */
  failAll(message: string): void {
    for (const token of [...this.#pending.keys()])
      this.#take(token)?.reject(new FirmError("bus-unavailable", message));
  }

  /** Fails what was refused by the server's permissions. */
  failRefused(error: PermissionViolationError): void {
    if (error.operation !== "publish") return;
    for (const [token, { subject }] of [...this.#pending]) {
      if (subject === error.subject) this.#take(token)?.reject(refused(error, "requesting"));
    }
  }

  #take(token: string): Pending | undefined {
    const pending = this.#pending.get(token);
    if (pending === undefined) return undefined;
    this.#pending.delete(token);
    clearTimeout(pending.timer);
    return pending;
  }

  #receive(error: Error | null, msg: Msg): void {
    if (error !== null) {
      this.#refused = fromClient(error, "subscribing to the reply inbox");
      for (const token of [...this.#pending.keys()]) this.#take(token)?.reject(this.#refused);
      return;
    }
    const pending = this.#take(msg.subject.slice(this.#prefix.length));
    if (pending === undefined) return;
    if (isNoResponders(msg)) {
      pending.reject(new NoRespondersError(pending.subject));
    } else pending.resolve(msg);
  }
}
