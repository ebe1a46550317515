// Owns really trying JetStream: a stream's store is written and read, on a server of our own in a directory that is removed again.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectBus, initBus } from "@firm/bus";
import { orgChartOf, parseConfig } from "@firm/config";
import { BUCKETS, FirmError } from "@firm/protocol";
import { connectUser } from "../client/firm.ts";
import { pathsOf } from "../paths.ts";
import { ensureCredentials } from "../supervisor/credentials.ts";
import { startNats } from "../supervisor/nats-process.ts";
import { connectAs } from "../supervisor/bus-upkeep.ts";

/** Small enough for any disk; the check writes a few hundred bytes. */
const CONFIG = "bus: {max_bytes: 1048576}";

/**
 * Starts a server below a temporary directory, sets a bus up and writes to it.
 * @returns what was done
 * @throws FirmError with the server's own words.
 */
export async function tryOwnServer(program: string, version: string, home: string): Promise<string> {
  // Beside `.firm`, since it is that file system that counts; elsewhere where nothing can be written there.
  const base = await mkdtemp(join(home, ".firm-doctor-")).catch(() =>
    mkdtemp(join(tmpdir(), "firm-doctor-")),
  );
  const paths = pathsOf(base);
  const config = parseConfig(CONFIG);
  const chart = orgChartOf(config);
  try {
    await Promise.all([paths.state, paths.logs].map((dir) => mkdir(dir, { recursive: true, mode: 0o700 })));
    const users = await ensureCredentials(paths, chart.roles);
    const { url, child } = await startNats({ paths, program, version, config, chart, users, events: {} });
    try {
      const operator = await connectAs("operator", url, paths);
      try {
        await initBus(operator, config, chart);
        const kv = await operator.kv(BUCKETS.runs);
        await kv.put("doctor", "1");
        const entry = await kv.get("doctor");
        if (entry?.text !== "1")
          throw new FirmError("storage-unavailable", "JetStream does not give back what it stored");
        return "a stream was created, written and read";
      } finally {
        await operator.drain();
      }
    } finally {
      await child.stop();
    }
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/**
 * Asks a server that runs elsewhere for its bus.
 * @throws FirmError where JetStream is disabled or the bus is not set up.
 */
export async function tryJetStream(url: string, seedFile: string | undefined): Promise<string> {
  const bus =
    seedFile === undefined
      ? await connectBus({ servers: url, name: "firm doctor" })
      : await connectUser(url, seedFile);
  try {
    const keys = await (await bus.kv(BUCKETS.runs)).keys("run.*");
    return `the bus answers; ${keys.length} run${keys.length === 1 ? "" : "s"} stored`;
  } finally {
    await bus.drain();
  }
}
