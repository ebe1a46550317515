// Owns starting a supervisor that outlives this command.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { FirmError } from "@firm/protocol";
import { runningSupervisor } from "./client/firm.ts";
import type { GlobalOptions } from "./home.ts";
import type { FirmPaths } from "./paths.ts";
import { lastLogLine } from "./supervisor/log-file.ts";
import { NODE_ARGS } from "./supervisor/roster.ts";
import type { SupervisorState } from "./supervisor/state.ts";

export interface DetachOptions {
  readonly paths: FirmPaths;
  readonly global: GlobalOptions;
  readonly agent: string | undefined;
  /** It ends once no run goes on any more. */
  readonly untilIdle: boolean;
  /** All roles at once. */
  readonly all?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Starts `firm up` in a session of its own and waits until it is ready; the one that runs already is as good.
 * @throws FirmError `bus-unavailable` with its last words where it does not start.
 */
export async function startDetached(options: DetachOptions): Promise<SupervisorState | undefined> {
  if ((process.env.FIRM_NATS_URL ?? "") !== "" && options.untilIdle) return undefined;
  const running = await runningSupervisor(options.paths, options.signal);
  if (running !== undefined) return running;
  const { paths, global } = options;
  await mkdir(paths.logs, { recursive: true, mode: 0o700 });
  const log = openSync(paths.supervisorLog, "a", 0o600);
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  const args = [
    main,
    "--dir",
    paths.home,
    ...(global.config === undefined ? [] : ["--config", global.config]),
    "up",
    ...(options.agent === undefined ? [] : ["--agent", options.agent]),
    ...(options.untilIdle ? ["--until-idle"] : []),
    ...(options.all === true ? ["--all"] : []),
  ];
  const child = spawn(process.execPath, [...NODE_ARGS, ...args], {
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  const ended = once(child, "exit").then(() => "ended" as const);
  try {
    for (;;) {
      const state = await runningSupervisor(paths, options.signal);
      if (state !== undefined) return state;
      if ((await Promise.race([ended, sleep(50)])) === "ended") {
        // It may have found another that was faster.
        const other = await runningSupervisor(paths, options.signal);
        if (other !== undefined) return other;
        throw new FirmError(
          "bus-unavailable",
          `the firm does not start: ${await lastLogLine(paths.supervisorLog)}`,
          {
            hint: `its log is ${paths.supervisorLog}`,
          },
        );
      }
    }
  } catch (error) {
    child.kill("SIGTERM");
    throw error;
  } finally {
    child.unref();
  }
}
