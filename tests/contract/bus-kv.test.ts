// KV buckets and artifacts: compare-and-set that is exact under contention and lost answers; other clients read the same.
import { initBus, type Bus, type KvStore } from "@firm/bus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startFirmNats, type FirmNats } from "../harness/firm-nats.ts";
import { startProxy } from "../harness/proxy.ts";

let firm: FirmNats;
let gateway: Bus;
let runs: KvStore;
beforeAll(async () => {
  firm = await startFirmNats();
  await initBus(await firm.connectAs("operator"), firm.config, firm.chart);
  gateway = await firm.connectAs("gateway");
  runs = await gateway.kv("firm-runs");
});
afterAll(() => firm.stop());

describe("kv", () => {
  it("creates once, updates the latest only, deletes, creates again", async () => {
    const first = await runs.create("a.1", "one");
    expect(first).toBeGreaterThan(0);
    expect(await runs.create("a.1", "two")).toBeUndefined();
    expect(await runs.get("a.1")).toEqual({ key: "a.1", text: "one", revision: first });
    const second = await runs.update("a.1", "two", first ?? 0);
    expect(await runs.update("a.1", "three", first ?? 0)).toBeUndefined();
    expect(await runs.get("a.1")).toEqual({ key: "a.1", text: "two", revision: second });
    await runs.delete("a.1");
    expect(await runs.get("a.1")).toBeUndefined();
    expect(await runs.create("a.1", "again")).toBeGreaterThan(second ?? 0);
    expect(await runs.put("a.1", "put")).toBeGreaterThan(0);
  });

  it("lists keys by filter, without deleted ones", async () => {
    for (const key of ["k.x.1", "k.x.2", "k.y.1"]) await runs.put(key, "v");
    await runs.delete("k.x.2");
    expect((await runs.keys("k.>")).toSorted()).toEqual(["k.x.1", "k.y.1"]);
    expect(await runs.keys("k.x.*")).toEqual(["k.x.1"]);
    expect(await runs.keys("none.>")).toEqual([]);
  });

  it("counts exactly across writers", async () => {
    await runs.create("count", "0");
    const stores = await Promise.all(
      [1, 2, 3, 4].map(async () => (await firm.connectAs("gateway")).kv("firm-runs")),
    );
    const increment = async (store: KvStore): Promise<void> => {
      for (;;) {
        const entry = await store.get("count");
        if (
          entry !== undefined &&
          (await store.update("count", String(Number(entry.text) + 1), entry.revision)) !== undefined
        )
          return;
      }
    };
    await Promise.all(stores.flatMap((store) => Array.from({ length: 25 }, () => increment(store))));
    expect((await runs.get("count"))?.text).toBe("100");
  });

  it("knows its own change again when the answer is lost", async () => {
    const proxy = await startProxy(firm.server.port);
    const bus = await firm.connectAs("gateway", { servers: `nats://127.0.0.1:${proxy.port}` });
    const store = await bus.kv("firm-runs");
    const revision = (await runs.create("lost", "0")) ?? 0;
    proxy.mute();
    const updating = store.update("lost", "1", revision);
    while ((await runs.get("lost"))?.text !== "1");
    proxy.cut();
    expect(await updating).toBe((await runs.get("lost"))?.revision);
    await bus.drain();
    await proxy.close();
  });

  it("refuses keys that NATS would not take, and names a bucket that is missing", async () => {
    for (const key of ["", "a b", ".a", "a.", "a..b", "a.*", ">"])
      await expect(runs.get(key)).rejects.toMatchObject({ code: "invalid-input" });
    const operator = await firm.connectAs("operator");
    await expect(operator.kv("no-such")).rejects.toMatchObject({
      code: "storage-unavailable",
      hint: expect.stringContaining("firm bus init"),
    });
  });
});

describe("artifacts", () => {
  it("keeps what is larger than a message; the user reads it and cannot write", async () => {
    const artifacts = await gateway.artifacts();
    const large = new Uint8Array(gateway.maxPayload * 3).fill(7);
    await artifacts.put("memory/delivery/latest", new TextEncoder().encode("old"));
    await artifacts.put("memory/delivery/latest", large);
    const user = await firm.connectAs("user");
    const readable = await user.artifacts();
    expect(await readable.get("memory/delivery/latest")).toEqual(large);
    expect(await readable.list()).toEqual([{ name: "memory/delivery/latest", size: large.length }]);
    await expect(readable.put("x", new Uint8Array(1))).rejects.toMatchObject({ code: "permission-refused" });
    await artifacts.delete("memory/delivery/latest");
    expect(await artifacts.get("memory/delivery/latest")).toBeUndefined();
    expect(await artifacts.list()).toEqual([]);
  });

  it("says what to do where the store is missing", async () => {
    const bare = await startFirmNats();
    const operator = await bare.connectAs("operator");
    const artifacts = operator.artifacts();
    await expect(artifacts).rejects.toMatchObject({
      code: "storage-unavailable",
      hint: expect.stringContaining("firm bus init"),
    });
    await bare.stop();
  });
});
