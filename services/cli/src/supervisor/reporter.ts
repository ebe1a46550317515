// Owns telling others how the supervisor's processes are: state files, Prometheus targets, /metrics and /readyz.
import { watch as watchDirectory, type FSWatcher } from "node:fs";
import { Registry } from "prom-client";
import { errnoOf } from "../errors.ts";
import type { FirmPaths } from "../paths.ts";
import type { Child } from "./child.ts";
import type { Lock } from "./lock.ts";
import { registerProcesses } from "./metrics.ts";
import { stateOf, type Roster } from "./roster.ts";
import { seedFileOf } from "./services.ts";
import { writeState, type SupervisorState } from "./state.ts";

/** What is reported on. */
export interface Reported {
  readonly options: {
    readonly paths: FirmPaths;
    readonly configFile: string | undefined;
    readonly agent: string | undefined;
    readonly say: (line: string) => void;
  };
  readonly natsUrl: string;
  readonly withNkeys: boolean;
  readonly natsServer: string | undefined;
  readonly nats: Child | undefined;
  readonly roster: Roster | undefined;
}

/** Many processes start at once: one write for all. */
const SETTLE_MS = 50;

export class Reporter {
  readonly #of: Reported;
  readonly #lock: Lock;
  readonly #startedAt = Date.now();
  readonly #watcher: FSWatcher;
  readonly #registry = new Registry();
  #timer: NodeJS.Timeout | undefined;
  /** Who finds the files takes the firm for ready. */
  #ready = false;
  #closed = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(reported: Reported, lock: Lock) {
    this.#of = reported;
    this.#lock = lock;
    // A process writes its address there once it listens.
    this.#watcher = watchDirectory(reported.options.paths.http, () => this.changed());
    registerProcesses(this.#registry, () => this.state().processes);
    lock.serve("/metrics", async () => ({
      type: this.#registry.contentType,
      text: await this.#registry.metrics(),
    }));
    lock.serve("/readyz", () => ({ type: "text/plain", text: "ok\n" }));
  }

  /** Something changed: the files are written a moment later. */
  changed(): void {
    if (this.#closed || !this.#ready) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush().catch((error: unknown) => {
        this.#of.options.say(`the state files could not be written: ${errnoOf(error) ?? String(error)}`);
      });
    }, SETTLE_MS);
  }

  /** The firm is ready: the files are written now, and whenever something changes from now on. */
  async open(): Promise<void> {
    this.#ready = true;
    await this.#flush();
  }

  /** Writes after writes that are under way: the last one stays. */
  #flush(): Promise<void> {
    const write = this.#writing.then(() => writeState(this.#of.options.paths, this.state()));
    this.#writing = write.catch(() => undefined);
    return write;
  }

  state(): SupervisorState {
    const { options, natsUrl, natsServer, withNkeys, nats, roster } = this.#of;
    return {
      pid: process.pid,
      started_at: this.#startedAt,
      nats_url: natsUrl,
      ...(natsServer === undefined ? {} : { nats_server: natsServer }),
      ...(withNkeys ? { user_nkey_file: seedFileOf(options.paths, "user") } : {}),
      ...(options.configFile === undefined ? {} : { config_file: options.configFile }),
      ...(options.agent === undefined ? {} : { agent: options.agent }),
      http: `127.0.0.1:${this.#lock.content.port}`,
      processes: [...(nats === undefined ? [] : [stateOf(nats, undefined)]), ...(roster?.states() ?? [])],
    };
  }

  /** Nothing is written once this resolves. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#watcher.close();
    await this.#writing;
  }
}
