// What the rest of Firm sees of the bus; nothing outside libs/bus knows the NATS client.
import type { ErrorCode } from "@firm/protocol";

/** Header names to values; one value each is all that Firm uses. */
export type Headers = Readonly<Record<string, string>>;

/** A received message. */
export interface BusMessage {
  readonly subject: string;
  readonly headers: Headers;
  text(): string;
  bytes(): Uint8Array;
  /** Size of the payload, bytes. */
  readonly size: number;
}

/** A received message that wants an answer. */
export interface BusRequest extends BusMessage {
  /** False for a plain publish. */
  readonly expectsReply: boolean;
  respond(body: string | Uint8Array, headers?: Headers): void;
  /** Answers with `Nats-Service-Error`, `Nats-Service-Error-Code` and a JSON body; see `WireError`. */
  fail(error: unknown): void;
}

export interface RequestOptions {
  headers?: Headers;
  /** ms; default 5000. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface AppendOptions {
  headers?: Headers;
  /** `Nats-Msg-Id`: a second append under the same id is a duplicate, not an event. */
  msgId?: string;
  /** 0: nothing may stand under this subject yet. */
  expectedLastSubjectSequence?: number;
}

/** What the stream says of an append. */
export interface Appended {
  readonly seq: number;
  readonly duplicate: boolean;
}

/** A message of a stream. */
export interface StoredMessage extends BusMessage {
  readonly seq: number;
  /** When the stream stored it, epoch ms. */
  readonly storedAt: number;
}

/** One delivery of a work-queue message; exactly one of ack, nak, term ends it. */
export interface Delivery extends StoredMessage {
  /** 1 for the first. */
  readonly deliveryCount: number;
  /** Resolves when the server has confirmed the acknowledgement. */
  ack(): Promise<void>;
  /** Deliver again after the delay, ms. */
  nak(delayMs: number): void;
  /** Never deliver again. */
  term(reason: string): void;
  /** Extends the ack wait. The runtime calls it at half of ack_wait. */
  working(): void;
}

/** Pulls work from one durable, one message for each free slot. */
export interface WorkSource {
  /**
   * Calls `handle` for each delivery; pulls the next only while `slots.acquire()` grants a slot.
   * The handler's promise does not hold the pull: slots do. Survives reconnects and missed heartbeats.
   * Resolves after `stop()`.
   */
  run(slots: SlotSource, handle: (delivery: Delivery) => void): Promise<void>;
  /** No further pull; deliveries already handed out go on. */
  stop(): void;
  /** ms of the durable's ack_wait. */
  readonly ackWaitMs: number;
}

/** Grants concurrency slots. */
export interface SlotSource {
  /** Resolves with true when a slot is free and taken, false when the source is closed. */
  acquire(): Promise<boolean>;
  /** Gives back a slot that was taken and found no work. */
  release(): void;
}

/** A gapless, ordered feed of a stream that survives reconnects. */
export interface Feed {
  stop(): Promise<void>;
  /** Sequence last handed to the handler. */
  readonly seq: number;
}

export interface KvEntry {
  readonly key: string;
  readonly text: string;
  readonly revision: number;
}

/** A KV bucket; every write is a compare-and-set except `put`. */
export interface KvStore {
  get(key: string): Promise<KvEntry | undefined>;
  /** @returns the revision, or undefined where the key exists. */
  create(key: string, text: string): Promise<number | undefined>;
  /** @returns the new revision, or undefined where `revision` is not the latest. */
  update(key: string, text: string, revision: number): Promise<number | undefined>;
  put(key: string, text: string): Promise<number>;
  delete(key: string): Promise<void>;
  /** Keys that match a filter such as `01J….*`; all by default. */
  keys(filter?: string): Promise<string[]>;
}

/** The object store `firm-artifacts`. */
export interface ArtifactStore {
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | undefined>;
  delete(name: string): Promise<void>;
  list(): Promise<{ name: string; size: number }[]>;
}

export interface Subscription {
  /** Handles what has arrived, then ends. */
  drain(): Promise<void>;
  unsubscribe(): void;
}

/** What happens to the connection, for logs, metrics and readiness. */
export type BusStatus =
  | { readonly type: "connected"; readonly server: string }
  | { readonly type: "disconnected" }
  | { readonly type: "reconnected"; readonly server: string }
  | { readonly type: "permission-refused"; readonly subject: string; readonly operation: string }
  | { readonly type: "slow-consumer"; readonly subject: string }
  /** A callback threw; the message is lost to it, the connection goes on. */
  | { readonly type: "handler-failed"; readonly subject: string; readonly error: unknown }
  | { readonly type: "closed"; readonly error: Error | undefined };

/**
 * A connection to the bus. Failures are FirmErrors: `bus-unavailable` (not connected, no responders, timeout),
 * `storage-unavailable` (JetStream cannot store), `permission-refused`, `too-large`, or the code that a
 * responder sent in its error headers.
 */
export interface Bus {
  readonly maxPayload: number;
  readonly connected: boolean;
  /** Resolves when the connection is closed for good. */
  readonly closed: Promise<void>;
  onStatus(listener: (status: BusStatus) => void): void;
  request(subject: string, body: string | Uint8Array, options?: RequestOptions): Promise<BusMessage>;
  /** At most once, no acknowledgement: for broadcasts only. */
  publish(subject: string, body: string | Uint8Array, headers?: Headers): void;
  subscribe(
    subject: string,
    handler: (message: BusRequest) => void,
    options?: { queue?: string },
  ): Subscription;
  /**
   * Publishes to a stream and waits for it to be stored; retries passing failures under the same message id.
   * @throws FirmError `already-ended` where `expectedLastSubjectSequence` does not hold.
   */
  append(subject: string, body: string | Uint8Array, options?: AppendOptions): Promise<Appended>;
  work(stream: string, durable: string): Promise<WorkSource>;
  /** Reads what stands under a subject filter now, in order, from a sequence on. */
  read(stream: string, filter: string, fromSeq?: number): Promise<StoredMessage[]>;
  /** The latest message under a subject, by direct get. */
  last(stream: string, subject: string): Promise<StoredMessage | undefined>;
  /** Follows a stream from a sequence on (1 is the first); undefined: only what is new. */
  follow(
    stream: string,
    filter: string,
    fromSeq: number | undefined,
    handler: (message: StoredMessage) => void,
  ): Promise<Feed>;
  kv(bucket: string): Promise<KvStore>;
  artifacts(): Promise<ArtifactStore>;
  /** Messages waiting and unacknowledged of a durable. */
  lag(stream: string, durable: string): Promise<{ pending: number; unacknowledged: number }>;
  /** Messages that a stream holds; the subject is one that it takes. */
  held(stream: string, subject: string): Promise<number>;
  /** Moves messages that were delivered `max_deliver` times to the dead letter queue; calls back for each. */
  deadLetters(
    stream: string,
    handler: (message: StoredMessage, durable: string) => Promise<void>,
  ): Promise<Subscription>;
  /** Round trip to the server, ms. */
  rtt(): Promise<number>;
  /** Ends subscriptions, flushes, closes. */
  drain(): Promise<void>;
}

/** A wire error read from a reply. */
export interface ServiceErrorReply {
  readonly code: ErrorCode;
  readonly message: string;
}
