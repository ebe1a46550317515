// Owns a process's connection to the bus: credentials, readiness, metrics, and refusals that fail the start.
import { readFile } from "node:fs/promises";
import { connectBus, type Bus } from "@firm/bus";
import { FirmError, inboxPrefixOf, type Identity } from "@firm/protocol";
import type { ProcessBase } from "./process.ts";
import { noteStatus } from "./connection-status.ts";
import { retrying } from "./retry.ts";

/** ms that a start waits for a server, which may start at the same time. */
const START_PATIENCE = 10_000;
/** ms between two measurements of the round trip. */
const RTT_EVERY = 15_000;

/** A connection whose state shows in health and metrics. */
export interface Connection {
  readonly bus: Bus;
  /** Rejects when the connection is closed for good. */
  readonly failed: Promise<never>;
  /**
   * Call after subscriptions and pulls were made: asks the server whether it refused any.
   * @throws FirmError `permission-refused` naming subject and operation.
   */
  confirm(): Promise<void>;
  /** The close that follows is wanted. */
  drain(): Promise<void>;
}

/**
 * Connects with the credentials of the environment.
 * @param identity whose name and private inbox prefix to use
 * @throws FirmError `invalid-config`, `permission-refused` or `bus-unavailable`.
 */
export async function openConnection(base: ProcessBase, identity: Identity): Promise<Connection> {
  const { environment, log } = base;
  const nkeySeed = await readSeed(environment.nkeyFile);
  const bus = await retrying(
    {
      until: Date.now() + START_PATIENCE,
      onRetry: (error) => log.warn({ err: error }, "NATS does not answer yet; trying again"),
    },
    () =>
      connectBus({
        servers: environment.natsServers,
        name: identity,
        inboxPrefix: inboxPrefixOf(identity),
        ...(nkeySeed === undefined ? {} : { nkeySeed }),
      }),
  );
  const refusals: FirmError[] = [];
  let starting = true;
  bus.onStatus((status) => {
    noteStatus(status, base);
    if (status.type === "permission-refused" && starting) refusals.push(refusalOf(identity, status));
  });
  const rtt = setInterval(() => {
    if (!bus.connected) return;
    bus.rtt().then(
      (ms) => base.metrics.natsRtt.set(ms / 1_000),
      // The connection went away meanwhile: its own metric says so.
      () => undefined,
    );
  }, RTT_EVERY);
  rtt.unref();
  let draining = false;
  const failed = bus.closed.then(async (): Promise<never> => {
    if (draining) return new Promise(() => undefined);
    throw new FirmError("bus-unavailable", "the connection to NATS is closed for good");
  });
  // The process watches it once it runs; until then a close is found by the request that needs the connection.
  failed.catch(() => undefined);
  return {
    bus,
    failed,
    confirm: async () => {
      // The first round trip lets pulls go out, the second brings what the server says of them.
      await bus.rtt();
      base.metrics.natsRtt.set((await bus.rtt()) / 1_000);
      starting = false;
      const [first] = refusals;
      if (first !== undefined) throw first;
    },
    drain: () => {
      clearInterval(rtt);
      draining = true;
      return bus.drain();
    },
  };
}

function refusalOf(name: string, { operation, subject }: { operation: string; subject: string }): FirmError {
  return new FirmError("permission-refused", `NATS lets ${name} not ${operation} "${subject}"`, {
    hint: "the server's permissions and the org chart disagree: generate the server configuration again from this firm.yaml",
  });
}

/** An nkey seed of a user: `SU` and 56 characters of base32. */
const USER_SEED = /^SU[A-Z2-7]{56}$/;

async function readSeed(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const problem = (what: string, cause?: unknown): FirmError =>
    new FirmError("invalid-config", `FIRM_NKEY_FILE: ${what}`, { field: "FIRM_NKEY_FILE", cause });
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw problem(`cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  if (!USER_SEED.test(text.trim()))
    throw problem(`${path} holds no nkey seed of a user (SU… and 56 characters)`);
  return text.trim();
}
