// Owns the life of a service process: start, stop on a signal or with its supervisor, drain, exit code.
import { readFile } from "node:fs/promises";
import { FirmError } from "@firm/protocol";
import { parseConfig, type FirmConfig } from "@firm/config";
import { readEnvironment, type Environment } from "./environment.ts";
import { Health } from "./health.ts";
import { serveHttp } from "./http.ts";
import { createLog, type Log } from "./log.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { NO_TRACING, openTracing, type Tracing } from "./tracing.ts";
import packageJson from "../package.json" with { type: "json" };

/** ms after which a drain that does not end is given up on; container runtimes kill after 10 s. */
const DRAIN_LIMIT = 9_000;

/** What a service starts with. */
export interface ProcessBase {
  readonly environment: Environment;
  readonly config: FirmConfig;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly tracing: Tracing;
}

/** A service that runs. */
export interface Running {
  /** Takes nothing new, finishes or returns what is in hand, closes. */
  drain(): Promise<void>;
  /** Rejects when the service cannot go on; the process then drains and exits with 1. */
  readonly failed?: Promise<never>;
}

/**
 * Runs a service until it is told to stop; sets the exit code. 0: stopped as told. 1: could not start or go on.
 * @param service name for metrics and logs where the process has no role, e.g. `gateway`
 */
export async function runProcess(
  service: string,
  start: (base: ProcessBase) => Promise<Running>,
): Promise<void> {
  let log = createLog(service, "info");
  let running: Running | undefined;
  let tracing = NO_TRACING;
  try {
    const environment = readEnvironment();
    log = createLog(environment.role ?? service, environment.logLevel);
    process.on("unhandledRejection", (error) => exitAtOnce(log, error, "an unhandled rejection"));
    process.on("uncaughtException", (error) => exitAtOnce(log, error, "an uncaught exception"));
    const stopped = whenToldToStop(environment);
    const health = new Health("starting");
    const metrics = createMetrics(service, packageJson.version);
    const [config, opened, http] = await Promise.all([
      loadConfig(environment.configFile),
      openTracing(environment.role ?? service, environment.variables, log),
      serveHttp(
        { host: environment.httpHost, port: environment.httpPort, file: environment.httpFile },
        metrics.registry,
        health,
      ),
    ]);
    tracing = opened;
    log.debug({ http: http.address }, "listening");
    running = await Promise.race([
      start({ environment, config, log, metrics, health, tracing }),
      stopped.then(() => undefined),
    ]);
    health.set("starting", false);
    if (running !== undefined) log.info({ http: http.address }, "ready");
    const why = await Promise.race([stopped, ...(running?.failed === undefined ? [] : [running.failed])]);
    health.set("draining", true);
    log.info({ why }, "draining");
    await drain(running, log);
    await tracing.close();
    process.exitCode = 0;
    await http.close();
  } catch (error) {
    log.fatal({ err: error }, error instanceof FirmError ? error.message : `${service} cannot go on`);
    await drain(running, log);
    await tracing.close();
    process.exitCode = 1;
  }
  // Whatever a backend left open must not keep a drained process alive.
  process.exit();
}

/** Resolves with the reason once the process shall stop. */
function whenToldToStop(environment: Environment): Promise<string> {
  return new Promise((resolve) => {
    process.on("SIGTERM", () => resolve("SIGTERM"));
    process.on("SIGINT", () => resolve("SIGINT"));
    if (environment.parentPipe) {
      // The supervisor never writes; end or error of the pipe means that it is gone.
      process.stdin.on("end", () => resolve("the supervisor is gone"));
      process.stdin.on("error", () => resolve("the supervisor is gone"));
      process.stdin.resume();
    }
  });
}

async function drain(running: Running | undefined, log: Log): Promise<void> {
  if (running === undefined) return;
  const limit = setTimeout(
    () => exitAtOnce(log, new Error(`not drained within ${DRAIN_LIMIT} ms`), "gave up"),
    DRAIN_LIMIT,
  );
  try {
    await running.drain();
  } catch (error) {
    log.error({ err: error }, "the drain failed");
  } finally {
    clearTimeout(limit);
  }
}

function exitAtOnce(log: Log, error: unknown, what: string): void {
  log.fatal({ err: error }, what);
  process.exit(1);
}

/** @throws FirmError `invalid-config` naming the file or the field. */
async function loadConfig(path: string | undefined): Promise<FirmConfig> {
  if (path === undefined) return parseConfig("");
  try {
    return parseConfig(await readFile(path, "utf8"));
  } catch (cause) {
    if (cause instanceof FirmError) throw cause;
    throw new FirmError(
      "invalid-config",
      `FIRM_CONFIG: cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        field: "FIRM_CONFIG",
        cause,
      },
    );
  }
}
