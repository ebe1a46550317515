// Owns a role's worker: inbox, slots, stops, drain; a service adds only what its role decides (DESIGN, "Processes").
import { hostname } from "node:os";
import { serveMicro } from "@firm/bus";
import { durableOf, serviceNameOf, STREAMS, subjects, type Role } from "@firm/protocol";
import packageJson from "../package.json" with { type: "json" };
import { AskDesk, type AskHandler } from "./asks.ts";
import { openConnection, type Connection } from "./connection.ts";
import { GatewayClient } from "./gateway-client.ts";
import type { ProcessBase, Running } from "./process.ts";
import { Slots } from "./slots.ts";
import { WorkDesk, type WorkHandler } from "./work.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

/** ms that work in hand may go on once the worker drains. */
const DRAIN_GRACE = 5_000;

/** What discovery lists of a worker: its inboxes. */
const WORK_ENDPOINT = "work";
const ASK_ENDPOINT = "ask";

export interface ActorOptions {
  readonly role: Role;
  readonly base: ProcessBase;
  readonly metrics: WorkerMetrics;
  readonly work: WorkHandler;
  /** Absent: the role is not asked questions. */
  readonly ask?: AskHandler | undefined;
}

/**
 * Connects and takes work until drained.
 * @throws FirmError `bus-unavailable`, `permission-refused` or `invalid-config`.
 */
export async function startActor(options: ActorOptions): Promise<Running> {
  const connection = await openConnection(options.base, options.role);
  try {
    return await startOn(connection, options);
  } catch (error) {
    await connection.drain();
    throw error;
  }
}

async function startOn(
  connection: Connection,
  { role, base, metrics, work, ask }: ActorOptions,
): Promise<Running> {
  const { bus } = connection;
  const source = await bus.work(STREAMS.work, durableOf(role));
  const slots = new Slots(base.config.worker.concurrency, (inUse) => metrics.slotsInUse.set({ role }, inUse));
  metrics.slots.set({ role }, slots.size);
  const micro = serveMicro(bus, {
    name: serviceNameOf(role),
    version: packageJson.version,
    description: `Works for ${role}`,
    metadata: { role },
    endpoints: [
      { name: WORK_ENDPOINT, subject: subjects.work(role), queue: durableOf(role) },
      ...(ask === undefined
        ? []
        : [{ name: ASK_ENDPOINT, subject: subjects.ask(role), queue: durableOf(role) }]),
    ],
  });
  const client = new GatewayClient(bus, role, metrics);
  const desk = new WorkDesk({
    role,
    worker: `${hostname()}/${process.pid}`,
    handler: work,
    client,
    slots,
    ackWaitMs: source.ackWaitMs,
    maxPayload: bus.maxPayload,
    log: base.log,
    metrics,
    tracing: base.tracing,
    onEnded: (ms, status) =>
      micro.record(WORK_ENDPOINT, ms, status === "failed" || status === "returned" ? status : undefined),
  });
  const asks =
    ask === undefined
      ? undefined
      : new AskDesk({
          role,
          handler: ask,
          client,
          slots,
          log: base.log,
          metrics,
          tracing: base.tracing,
          onEnded: (ms, error) => micro.record(ASK_ENDPOINT, ms, error),
        });
  const stops = bus.subscribe(subjects.allStops, (message) => {
    const run = message.subject.slice(message.subject.lastIndexOf(".") + 1);
    desk.stopRun(run);
    asks?.stopRun(run);
  });
  const questions =
    asks === undefined
      ? undefined
      : bus.subscribe(subjects.ask(role), (request) => asks.take(request), { queue: durableOf(role) });
  const pulling = source.run(slots, (delivery) => desk.take(delivery));
  // Ends only after `stop`, or because the server refuses the pull.
  const refused = pulling.then(() => new Promise<never>(() => undefined));
  refused.catch(() => undefined);
  await connection.confirm();
  return {
    failed: Promise.race([connection.failed, refused]),
    drain: async () => {
      micro.stop();
      slots.close();
      source.stop();
      // What the server has sent is still answered; the next question goes to another process.
      await questions?.drain();
      await pulling.catch(() => undefined);
      await Promise.all([desk.drain(DRAIN_GRACE), asks?.drain(DRAIN_GRACE)]);
      stops.unsubscribe();
      await connection.drain();
    },
  };
}
