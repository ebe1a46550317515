// Owns a real nats-server with Firm's own permissions, and connections to it as any identity.
import { connectBus, makeUserKey, type Bus, type ConnectOptions, type UserKey } from "@firm/bus";
import { orgChartOf, parseConfig, renderAuthorization, type FirmConfig, type OrgChart } from "@firm/config";
import { EXECUTIVE_ROLES, FIRM_IDENTITIES, inboxPrefixOf, type Identity } from "@firm/protocol";
import { startNats, type NatsOptions, type NatsServer } from "./nats.ts";

export interface FirmNats {
  readonly server: NatsServer;
  readonly config: FirmConfig;
  readonly chart: OrgChart;
  keyOf(identity: Identity): UserKey;
  /** A connection that `stop` closes. */
  connectAs(identity: Identity, options?: Partial<ConnectOptions>): Promise<Bus>;
  stop(): Promise<void>;
}

/** Starts a server that knows every identity of the firm. `yaml` is firm.yaml's text. */
export async function startFirmNats(yaml = "", options: NatsOptions = {}): Promise<FirmNats> {
  const config = parseConfig(yaml);
  const chart = orgChartOf(config);
  const identities: Identity[] = [...FIRM_IDENTITIES, ...chart.roles, ...EXECUTIVE_ROLES];
  const keys = new Map(identities.map((identity) => [identity, makeUserKey()]));
  const keyOf = (identity: Identity): UserKey => {
    const key = keys.get(identity);
    if (key === undefined) throw new Error(`no key for ${identity}`);
    return key;
  };
  const users = identities.map((identity) => ({ identity, publicKey: keyOf(identity).publicKey }));
  const server = await startNats({
    ...options,
    config: `${renderAuthorization(users, chart.roles)}\n${options.config ?? ""}`,
  });
  const buses = new Set<Bus>();
  return {
    server,
    config,
    chart,
    keyOf,
    connectAs: async (identity, more = {}) => {
      const bus = await connectBus({
        servers: server.url,
        name: identity,
        nkeySeed: keyOf(identity).seed,
        inboxPrefix: inboxPrefixOf(identity),
        ...more,
      });
      buses.add(bus);
      return bus;
    },
    stop: async () => {
      await Promise.all([...buses].map((bus) => bus.drain()));
      await server.stop();
    },
  };
}

/** Resolves with the first value that satisfies the test; for waiting on callbacks without sleeping. */
export function collector<T>(): {
  push: (value: T) => void;
  readonly all: readonly T[];
  until: (test: (all: readonly T[]) => boolean) => Promise<readonly T[]>;
} {
  const all: T[] = [];
  const waiting = new Set<() => void>();
  return {
    all,
    push: (value) => {
      all.push(value);
      for (const check of [...waiting]) check();
    },
    until: (test) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!test(all)) return;
          waiting.delete(check);
          resolve(all);
        };
        waiting.add(check);
        check();
      }),
  };
}
