// Owns a firm on this machine: nats-server, one gateway, and the roles that the runs need (DESIGN "Processes": cli).
//
// V1  One supervisor for each `.firm` directory (lock.ts).
// V2  Everything it started ends with it, however it ends (child.ts C2, guardian.ts).
// V3  After `stop` resolves, nothing of it runs.
import { mkdir, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "@firm/bus";
import { orgChartOf, type FirmConfig } from "@firm/config";
import { EXECUTIVE_ROLES, FirmError, serviceNameOf, type Identity, type Role } from "@firm/protocol";
import { errnoOf } from "../errors.ts";
import { resolveNatsServer } from "../nats/resolve.ts";
import { natsVersionOf } from "../nats/version.ts";
import type { FirmPaths } from "../paths.ts";
import type { Child } from "./child.ts";
import { LOOP_AT } from "./backoff.ts";
import { BusUpkeep, connectAs } from "./bus-upkeep.ts";
import { ensureCredentials } from "./credentials.ts";
import { DiskWatch } from "./disk-watch.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { startNats } from "./nats-process.ts";
import { Reporter } from "./reporter.ts";
import { Roster } from "./roster.ts";
import { seedFileOf } from "./services.ts";
import { watchDemand, type Watch } from "./watch.ts";

export interface SupervisorOptions {
  readonly paths: FirmPaths;
  readonly config: FirmConfig;
  /** As the processes shall read it; undefined: the defaults. */
  readonly configFile: string | undefined;
  readonly agent: string | undefined;
  /** A server that runs elsewhere and asks for no credentials; undefined: one of our own. */
  readonly natsUrl: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logLevel: string;
  /** Roles to start at once, before any run asks. */
  readonly first: readonly Role[];
  /** Only nats-server, so that what is stored can be read. */
  readonly storeOnly?: boolean;
  /** Told what is being done and what goes wrong, a line at a time. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
  /** ms without a run after which roles' processes are let go; default 15 minutes. */
  readonly idleMs?: number;
}

const IDLE_MS = 15 * 60_000;
/** A gateway that takes longer than this to answer does not start. */
const GATEWAY_MS = 20_000;

export class Supervisor {
  readonly natsUrl: string;
  /** Seed file for users; undefined where the server asks for no credentials. */
  readonly userSeedFile: string | undefined;
  readonly #parts: Parts;
  #stopping: Promise<void> | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.natsUrl = parts.natsUrl;
    this.userSeedFile = parts.withNkeys ? seedFileOf(parts.options.paths, "user") : undefined;
  }

  /**
   * Starts everything; resolves once the gateway answers.
   * @throws FirmError that says which part did not start and why; nothing is left running then.
   */
  static async start(options: SupervisorOptions): Promise<Supervisor> {
    const parts = new Parts(options);
    try {
      await parts.start();
      return new Supervisor(parts);
    } catch (error) {
      await parts.stop();
      throw error;
    }
  }

  /** Runs that go on, and runs seen since the start. */
  get runs(): { readonly active: number; readonly seen: number } {
    const active = this.#parts.watch?.active;
    return { active: active?.size ?? 0, seen: active?.seen ?? 0 };
  }

  /** Starts roles now. */
  ensure(roles: readonly Role[]): void {
    this.#parts.roster?.ensure(roles);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#parts.stop();
    return this.#stopping;
  }
}

/** What a supervisor is made of, in the order in which it comes to be. */
class Parts {
  readonly options: SupervisorOptions;
  natsUrl = "";
  withNkeys = false;
  lock: Lock | undefined;
  nats: Child | undefined;
  disk: DiskWatch | undefined;
  natsServer: string | undefined;
  upkeep: BusUpkeep | undefined;
  bus: Bus | undefined;
  roster: Roster | undefined;
  watch: Watch | undefined;
  reporter: Reporter | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: SupervisorOptions) {
    this.options = options;
  }

  async start(): Promise<void> {
    const { paths, config, say, signal } = this.options;
    const chart = orgChartOf(config);
    surviveFullDisk();
    await Promise.all([paths.state, paths.logs].map((dir) => mkdir(dir, { recursive: true, mode: 0o700 })));
    this.lock = await acquireLock(paths.lock);
    await Roster.clear(paths.http);
    const events = this.#childEvents();
    if (this.options.natsUrl === undefined) {
      const [{ path, version }, users] = await Promise.all([
        this.#server(),
        ensureCredentials(paths, chart.roles),
      ]);
      this.disk = new DiskWatch({ directory: paths.natsStore, restart: () => this.nats?.restart(), say });
      const said = (_: string, text: string): void => this.disk?.heard(text);
      const settings = { paths, program: path, version, config, chart, users };
      const started = (): void => {
        events.started();
        // Not the first start: `init` follows that one.
        void this.upkeep?.repair();
      };
      const nats = await startNats({ ...settings, events: { ...events, said, started } });
      ({ child: this.nats, url: this.natsUrl } = nats);
      this.natsServer = `${version} (${path})`;
      this.withNkeys = true;
    } else {
      this.natsUrl = this.options.natsUrl;
      await ensureCredentials(paths, chart.roles);
    }
    signal?.throwIfAborted();
    // No state file: nobody shall join a firm without a gateway.
    if (this.options.storeOnly === true) return;
    this.upkeep = new BusUpkeep({
      url: this.natsUrl,
      credentials: this.withNkeys ? paths : undefined,
      config,
      roles: chart.roles,
      say,
    });
    await this.upkeep.init();
    signal?.throwIfAborted();
    this.roster = new Roster(
      {
        paths,
        natsUrl: this.natsUrl,
        withNkeys: this.withNkeys,
        configFile: this.options.configFile,
        logLevel: this.options.logLevel,
      },
      events,
    );
    this.reporter = new Reporter(this, this.lock);
    this.roster.ensure(["gateway", ...this.options.first]);
    this.bus = await this.#connect("supervisor");
    const { roster, bus } = this;
    [this.watch] = await Promise.all([
      watchDemand({
        bus,
        roles: [...chart.roles, ...EXECUTIVE_ROLES],
        running: () => roster.roles,
        want: (roles) => roster.ensure(roles),
        onActivity: ({ size }) => this.#restartIdle(size),
        say,
      }),
      this.#gatewayReady(roster),
    ]);
    await this.reporter.open();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    await this.reporter?.close();
    await this.watch?.stop();
    await this.roster?.stop();
    await this.bus?.drain();
    this.disk?.stop();
    this.upkeep?.stop();
    await this.nats?.stop();
    if (this.lock !== undefined) {
      const { paths } = this.options;
      await Promise.all([rm(paths.supervisor, { force: true }), rm(paths.targets, { force: true })]);
      await this.lock.release();
    }
  }

  async #server(): Promise<{ path: string; version: string }> {
    const { env, say, signal } = this.options;
    const { path } = await resolveNatsServer({ env, say, ...(signal === undefined ? {} : { signal }) });
    return { path, version: await natsVersionOf(path) };
  }

  #connect(identity: Identity): Promise<Bus> {
    return connectAs(identity, this.natsUrl, this.withNkeys ? this.options.paths : undefined);
  }

  /** Resolves once the gateway is ready. @throws FirmError with its last words where it does not start. */
  async #gatewayReady(roster: Roster): Promise<void> {
    const end = Date.now() + GATEWAY_MS;
    while (!(await roster.isReady("gateway"))) {
      this.options.signal?.throwIfAborted();
      const child = roster.child("gateway");
      if ((child?.crashes ?? 0) >= 3 || Date.now() > end) {
        const words = messageIn(child?.lastLines(1)[0]) ?? child?.lastExit ?? "no answer";
        throw new FirmError("internal", `the gateway does not start: ${words}`, {
          hint: `its log is ${child?.spec.logFile ?? "empty"}`,
        });
      }
      await sleep(20);
    }
  }

  #childEvents() {
    const { say } = this.options;
    return {
      started: () => this.reporter?.changed(),
      crashed: (name: string, how: string, delayMs: number, crashes: number) => {
        // A loop is reported once, below; its further turns are in the state file.
        if (crashes < LOOP_AT) say(`${name} ended (${how}); starting it again in ${delayMs} ms`);
        this.reporter?.changed();
      },
      killed: (name: string, graceMs: number) =>
        say(`${name} did not stop within ${graceMs / 1_000} s and is killed`),
      looping: (name: string, how: string, lastLine: string | undefined) =>
        say(`${name} keeps crashing (${how}): ${messageIn(lastLine) ?? "it said nothing"}`),
    };
  }

  /** Roles' processes are let go when no run was about for a while; the next run brings them back. */
  #restartIdle(activeRuns: number): void {
    if (activeRuns > 0 || (this.roster?.roles.length ?? 0) === 0) {
      clearTimeout(this.#idle);
      this.#idle = undefined;
      return;
    }
    this.#idle ??= setTimeout(() => {
      this.#idle = undefined;
      this.options.say("no run for a while: letting the roles' processes go; the next run starts them again");
      this.roster?.releaseRoles();
      this.reporter?.changed();
    }, this.options.idleMs ?? IDLE_MS);
  }
}

/** True where a gateway serves this bus. */
export async function gatewayAnswers(bus: Bus): Promise<boolean> {
  try {
    await bus.request(`$SRV.PING.${serviceNameOf("gateway")}`, "", { timeoutMs: 1_000 });
    return true;
  } catch (error) {
    if (error instanceof FirmError && error.code === "bus-unavailable") return false;
    throw error;
  }
}

/** What is said may go into a file on a full disk: the words are lost then, not the firm. */
function surviveFullDisk(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on("error", (error) => {
      if (errnoOf(error) !== "ENOSPC" && errnoOf(error) !== "EDQUOT") throw error;
    });
  }
}

/** The sentence of a pino line; the line itself where it is none. Pure. */
function messageIn(line: string | undefined): string | undefined {
  if (line === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === "object" && parsed !== null && "msg" in parsed) return String(parsed.msg);
    return line;
  } catch {
    return line;
  }
}
