// Appends: stored exactly once whatever the network does, and one end event for each handoff.
import { connectBus, initBus, type Bus } from "@firm/bus";
import { HEADERS, subjects } from "@firm/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collector, startFirmNats, type FirmNats } from "../harness/firm-nats.ts";
import { startNats } from "../harness/nats.ts";
import { startProxy } from "../harness/proxy.ts";

let firm: FirmNats;
let gateway: Bus;
beforeAll(async () => {
  firm = await startFirmNats();
  await initBus(await firm.connectAs("operator"), firm.config, firm.chart);
  gateway = await firm.connectAs("gateway");
});
afterAll(() => firm.stop());

let runs = 0;
const newRun = (): string => `RUN${runs++}`;

describe("append", () => {
  it("stores with headers and says where", async () => {
    const run = newRun();
    const { seq } = await gateway.append(subjects.run.session(run), "body", {
      headers: { [HEADERS.run]: run },
      msgId: `${run}-1`,
    });
    const last = await gateway.last("FIRM_RUNS", subjects.run.session(run));
    expect(last).toMatchObject({ seq, subject: subjects.run.session(run) });
    expect(last?.text()).toBe("body");
    expect(last?.headers).toMatchObject({ [HEADERS.run]: run, [HEADERS.msgId]: `${run}-1` });
    expect(Math.abs((last?.storedAt ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it("takes a second append under the same id for a duplicate", async () => {
    const run = newRun();
    const first = await gateway.append(subjects.run.session(run), "a", { msgId: `${run}-1` });
    expect(await gateway.append(subjects.run.session(run), "a", { msgId: `${run}-1` })).toEqual({
      seq: first.seq,
      duplicate: true,
    });
    expect(await gateway.read("FIRM_RUNS", subjects.run.of(run))).toHaveLength(1);
  });

  it("lets exactly one of many end a handoff", async () => {
    const run = newRun();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        gateway.append(subjects.run.end(run, "h1"), String(i), {
          expectedLastSubjectSequence: 0,
          msgId: `${run}-end-${i}`,
        }),
      ),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "already-ended" });
  });

  it("knows its own end event again, within and after the server's duplicate window", async () => {
    const own = await startNats();
    const bus = await connectBus({ servers: own.url, name: "window" });
    const config = {
      name: "SHORT",
      subjects: ["short.>"],
      allow_direct: true,
      storage: "file",
      num_replicas: 1,
      duplicate_window: 100_000_000,
    };
    await bus.request("$JS.API.STREAM.CREATE.SHORT", JSON.stringify(config));
    const end = () => bus.append("short.end", "x", { expectedLastSubjectSequence: 0, msgId: "end" });
    expect(await end()).toEqual({ seq: 1, duplicate: false });
    expect(await end()).toEqual({ seq: 1, duplicate: true });
    await bus.append("short.probe", "x", { msgId: "probe" });
    while ((await bus.append("short.probe", "x", { msgId: "probe" })).duplicate);
    expect(await end()).toEqual({ seq: 1, duplicate: true });
    await expect(
      bus.append("short.end", "x", { expectedLastSubjectSequence: 0, msgId: "other" }),
    ).rejects.toMatchObject({ code: "already-ended" });
    await bus.drain();
    await own.stop();
  });

  it("is not repeated as an event when the acknowledgement is lost", async () => {
    const proxy = await startProxy(firm.server.port);
    const bus = await firm.connectAs("gateway", { servers: `nats://127.0.0.1:${proxy.port}` });
    const run = newRun();
    const stored = collector<number>();
    const feed = await gateway.follow("FIRM_RUNS", subjects.run.of(run), 1, (message) =>
      stored.push(message.seq),
    );
    proxy.mute();
    const ending = bus.append(subjects.run.end(run, "h"), "x", { expectedLastSubjectSequence: 0 });
    await stored.until((all) => all.length === 1);
    proxy.cut();
    expect(await ending).toEqual({ seq: stored.all[0], duplicate: true });
    expect(await gateway.read("FIRM_RUNS", subjects.run.of(run))).toHaveLength(1);
    await feed.stop();
    await bus.drain();
    await proxy.close();
  });

  it("waits out a restart of the server", async () => {
    const own = await startFirmNats();
    await initBus(await own.connectAs("operator"), own.config, own.chart);
    const bus = await own.connectAs("gateway");
    await own.server.kill("SIGKILL");
    const appending = Array.from({ length: 50 }, (_, i) => bus.append(subjects.run.session("R"), String(i)));
    await own.server.start();
    await Promise.all(appending);
    expect(await bus.read("FIRM_RUNS", subjects.run.of("R"))).toHaveLength(50);
    await own.stop();
  });

  it("names the stream and the remedy when the stream is full", async () => {
    const own = await startFirmNats("bus: { max_bytes: 1048576 }");
    await initBus(await own.connectAs("operator"), own.config, own.chart);
    const bus = await own.connectAs("gateway");
    const filling = async (): Promise<void> => {
      for (;;) await bus.append(subjects.run.session("R"), "x".repeat(100_000));
    };
    await expect(filling()).rejects.toMatchObject({
      code: "storage-unavailable",
      message: expect.stringContaining("FIRM_RUNS"),
      hint: expect.stringContaining("bus.max_bytes"),
    });
    await own.stop();
  });

  it("says what to do where no stream takes it", async () => {
    const own = await startNats({ jetstream: false });
    const bus = await connectBus({ servers: own.url, name: "no-jetstream" });
    await expect(bus.append(subjects.run.session("R"), "x")).rejects.toMatchObject({
      code: "storage-unavailable",
      hint: expect.stringContaining("JetStream"),
    });
    await bus.drain();
    await own.stop();
  });
});
