// Owns a role that the test plays itself, and a look at one that is still starting.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bus, Delivery } from "@firm/bus";
import { durableOf, parseJson, STREAMS, WorkOrder, type Role } from "@firm/protocol";
import type { FirmSystem } from "./system.ts";

/** A piece of work in the test's hands. */
export interface WorkInHand {
  readonly bus: Bus;
  readonly delivery: Delivery;
  readonly order: WorkOrder;
}

/** Takes one piece of work of a role, with the role's own key. */
export async function firstWorkOf(system: FirmSystem, role: Role): Promise<WorkInHand> {
  const bus = await system.connectAs(role);
  const source = await bus.work(STREAMS.work, durableOf(role));
  const came = Promise.withResolvers<Delivery>();
  let free = 1;
  const running = source.run(
    { acquire: () => Promise.resolve(free-- > 0), release: () => undefined },
    (delivery) => came.resolve(delivery),
  );
  const delivery = await came.promise;
  await running;
  return { bus, delivery, order: parseJson(WorkOrder, delivery.text(), "order") };
}

/** `host:port` of a role's process that is still starting, once it listens. */
export async function listeningAt(system: FirmSystem, role: Role): Promise<string> {
  const name = `${role.replace(":", "-")}-`;
  for (;;) {
    const files = await readdir(system.directory);
    const file = files.find((one) => one.startsWith(name) && one.endsWith(".http"));
    const address = file === undefined ? "" : await readFile(join(system.directory, file), "utf8");
    if (address !== "") return address.trim();
  }
}
