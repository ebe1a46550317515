// Owns the supervisor's nats-server: its port, its configuration, its start and its end.
//
// N1  A server that crashes comes back on the same port and store: clients reconnect, nothing stored is lost.
// N2  No two servers open one store: a predecessor, whose supervisor was killed, must be gone first.
// N3  A store is never opened by a server of an older line than the one that wrote it: such a server reads it wrongly.
import { mkdir, readFile, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { renderServerConfig, type FirmConfig, type OrgChart, type ServerUser } from "@firm/config";
import { FirmError } from "@firm/protocol";
import { execa } from "execa";
import { errnoOf } from "../errors.ts";
import { isOlderLine } from "../nats/version.ts";
import type { FirmPaths } from "../paths.ts";
import { isAlive } from "./alive.ts";
import { Child, type ChildEvents } from "./child.ts";
import { writePrivate } from "./credentials.ts";
import { guarded } from "./guardian.ts";

const HOST = "127.0.0.1";
/** The bus has 7 streams, each of which may reserve `bus.max_bytes`; one more for the margin. */
const STREAMS_RESERVED = 8;
/** A large store takes its time to recover. */
const START_MS = 60_000;
/** The guardian gives a server five seconds, then kills it. */
const PREDECESSOR_MS = 8_000;

export interface NatsSettings {
  readonly paths: FirmPaths;
  readonly program: string;
  /** The program's. */
  readonly version: string;
  readonly config: FirmConfig;
  readonly chart: OrgChart;
  readonly users: readonly ServerUser[];
  readonly events: ChildEvents;
}

/** A running server. */
export interface NatsProcess {
  readonly url: string;
  readonly child: Child;
}

/**
 * Starts the server and waits until it takes connections; JetStream has recovered by then.
 * @throws FirmError `bus-unavailable` with the server's last words.
 */
export async function startNats(settings: NatsSettings): Promise<NatsProcess> {
  const { paths, config, chart, users } = settings;
  await mkdir(paths.natsStore, { recursive: true, mode: 0o700 });
  await requireReadable(paths, settings.version);
  await predecessorGone(paths);
  const port = await choosePort(paths);
  const text = renderServerConfig({
    host: HOST,
    port,
    storeDir: paths.natsStore,
    maxFileStore: STREAMS_RESERVED * config.bus.max_bytes,
    pidFile: paths.natsPid,
    users,
    roles: chart.roles,
  });
  await writePrivate(paths.natsConfig, text);
  await writePrivate(paths.natsPort, `${port}\n`);
  await writePrivate(paths.natsVersion, `${settings.version}\n`);
  const { command, args } = guarded(settings.program, ["-c", paths.natsConfig]);
  const child = new Child(
    {
      name: "nats-server",
      command,
      args,
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      cwd: paths.home,
      logFile: paths.natsLog,
      stopBy: "eof",
      graceMs: 6_000,
    },
    settings.events,
  );
  await listening(child, port);
  return { url: `nats://${HOST}:${port}`, child };
}

/** Resolves when the port takes connections. */
async function listening(child: Child, port: number): Promise<void> {
  const end = Date.now() + START_MS;
  while (!(await accepts(port))) {
    if (child.lastExit !== undefined || Date.now() > end) {
      const how = child.lastExit ?? `no connection within ${START_MS / 1000} s`;
      const words = lastWords(child.lastLines(5));
      await child.stop();
      throw new FirmError("bus-unavailable", `nats-server did not start (${how}): ${words}`, {
        hint: `its log is ${child.spec.logFile}`,
      });
    }
    await sleep(10);
  }
}

/** nats-server's own complaint, without its time stamp. Pure. */
function lastWords(lines: readonly string[]): string {
  const line = lines.findLast((text) => /\[(?:FTL|ERR)\]/.test(text)) ?? lines.at(-1);
  return line?.replace(/^.*\[(?:FTL|ERR|WRN|INF)\]\s*/, "") ?? "it said nothing";
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: HOST, port });
    const answer = (yes: boolean) => (): void => {
      socket.destroy();
      resolve(yes);
    };
    // The server speaks first: what is silent is not a NATS server.
    socket.once("data", answer(true)).once("error", answer(false)).once("close", answer(false));
    socket.setTimeout(1_000, answer(false));
  });
}

/** @throws FirmError `storage-unavailable` where a newer server wrote the store (N3). */
async function requireReadable(paths: FirmPaths, version: string): Promise<void> {
  const writer = await readOr(paths.natsVersion, "");
  if (writer === "" || !isOlderLine(version, writer)) return;
  throw new FirmError(
    "storage-unavailable",
    `nats-server ${version} cannot read what ${writer} stored in ${paths.natsStore}`,
    {
      hint: `name a newer one with FIRM_NATS_SERVER, or move ${dirname(paths.natsStore)} away to begin anew`,
    },
  );
}

/** Waits for a server that an earlier supervisor left; its guardian is ending it. */
async function predecessorGone(paths: FirmPaths): Promise<void> {
  const pid = Number(await readOr(paths.natsPid, ""));
  const port = Number(await readOr(paths.natsPort, ""));
  if (!Number.isInteger(pid) || pid <= 0 || !Number.isInteger(port) || port <= 0) return;
  const end = Date.now() + PREDECESSOR_MS;
  while (isAlive(pid) && ((await accepts(port)) || (await isNatsServer(pid)))) {
    if (Date.now() > end) {
      throw new FirmError(
        "bus-unavailable",
        `an earlier nats-server (process ${pid}) still uses ${paths.natsStore}`,
        {
          hint: `end it with \`kill ${pid}\``,
        },
      );
    }
    await sleep(50);
  }
  await rm(paths.natsPid, { force: true });
}

/** True where the process of that number still is a nats-server: it closes its port before its store. */
async function isNatsServer(pid: number): Promise<boolean> {
  const ran = await execa("ps", ["-p", String(pid), "-o", "comm="], {
    reject: false,
    stdin: "ignore",
    timeout: 2_000,
  });
  return ran.exitCode === 0 && ran.stdout.includes("nats-server");
}

/** The last port if it is free, so that what `firm env` printed stays good; else any. */
async function choosePort(paths: FirmPaths): Promise<number> {
  const last = Number(await readOr(paths.natsPort, "0"));
  const wanted = Number.isInteger(last) && last > 0 && last < 65_536 ? last : 0;
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? 0;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ host: HOST, port }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : undefined));
    });
  });
}

async function readOr(path: string, fallback: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return fallback;
    throw error;
  }
}
