// Feeds and reads: every message once, in order, whatever happens to the connection and the server.
import { initBus, type Bus, type StoredMessage } from "@firm/bus";
import { subjects } from "@firm/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collector, startFirmNats, type FirmNats } from "../harness/firm-nats.ts";
import { startProxy } from "../harness/proxy.ts";

let firm: FirmNats;
let gateway: Bus;
beforeAll(async () => {
  firm = await startFirmNats();
  await initBus(await firm.connectAs("operator"), firm.config, firm.chart);
  gateway = await firm.connectAs("gateway");
});
afterAll(() => firm.stop());

const numbers = (messages: readonly StoredMessage[]): number[] =>
  messages.map((message) => Number(message.text()));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe("read", () => {
  it("gives what stands under a filter, in order, from a sequence on", async () => {
    const seqs: number[] = [];
    for (const i of upTo(300)) seqs.push((await gateway.append(subjects.run.session("READ"), String(i))).seq);
    expect(numbers(await gateway.read("FIRM_RUNS", subjects.run.of("READ")))).toEqual(upTo(300));
    expect(numbers(await gateway.read("FIRM_RUNS", subjects.run.of("READ"), seqs[290]))).toEqual(
      upTo(300).slice(290),
    );
    expect(await gateway.read("FIRM_RUNS", subjects.run.of("NOTHING"))).toEqual([]);
    expect(await gateway.last("FIRM_RUNS", subjects.run.session("NOTHING"))).toBeUndefined();
  });

  it("leaves no consumer behind", async () => {
    const operator = await firm.connectAs("operator");
    const names = async (): Promise<string> =>
      (await operator.request("$JS.API.CONSUMER.NAMES.FIRM_RUNS", "")).text();
    await gateway.read("FIRM_RUNS", subjects.run.all);
    await gateway.rtt();
    while (!(await names()).includes('"total":0'));
  });

  it("says that there is no such stream", async () => {
    const operator = await firm.connectAs("operator");
    await expect(operator.read("NO_STREAM", ">")).rejects.toMatchObject({
      code: "storage-unavailable",
      hint: expect.stringContaining("firm bus init"),
    });
  });
});

describe("follow", () => {
  it("starts at a sequence, or with what is new", async () => {
    for (const i of upTo(3)) await gateway.append(subjects.run.session("NEW"), String(i));
    const old = collector<StoredMessage>();
    const fresh = collector<StoredMessage>();
    const feeds = [
      await gateway.follow("FIRM_RUNS", subjects.run.of("NEW"), 1, old.push),
      await gateway.follow("FIRM_RUNS", subjects.run.of("NEW"), undefined, fresh.push),
    ];
    const { seq } = await gateway.append(subjects.run.session("NEW"), "3");
    expect(numbers(await old.until((all) => all.length === 4))).toEqual([0, 1, 2, 3]);
    expect(numbers(await fresh.until((all) => all.length === 1))).toEqual([3]);
    expect(feeds.map((feed) => feed.seq)).toEqual([seq, seq]);
    await Promise.all(feeds.map((feed) => feed.stop()));
  });

  it("goes on after a handler that throws, and tells of it", async () => {
    const failures = collector<unknown>();
    gateway.onStatus((status) => {
      if (status.type === "handler-failed") failures.push(status.error);
    });
    const seen = collector<string>();
    const feed = await gateway.follow("FIRM_RUNS", subjects.run.of("THROWS"), 1, (message) => {
      if (message.text() === "bad") throw new Error("no");
      seen.push(message.text());
    });
    for (const text of ["a", "bad", "b"]) await gateway.append(subjects.run.session("THROWS"), text);
    expect(await seen.until((all) => all.length === 2)).toEqual(["a", "b"]);
    expect(failures.all).toHaveLength(1);
    await feed.stop();
  });

  it("misses nothing and repeats nothing while connections are cut", async () => {
    const proxy = await startProxy(firm.server.port);
    const bus = await firm.connectAs("gateway", { servers: `nats://127.0.0.1:${proxy.port}` });
    const seen = collector<StoredMessage>();
    const feed = await bus.follow("FIRM_RUNS", subjects.run.of("CUT"), 1, seen.push);
    for (const i of upTo(400)) {
      await gateway.append(subjects.run.session("CUT"), String(i));
      if (i % 100 === 50) proxy.cut();
    }
    await seen.until((all) => all.length >= 400);
    expect(numbers(seen.all)).toEqual(upTo(400));
    await feed.stop();
    await bus.drain();
    await proxy.close();
  });

  it("misses nothing when the server is killed, also of a feed that began with what is new", async () => {
    const own = await startFirmNats();
    await initBus(await own.connectAs("operator"), own.config, own.chart);
    const writer = await own.connectAs("gateway");
    const reader = await own.connectAs("user");
    const fromStart = collector<StoredMessage>();
    const fresh = collector<StoredMessage>();
    await writer.append(subjects.run.session("R"), "-1");
    await reader.follow("FIRM_RUNS", subjects.run.all, 2, fromStart.push);
    await reader.follow("FIRM_RUNS", subjects.run.all, undefined, fresh.push);
    for (const i of upTo(60)) {
      if (i === 0 || i === 30) {
        await own.server.kill("SIGKILL");
        const appending = writer.append(subjects.run.session("R"), String(i));
        await own.server.start();
        await appending;
      } else await writer.append(subjects.run.session("R"), String(i));
    }
    for (const seen of [fromStart, fresh]) {
      await seen.until((all) => all.length >= 60);
      expect(numbers(seen.all)).toEqual(upTo(60));
    }
    await own.stop();
  });

  it("passes over what nobody appended, and such a thing keeps no end event out", async () => {
    // A role may ask for its durable's state; it has the server send the answer to a subject that it may not publish to.
    const { connect, nkeyAuthenticator } = await import("nats");
    const role = "department:engineering";
    const seed = new TextEncoder().encode(firm.keyOf(role).seed);
    const raw = await connect({
      servers: firm.server.url,
      inboxPrefix: subjects.inbox(role),
      authenticator: nkeyAuthenticator(seed),
    });
    const end = subjects.run.end("FORGED", "h1");
    const arrived = collector<string>();
    const watcher = gateway.subscribe(end, (message) => arrived.push(message.text()));
    await gateway.rtt();
    raw.publish("$JS.API.CONSUMER.INFO.FIRM_WORK.department_engineering", "", { reply: end });
    await arrived.until((all) => all.length === 1);
    watcher.unsubscribe();
    await raw.close();
    expect(await gateway.read("FIRM_RUNS", subjects.run.of("FORGED"))).toEqual([]);
    expect(await gateway.last("FIRM_RUNS", end)).toBeUndefined();
    await gateway.append(end, "true", { expectedLastSubjectSequence: 0 });
    expect(
      (await gateway.read("FIRM_RUNS", subjects.run.of("FORGED"))).map((message) => message.text()),
    ).toEqual(["true"]);
    await expect(gateway.append(end, "again", { expectedLastSubjectSequence: 0 })).rejects.toMatchObject({
      code: "already-ended",
    });
  });
});
