// Owns real nats-servers for tests: each on a free port with its own store; a missing binary fails, it never skips.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IN_CONTAINERS, startContainer, type RunningContainer } from "./container.ts";

export interface NatsOptions {
  /** Configuration text without `listen` and `jetstream`, which are added. */
  config?: string;
  /** The whole configuration text, `port` included; the other settings are not added to it. */
  whole?: string;
  /** Default true. */
  jetstream?: boolean;
  /** A store of another server, to go on with; default: a new one, removed at the end. */
  storeDir?: string;
  /** Default: a free one. */
  port?: number;
  /** Binary; default FIRM_NATS_SERVER, else nats-server on PATH. */
  binary?: string;
}

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  readonly storeDir: string;
  readonly version: string;
  /** What the server wrote so far. */
  log(): string;
  /** SIGTERM, or another signal; resolves when the process is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts again on the same port and store; another configuration where one is given. */
  start(config?: string): Promise<void>;
  /** Kills the server and removes what it stored. */
  stop(): Promise<void>;
}

/** The server's image where tests run in containers. */
const IMAGE = process.env["NATS_IMAGE"] ?? "nats:2.12";

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** The binary under test and its version. @throws where there is none: the tests need it. */
export function natsBinary(binary = process.env["FIRM_NATS_SERVER"] ?? "nats-server"): {
  path: string;
  version: string;
} {
  const { stdout, error } = spawnSync(binary, ["--version"], { encoding: "utf8" });
  const version = /v(\d+\.\d+\.\d+)/.exec(stdout ?? "")?.[1];
  if (error !== undefined || version === undefined) {
    throw new Error(
      `${binary} cannot be run: install nats-server (2.9 or newer) or set FIRM_NATS_SERVER to its path`,
    );
  }
  return { path: binary, version };
}

/** Starts a server and waits until it takes connections. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  const { path, version } = natsBinary(options.binary);
  const directory = await mkdtemp(join(tmpdir(), "firm-nats-"));
  const storeDir = options.storeDir ?? join(directory, "store");
  const port = options.port ?? (await freePort());
  let child: ChildProcess | undefined;
  let container: RunningContainer | undefined;
  let log = "";

  const start = async (config = options.config ?? ""): Promise<void> => {
    const file = join(directory, "nats.conf");
    const jetstream =
      options.jetstream === false ? "" : `jetstream { store_dir: ${JSON.stringify(storeDir)} }\n`;
    await writeFile(
      file,
      options.whole ??
        `listen: "127.0.0.1:${port}"
${jetstream}${config}
`,
    );
    const onText = (text: string): void => {
      log += text;
    };
    if (IN_CONTAINERS && options.binary === undefined) {
      const mounts = [tmpdir()];
      const command = ["-c", file];
      container = await startContainer({ image: IMAGE, command, mounts, ready: /Server is ready/, onText });
      return;
    }
    child = spawn(path, ["-c", file], { stdio: ["ignore", "pipe", "pipe"] });
    await ready(child, onText);
  };
  const kill = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    await container?.kill(signal);
    const running = child;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => {
      running.once("exit", () => resolve());
    });
    running.kill(signal);
    await exited;
  };
  // A test run that is broken off leaves no server behind.
  const onExit = (): void => void child?.kill("SIGKILL");
  process.once("exit", onExit);
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    storeDir,
    version,
    log: () => log,
    kill,
    start,
    stop: async () => {
      process.off("exit", onExit);
      await kill("SIGKILL");
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Resolves when the server says that it is ready; rejects with its own words when it exits first. */
async function ready(child: ChildProcess, onText: (text: string) => void): Promise<void> {
  let said = "";
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      const text = chunk.toString();
      said += text;
      onText(text);
      if (said.includes("Server is ready")) resolve();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`nats-server exited with ${code}: ${said}`)));
  });
}
