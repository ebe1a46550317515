// Owns the bus being as the configuration says: at the start, and again whenever nats-server has started anew.
// What a server lost on a full disk, or when its store was damaged, is made again before it is missed.
import { setTimeout as sleep } from "node:timers/promises";
import { connectBus, initBus, type Bus } from "@firm/bus";
import type { FirmConfig } from "@firm/config";
import { FirmError, inboxPrefixOf, type Identity, type Role } from "@firm/protocol";
import { readSeed } from "../client/seed.ts";
import type { FirmPaths } from "../paths.ts";
import { identityFile } from "./credentials.ts";
import { seedFileOf } from "./services.ts";

const RETRY_MS = 500;

export interface BusUpkeepOptions {
  readonly url: string;
  /** Where the seeds lie; undefined: the server asks for none. */
  readonly credentials: FirmPaths | undefined;
  readonly config: FirmConfig;
  readonly roles: readonly Role[];
  readonly say: (line: string) => void;
}

export class BusUpkeep {
  readonly #options: BusUpkeepOptions;
  #repairing = false;
  #stopped = false;

  constructor(options: BusUpkeepOptions) {
    this.#options = options;
  }

  /** @throws FirmError `bus-unavailable`, `storage-unavailable`. */
  async init(): Promise<void> {
    const { url, credentials, config, roles } = this.#options;
    const operator = await connectAs("operator", url, credentials);
    try {
      await initBus(operator, config, { roles });
    } finally {
      await operator.drain();
    }
  }

  /** As `init`, for a server that has just started again: tried until it is there. */
  async repair(): Promise<void> {
    if (this.#repairing) return;
    this.#repairing = true;
    let said = false;
    while (!this.#stopped) {
      try {
        await this.init();
        break;
      } catch (error) {
        // A server that is not there yet says nothing about the bus.
        const passing = error instanceof FirmError && error.code === "bus-unavailable";
        if (!said && !passing) {
          said = true;
          this.#options.say(
            `the bus is not complete: ${error instanceof Error ? error.message : String(error)}`,
          );
        }
        await sleep(RETRY_MS);
      }
    }
    this.#repairing = false;
  }

  stop(): void {
    this.#stopped = true;
  }
}

/**
 * Connects as an identity.
 * @param credentials where the seeds lie; undefined: the server asks for none
 */
export async function connectAs(
  identity: Identity,
  url: string,
  credentials: FirmPaths | undefined,
): Promise<Bus> {
  return connectBus({
    servers: url,
    name: `firm ${identity}`,
    inboxPrefix: inboxPrefixOf(identity),
    ...(credentials === undefined
      ? {}
      : { nkeySeed: await readSeed(seedFileOf(credentials, identityFile(identity))) }),
  });
}
