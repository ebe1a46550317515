// Owns the Bus: one connection with everything Firm does on it.
import { append } from "./append.ts";
import { openArtifacts } from "./artifacts.ts";
import { openDeadLetters } from "./dead-letters.ts";
import { fromClient } from "./errors.ts";
import { readLag } from "./lag.ts";
import { readHeld } from "./held.ts";
import { openKv } from "./kv.ts";
import { openLink, type ConnectOptions, type Link } from "./link.ts";
import { toClientHeaders } from "./message.ts";
import { publishFailure } from "./mux.ts";
import { OrderedConsumer, readAll } from "./ordered.ts";
import { readLast } from "./read.ts";
import { request } from "./request.ts";
import { subscribe } from "./subscribe.ts";
import type { Bus, Feed } from "./types.ts";
import { openWork } from "./work.ts";

/** The links behind the buses made here, for the parts of this library that need more than a Bus shows. */
const links = new WeakMap<Bus, Link>();

/** The link of a bus that `connectBus` made. */
export function linkOf(bus: Bus): Link {
  const link = links.get(bus);
  if (link === undefined) throw new TypeError("this Bus was not made by connectBus");
  return link;
}

/**
 * Connects to the bus.
 * @throws FirmError `bus-unavailable` where no server answers, `permission-refused` where it refuses the credentials.
 */
export async function connectBus(options: ConnectOptions): Promise<Bus> {
  return busOn(await openLink(options));
}

function busOn(link: Link): Bus {
  const { nc } = link;
  const bus: Bus = {
    get maxPayload() {
      return nc.info?.max_payload ?? 0;
    },
    get connected() {
      return link.connected;
    },
    closed: link.closed,
    onStatus: (listener) => {
      link.on(listener);
      if (link.connected) listener({ type: "connected", server: nc.getServer() });
    },
    request: (subject, body, options) => request(link, subject, body, options),
    publish: (subject, body, headers) => {
      try {
        nc.publish(subject, body, headers === undefined ? {} : { headers: toClientHeaders(headers) });
      } catch (error) {
        throw publishFailure(nc, subject, body, error);
      }
    },
    subscribe: (subject, handler, options) => subscribe(link, subject, handler, options?.queue),
    append: (subject, body, options) => append(link, subject, body, options),
    work: (stream, durable) => openWork(link, stream, durable),
    read: (stream, filter, fromSeq) => readAll(link, { stream, filter, from: fromSeq ?? 1 }),
    last: (stream, subject) => readLast(link, stream, subject),
    follow: async (stream, filter, fromSeq, handler): Promise<Feed> => {
      const consumer = new OrderedConsumer(link, {
        stream,
        filter,
        from: fromSeq ?? "new",
        onMessage: handler,
      });
      await consumer.start();
      return consumer;
    },
    kv: (bucket) => openKv(link, bucket),
    artifacts: () => openArtifacts(link),
    lag: (stream, durable) => readLag(link, stream, durable),
    held: (stream, subject) => readHeld(link, stream, subject),
    deadLetters: (stream, handler) => openDeadLetters(link, stream, handler),
    rtt: async () => {
      const start = performance.now();
      try {
        await nc.flush();
      } catch (error) {
        throw fromClient(error, "measuring the round trip");
      }
      return performance.now() - start;
    },
    drain: () => link.drain(),
  };
  links.set(bus, link);
  return bus;
}
