// Owns knowing which roles are needed: the runs' log tells at once, the lag of the durables is the net below it.
import type { Bus, Feed } from "@firm/bus";
import {
  BUCKETS,
  durableOf,
  FirmError,
  parseJson,
  RunEvent,
  RunRecord,
  runKvKey,
  STREAMS,
  subjects,
  type Role,
} from "@firm/protocol";
import { ActiveRuns, rolesWantedBy } from "./demand.ts";

/** Work may wait for a role whose event was missed, e.g. while the connection was away. */
const LAG_EVERY_MS = 5_000;

export interface WatchOptions {
  readonly bus: Bus;
  /** Roles of the org chart. */
  readonly roles: readonly Role[];
  /** Roles that run already: their lag is their own business. */
  readonly running: () => readonly Role[];
  readonly want: (roles: readonly Role[]) => void;
  /** Called after each event and each look at the lag. */
  readonly onActivity: (active: ActiveRuns) => void;
  readonly say: (line: string) => void;
}

export interface Watch {
  readonly active: ActiveRuns;
  stop(): Promise<void>;
}

/** Follows the log from now on; what waits from before is seen by its lag. */
export async function watchDemand(options: WatchOptions): Promise<Watch> {
  const { bus, want } = options;
  const active = new ActiveRuns();
  const feed: Feed = await bus.follow(STREAMS.runs, subjects.run.all, undefined, (message) => {
    let event: RunEvent;
    try {
      event = parseJson(RunEvent, message.text(), message.subject);
    } catch (error) {
      // An event of a newer version asks for nothing that we know.
      options.say(error instanceof Error ? error.message : String(error));
      return;
    }
    active.note(event);
    want(rolesWantedBy(event));
    options.onActivity(active);
  });
  for (const run of await unfinished(bus)) active.add(run);
  const look = async (): Promise<void> => {
    if (!bus.connected) return;
    const running = new Set(options.running());
    try {
      const waiting = await Promise.all(
        options.roles
          .filter((role) => !running.has(role))
          .map(async (role) => {
            const { pending, unacknowledged } = await bus.lag(STREAMS.work, durableOf(role));
            return pending + unacknowledged > 0 ? [role] : [];
          }),
      );
      want(waiting.flat());
    } catch (error) {
      // The bus is away: its return brings events, and the next look comes anyway.
      if (!(error instanceof FirmError)) throw error;
    }
    options.onActivity(active);
  };
  await look();
  const timer = setInterval(() => void look(), LAG_EVERY_MS);
  return {
    active,
    stop: async () => {
      clearInterval(timer);
      await feed.stop();
    },
  };
}

/** Runs that an earlier supervisor left in the middle. */
async function unfinished(bus: Bus): Promise<string[]> {
  const kv = await bus.kv(BUCKETS.runs);
  const keys = await kv.keys(runKvKey("*"));
  const entries = await Promise.all(keys.map((key) => kv.get(key)));
  return entries.flatMap((entry) => {
    const parsed = entry === undefined ? undefined : RunRecord.safeParse(JSON.parse(entry.text));
    return parsed?.success === true && parsed.data.status === "running" ? [parsed.data.run] : [];
  });
}
