// Owns the client connection: it reconnects for ever and tells what happens (DESIGN "NATS practice that cost others dearly").
import { FirmError } from "@firm/protocol";
import {
  AuthorizationError,
  connect,
  createInbox,
  nkeyAuthenticator,
  PermissionViolationError,
  type NatsConnection,
  type Status,
} from "nats";
import { Mux } from "./mux.ts";
import type { BusStatus } from "./types.ts";

/** Where and as whom to connect. */
export interface ConnectOptions {
  /** `nats://host:port`; several as a list or with commas. */
  servers: string | readonly string[];
  /** Shown by the server's monitoring, e.g. the role. */
  name: string;
  /** Seed of the user nkey, `SU…`; absent where the server asks for none. */
  nkeySeed?: string | Uint8Array;
  /** Private inbox prefix of a role; default `_INBOX`. */
  inboxPrefix?: string;
  /** Time for one attempt to connect, ms; default 5000. */
  timeoutMs?: number;
  /** Wait for a server that is not there yet instead of failing. */
  waitOnFirstConnect?: boolean;
}

/** Quick on loopback; the jitter keeps a firm's processes from returning all at once. */
const RECONNECT_WAIT_MS = 100;
const RECONNECT_JITTER_MS = 150;
/** A server that is gone without closing the socket is noticed after two of these. */
const PING_INTERVAL_MS = 20_000;
const DRAIN_MS = 5_000;

/** A connection and what is known of it. */
export class Link {
  readonly nc: NatsConnection;
  readonly inboxPrefix: string;
  readonly mux: Mux;
  readonly closed: Promise<void>;
  connected = true;
  readonly #listeners = new Set<(status: BusStatus) => void>();
  #whenConnected = Promise.withResolvers<void>();

  constructor(nc: NatsConnection, inboxPrefix: string) {
    this.nc = nc;
    this.inboxPrefix = inboxPrefix;
    this.mux = new Mux(nc, inboxPrefix);
    this.#whenConnected.resolve();
    void this.#watch();
    this.closed = nc.closed().then((error) => {
      this.connected = false;
      this.mux.failAll("the connection to NATS is closed");
      this.emit({ type: "closed", error: error instanceof Error ? error : undefined });
    });
  }

  /** A new private inbox subject. */
  inbox(): string {
    return createInbox(this.inboxPrefix);
  }

  on(listener: (status: BusStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(status: BusStatus): void {
    for (const listener of this.#listeners) listener(status);
  }

  /** Resolves when connected. @throws FirmError `bus-unavailable` after `timeoutMs`, or at once when closed for good. */
  async whenConnected(timeoutMs: number): Promise<void> {
    if (this.connected) return;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new FirmError("bus-unavailable", `not connected to NATS for ${timeoutMs} ms`)),
      timeoutMs,
    );
    try {
      await Promise.race([
        this.#whenConnected.promise,
        late.promise,
        this.closed.then(() =>
          Promise.reject(new FirmError("bus-unavailable", "the connection to NATS is closed")),
        ),
      ]);
    } finally {
      clearTimeout(timer);
    }
  }

  async drain(): Promise<void> {
    if (this.nc.isClosed()) return;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("drain took too long")), DRAIN_MS);
    try {
      await Promise.race([this.nc.drain(), late.promise]);
    } catch {
      // The server cannot be reached: what is unsent cannot be saved, and closing must not wait for it.
      await this.nc.close();
    } finally {
      clearTimeout(timer);
    }
    await this.closed;
  }

  async #watch(): Promise<void> {
    for await (const status of this.nc.status()) this.#note(status);
  }

  #note(status: Status): void {
    if (status.type === "disconnect") {
      if (this.connected) this.#whenConnected = Promise.withResolvers();
      this.connected = false;
      this.mux.failAll("the connection to NATS was lost before the answer came");
      this.emit({ type: "disconnected" });
    } else if (status.type === "reconnect") {
      this.connected = true;
      this.#whenConnected.resolve();
      this.emit({ type: "reconnected", server: status.server });
    } else if (status.type === "error") {
      if (status.error instanceof PermissionViolationError) {
        this.mux.failRefused(status.error);
        this.emit({
          type: "permission-refused",
          subject: status.error.subject,
          operation: status.error.operation,
        });
      } else if (/slow consumer/i.test(status.error.message))
        this.emit({ type: "slow-consumer", subject: "" });
    }
  }
}

/**
 * Connects.
 * @throws FirmError `bus-unavailable` where no server answers, `permission-refused` where it knows no such key.
 */
export async function openLink(options: ConnectOptions): Promise<Link> {
  const servers =
    typeof options.servers === "string"
      ? options.servers.split(",").map((server) => server.trim())
      : [...options.servers];
  const inboxPrefix = options.inboxPrefix ?? "_INBOX";
  const seed =
    typeof options.nkeySeed === "string"
      ? new TextEncoder().encode(options.nkeySeed.trim())
      : options.nkeySeed;
  try {
    const nc = await connect({
      servers,
      name: options.name,
      inboxPrefix,
      timeout: options.timeoutMs ?? 5_000,
      waitOnFirstConnect: options.waitOnFirstConnect ?? false,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      reconnectJitter: RECONNECT_JITTER_MS,
      pingInterval: PING_INTERVAL_MS,
      noAsyncTraces: true,
      ...(seed === undefined ? {} : { authenticator: nkeyAuthenticator(seed) }),
    });
    return new Link(nc, inboxPrefix);
  } catch (error) {
    if (error instanceof AuthorizationError) {
      throw new FirmError(
        "permission-refused",
        `NATS at ${servers.join(", ")} refused the credentials of ${options.name}`,
        { cause: error },
      );
    }
    throw new FirmError(
      "bus-unavailable",
      `cannot connect to NATS at ${servers.join(", ")}: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
        hint: "is nats-server running there? FIRM_NATS_URL says where Firm looks",
      },
    );
  }
}
