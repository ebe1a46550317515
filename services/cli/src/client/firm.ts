// Owns reaching a firm: the server of FIRM_NATS_URL, the supervisor that runs here, or one started for this command alone.
import { access } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { connectBus, type Bus } from "@firm/bus";
import { FirmError, type Role } from "@firm/protocol";
import { loadConfig, type GlobalOptions } from "../home.ts";
import type { FirmPaths } from "../paths.ts";
import { holderOf } from "../supervisor/lock.ts";
import { readState, type SupervisorState } from "../supervisor/state.ts";
import { requireAgent, requireAgents } from "./agent.ts";
import { readSeed } from "./seed.ts";

/** A connection as a user, and what must end with it. */
export interface Firm {
  readonly bus: Bus;
  readonly url: string;
  /** Starts roles ahead of the events that ask for them, where the supervisor is our own. */
  ensure(roles: readonly Role[]): void;
  /** Ends the connection and whatever was started for it; waits for other runs that use it. */
  close(): Promise<void>;
  /** As `close`, without waiting for other runs. */
  abort(): Promise<void>;
}

export interface ReachOptions {
  readonly paths: FirmPaths;
  readonly global: GlobalOptions;
  /**
   * `full`: gateway and roles work; `store`: what is stored can be read, so nats-server alone is enough.
   * With `running`, nothing is started.
   */
  readonly need: "full" | "store" | "running";
  readonly agent?: string;
  /** Roles to start first where the supervisor is our own. */
  readonly first?: readonly Role[];
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
}

/** How long a supervisor that has just taken the lock may take until it is ready. */
const READY_MS = 60_000;

/**
 * Reaches the firm.
 * @throws FirmError `bus-unavailable` where it cannot be reached or started.
 */
export async function reachFirm(options: ReachOptions): Promise<Firm> {
  const env = options.env ?? process.env;
  const external = env.FIRM_NATS_URL === "" ? undefined : env.FIRM_NATS_URL;
  if (external !== undefined) return reachExternal(external, options, env);
  const state = await runningSupervisor(options.paths, options.signal);
  if (state !== undefined) {
    refuseOtherAgent(options.agent, state);
    return joined(await connectUser(state.nats_url, state.user_nkey_file), state.nats_url);
  }
  if (options.need === "running") {
    throw new FirmError("bus-unavailable", `no firm runs in ${options.paths.home}`, {
      hint: "start it with `firm up`",
    });
  }
  if (options.need === "store") await requireStore(options.paths);
  try {
    return await started(options, undefined, options.need === "store", env);
  } catch (error) {
    // Another command was faster by a moment: join it, or wait until it has read what it wanted.
    if (!(error instanceof FirmError) || error.code !== "already-ended") throw error;
    return reachFirm(options);
  }
}

/** The state of the supervisor that runs here, once it is ready; undefined where none runs. */
export async function runningSupervisor(
  paths: FirmPaths,
  signal?: AbortSignal,
): Promise<SupervisorState | undefined> {
  const end = Date.now() + READY_MS;
  for (;;) {
    const holder = await holderOf(paths.lock);
    if (holder === undefined) return undefined;
    const state = await readState(paths);
    if (state?.pid === holder.pid) return state;
    if (Date.now() > end) {
      throw new FirmError(
        "bus-unavailable",
        `the supervisor here (process ${holder.pid}) does not get ready`,
        {
          hint: `its log is ${paths.supervisorLog}`,
        },
      );
    }
    await sleep(50, undefined, signal === undefined ? {} : { signal });
  }
}

/** Connects with a user's credentials. */
export async function connectUser(url: string, seedFile: string | undefined): Promise<Bus> {
  return connectBus({
    servers: url,
    name: "firm user",
    ...(seedFile === undefined ? {} : { nkeySeed: await readSeed(seedFile) }),
  });
}

async function reachExternal(url: string, options: ReachOptions, env: NodeJS.ProcessEnv): Promise<Firm> {
  const seedFile = env.FIRM_NKEY_FILE === "" ? undefined : env.FIRM_NKEY_FILE;
  const bus = await connectUser(url, seedFile);
  const { gatewayAnswers } = await import("../supervisor/supervisor.ts");
  if (options.need !== "full" || (await gatewayAnswers(bus))) return joined(bus, url);
  await bus.drain();
  if (seedFile !== undefined) {
    throw new FirmError("bus-unavailable", `no gateway answers at ${url}`, {
      hint: "start the gateway and the roles there; with a user's credentials they cannot be started from here",
    });
  }
  options.say(`no gateway answers at ${url}: starting the gateway and the roles here`);
  return started(options, url, false, env);
}

async function started(
  options: ReachOptions,
  natsUrl: string | undefined,
  storeOnly: boolean,
  env: NodeJS.ProcessEnv,
): Promise<Firm> {
  const { paths, global, agent, say, signal } = options;
  if (agent !== undefined) requireAgent(agent, (await loadConfig(paths, global, undefined, env)).config);
  const { config, file } = await loadConfig(paths, global, agent, env);
  requireAgents(config);
  const { Supervisor } = await import("../supervisor/supervisor.ts");
  const supervisor = await Supervisor.start({
    paths,
    config,
    configFile: file,
    agent,
    natsUrl,
    env,
    logLevel: env.FIRM_LOG_LEVEL ?? "info",
    first: options.first ?? [],
    storeOnly,
    say,
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const bus = await connectUser(supervisor.natsUrl, supervisor.userSeedFile);
    const abort = async (): Promise<void> => {
      await bus.drain();
      await supervisor.stop();
    };
    return {
      bus,
      url: supervisor.natsUrl,
      ensure: (roles) => supervisor.ensure(roles),
      abort,
      close: async () => {
        await bus.drain();
        if (supervisor.runs.active > 0) say("other runs use this firm: staying until they have finished");
        while (supervisor.runs.active > 0) await sleep(100);
        await supervisor.stop();
      },
    };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

function joined(bus: Bus, url: string): Firm {
  const close = (): Promise<void> => bus.drain();
  return { bus, url, ensure: () => undefined, close, abort: close };
}

function refuseOtherAgent(agent: string | undefined, state: SupervisorState): void {
  if (agent === undefined || agent === state.agent) return;
  throw new FirmError("invalid-input", `the firm that runs here does not use the agent "${agent}"`, {
    field: "--agent",
    hint: "stop it with `firm down`, or start it with `firm up --agent`",
  });
}

async function requireStore(paths: FirmPaths): Promise<void> {
  try {
    await access(paths.natsStore);
  } catch (cause) {
    throw new FirmError("unknown-run", `there has been no run in ${paths.home}`, {
      hint: "name another directory with --dir, or start with `firm run`",
      cause,
    });
  }
}
