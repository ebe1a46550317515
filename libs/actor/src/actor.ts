// Owns a role's worker: inbox, slots, stops, drain; a service adds only what its role decides (DESIGN, "Processes").
import { hostname } from "node:os";
import { serveMicro } from "@firm/bus";
import { durableOf, serviceNameOf, STREAMS, subjects, type Role } from "@firm/protocol";
import packageJson from "../package.json" with { type: "json" };
import { openConnection, type Connection } from "./connection.ts";
import { GatewayClient } from "./gateway-client.ts";
import type { ProcessBase, Running } from "./process.ts";
import { Slots } from "./slots.ts";
import { WorkDesk, type WorkHandler } from "./work.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

/** ms that work in hand may go on once the worker drains. */
const DRAIN_GRACE = 5_000;

/** What discovery lists of a worker: its inbox. */
const WORK_ENDPOINT = "work";

export interface ActorOptions {
  readonly role: Role;
  readonly base: ProcessBase;
  readonly metrics: WorkerMetrics;
  readonly work: WorkHandler;
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
  { role, base, metrics, work }: ActorOptions,
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
    endpoints: [{ name: WORK_ENDPOINT, subject: subjects.work(role), queue: durableOf(role) }],
  });
  const desk = new WorkDesk({
    role,
    worker: `${hostname()}/${process.pid}`,
    handler: work,
    client: new GatewayClient(bus, role, metrics),
    slots,
    ackWaitMs: source.ackWaitMs,
    maxPayload: bus.maxPayload,
    log: base.log,
    metrics,
    onEnded: (ms, status) =>
      micro.record(WORK_ENDPOINT, ms, status === "failed" || status === "returned" ? status : undefined),
  });
  const stops = bus.subscribe(subjects.allStops, (message) =>
    desk.stopRun(message.subject.slice(message.subject.lastIndexOf(".") + 1)),
  );
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
      await pulling.catch(() => undefined);
      await desk.drain(DRAIN_GRACE);
      stops.unsubscribe();
      await connection.drain();
    },
  };
}
