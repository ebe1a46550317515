// Owns answering NATS's service discovery (`nats micro ls | info | stats`), by its protocol "io.nats.micro.v1"
// (nats-architecture-and-design, ADR-32): the client's own package for it does not match the client's version.
import { FirmError } from "@firm/protocol";
import { nuid } from "nats";
import type { Bus, Subscription } from "./types.ts";

export interface MicroEndpoint {
  readonly name: string;
  readonly subject: string;
  readonly queue?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface MicroOptions {
  /** Letters, digits, "-", "_"; see `serviceNameOf`. */
  readonly name: string;
  /** Semantic version. */
  readonly version: string;
  readonly description: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly endpoints: readonly MicroEndpoint[];
}

/** A service that discovery lists. */
export interface MicroService {
  /** Unique for each process. */
  readonly id: string;
  /** Counts one request of an endpoint; `ms` it took, and what went wrong. */
  record(endpoint: string, ms: number, error?: unknown): void;
  /** Zeroes the counts. */
  reset(): void;
  stop(): void;
}

interface Counters {
  num_requests: number;
  num_errors: number;
  last_error: string;
  processing_time: number;
}

const NAME = /^[A-Za-z0-9_-]+$/;
const NANOS_PER_MS = 1_000_000;

/** Answers PING, INFO and STATS for all, for this name, and for this very process. */
export function serveMicro(bus: Bus, options: MicroOptions): MicroService {
  if (!NAME.test(options.name))
    throw new FirmError("invalid-input", `"${options.name}" is not a service name`, { field: "name" });
  const id = nuid.next();
  const identity = { name: options.name, id, version: options.version, metadata: options.metadata ?? {} };
  const endpoints = options.endpoints.map(({ name, subject, queue = "", metadata = {} }) => ({
    name,
    subject,
    queue_group: queue,
    metadata,
  }));
  const zero = (): Counters => ({ num_requests: 0, num_errors: 0, last_error: "", processing_time: 0 });
  const counters = new Map(endpoints.map(({ name }) => [name, zero()]));
  let started = new Date().toISOString();

  const stats = () =>
    endpoints.map(({ name, subject, queue_group }) => {
      const counts = counters.get(name) ?? zero();
      const average =
        counts.num_requests === 0 ? 0 : Math.round(counts.processing_time / counts.num_requests);
      return { name, subject, queue_group, ...counts, average_processing_time: average };
    });
  const answers = {
    PING: () => ({ type: "io.nats.micro.v1.ping_response", ...identity }),
    INFO: () => ({
      type: "io.nats.micro.v1.info_response",
      ...identity,
      description: options.description,
      endpoints,
    }),
    STATS: () => ({ type: "io.nats.micro.v1.stats_response", ...identity, started, endpoints: stats() }),
  };
  const subscriptions: Subscription[] = [];
  for (const [verb, answer] of Object.entries(answers)) {
    for (const subject of [
      `$SRV.${verb}`,
      `$SRV.${verb}.${options.name}`,
      `$SRV.${verb}.${options.name}.${id}`,
    ]) {
      subscriptions.push(bus.subscribe(subject, (request) => request.respond(JSON.stringify(answer()))));
    }
  }
  return {
    id,
    record: (endpoint, ms, error) => {
      const counts = counters.get(endpoint);
      if (counts === undefined) return;
      counts.num_requests++;
      counts.processing_time += Math.round(ms * NANOS_PER_MS);
      if (error === undefined) return;
      counts.num_errors++;
      const message = error instanceof Error ? error.message : "unknown";
      counts.last_error = `${error instanceof FirmError ? error.status : 500}:${message}`;
    },
    reset: () => {
      for (const name of counters.keys()) counters.set(name, zero());
      started = new Date().toISOString();
    },
    stop: () => {
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}
