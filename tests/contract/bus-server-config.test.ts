// The configuration that the local supervisor writes is one that nats-server takes, and it lets in whom it names.
import { connectBus, initBus, makeUserKey } from "@firm/bus";
import { orgChartOf, parseConfig, renderServerConfig } from "@firm/config";
import { FIRM_IDENTITIES } from "@firm/protocol";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { freePort, natsBinary, startNats } from "../harness/nats.ts";

it("is valid, and a firm can be set up on it even where the disk has little left", async () => {
  const directory = await mkdtemp(join(tmpdir(), 'firm "config" '));
  const config = parseConfig("");
  const chart = orgChartOf(config);
  const key = makeUserKey();
  const users = [...FIRM_IDENTITIES, ...chart.roles].map((identity) => ({
    identity,
    publicKey: identity === "operator" ? key.publicKey : makeUserKey().publicKey,
  }));
  const port = await freePort();
  const text = renderServerConfig({
    host: "127.0.0.1",
    port,
    storeDir: join(directory, "store"),
    maxFileStore: 64 * 1024 ** 3,
    httpPort: await freePort(),
    pidFile: join(directory, "nats.pid"),
    users,
    roles: chart.roles,
  });
  const file = join(directory, "nats.conf");
  await writeFile(file, text);
  const check = spawnSync(natsBinary().path, ["-t", "-c", file], { encoding: "utf8" });
  expect(check.stdout + check.stderr).toContain("is valid");
  const server = await startNats({ port, whole: text });
  const bus = await connectBus({ servers: server.url, name: "operator", nkeySeed: key.seed });
  expect((await initBus(bus, config, chart)).updated).toEqual([]);
  await bus.drain();
  await server.stop();
  await rm(directory, { recursive: true });
});
