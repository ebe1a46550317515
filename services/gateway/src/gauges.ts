// Owns the gateway's gauges: of the whole system, read when they are scraped; every replica sees all, so the largest counts.
import type { Bus } from "@firm/bus";
import { STREAMS, subjects } from "@firm/protocol";
import { Gauge, type Registry } from "prom-client";

/** Work that waits in a role's queue, as the gateway's projection of the log has it. */
export interface QueueState {
  readonly depth: number;
  /** Since the oldest was dispatched. */
  readonly oldestSeconds: number;
}

/** Runs that have not ended. */
export interface Activity {
  /** How many, by kind; each kind is there. */
  readonly byKind: ReadonlyMap<string, number>;
  /** Those whose deadline has passed. */
  readonly overdue: number;
}

/** Where the gauges look. */
export interface State {
  readonly activity: () => Activity;
  readonly queues: () => ReadonlyMap<string, QueueState>;
}

/** Registers what the projection of the log says when it is asked. */
export function registerState(registry: Registry, { activity, queues }: State): void {
  const registers = [registry];
  new Gauge({
    name: "firm_active_runs",
    help: "Runs that have not ended, by kind: `run`, `board`, or `ask` for a user's question",
    labelNames: ["kind"],
    registers,
    collect() {
      for (const [kind, count] of activity().byKind) this.set({ kind }, count);
    },
  });
  new Gauge({
    name: "firm_overdue_runs",
    help: "Runs that have not ended although their deadline has passed",
    registers,
    collect() {
      this.set(activity().overdue);
    },
  });
  const gauge = (name: string, help: string, value: (state: QueueState) => number): Gauge<"role"> =>
    new Gauge({
      name,
      help,
      labelNames: ["role"],
      registers,
      collect() {
        this.reset();
        for (const [role, state] of queues()) this.set({ role }, value(state));
      },
    });
  gauge("firm_queue_depth", "Handoffs dispatched that no worker has taken yet", ({ depth }) => depth);
  gauge(
    "firm_queue_oldest_age_seconds",
    "Since the oldest handoff was dispatched that no worker has taken yet",
    ({ oldestSeconds }) => oldestSeconds,
  );
}

/** ms between two looks at the dead letter queue. */
const LOOK_EVERY = 15_000;

/** Where the length of the dead letter queue is asked for. */
export interface DeadLetterQueue {
  readonly bus: Pick<Bus, "connected" | "held">;
  readonly onFailure: (error: unknown) => void;
}

/** Registers the length of the dead letter queue. A scrape gets the latest that is known and waits for nobody. */
export function registerDeadLetters(
  registry: Registry,
  { bus, onFailure }: DeadLetterQueue,
): { look: () => Promise<void>; stop: () => void } {
  const gauge = new Gauge({
    name: "firm_dead_letter_queue_messages",
    help: "Messages in the dead letter queue, looked up every 15 s",
    registers: [registry],
  });
  const look = async (): Promise<void> => {
    if (!bus.connected) return;
    try {
      gauge.set(await bus.held(STREAMS.dlq, subjects.dlq(STREAMS.work)));
    } catch (error) {
      onFailure(error);
    }
  };
  const timer = setInterval(() => void look(), LOOK_EVERY);
  timer.unref();
  return { look, stop: () => clearInterval(timer) };
}
