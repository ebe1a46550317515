// Requests, replies and errors over a real server; what a lost connection does to them.
import { connectBus } from "@firm/bus";
import { FirmError } from "@firm/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collector } from "../harness/firm-nats.ts";
import { freePort, startNats, type NatsServer } from "../harness/nats.ts";

let server: NatsServer;
beforeAll(async () => {
  server = await startNats({ config: "max_payload: 4096" });
});
afterAll(() => server.stop());

const open = (name: string) => connectBus({ servers: server.url, name });

describe("request and reply", () => {
  it("carries body and headers both ways", async () => {
    await using bus = await disposable(open("echo"));
    bus.it.subscribe("echo", (request) =>
      request.respond(request.text().toUpperCase(), { "X-Seen": request.headers["X-Sent"] ?? "" }),
    );
    const reply = await bus.it.request("echo", "hello", { headers: { "X-Sent": "a b" } });
    expect(reply.text()).toBe("HELLO");
    expect(reply.headers["X-Seen"]).toBe("a b");
    expect(reply.size).toBe(5);
  });

  it("tells a FirmError to the asker with code, field and hint", async () => {
    await using bus = await disposable(open("fail"));
    bus.it.subscribe("fail", (request) =>
      request.fail(
        new FirmError("spawn-limit", "20 of 20\nspent", { field: "spawns", hint: "ask for less" }),
      ),
    );
    await expect(bus.it.request("fail", "")).rejects.toMatchObject({
      code: "spawn-limit",
      message: "20 of 20\nspent",
      field: "spawns",
      hint: "ask for less",
    });
  });

  it("tells of a handler that throws, without its text, and goes on", async () => {
    await using bus = await disposable(open("throws"));
    const failures = collector<unknown>();
    bus.it.onStatus((status) => {
      if (status.type === "handler-failed") failures.push(status.error);
    });
    bus.it.subscribe("throws", (request) => {
      if (request.text() === "bad") throw new Error("secret detail");
      request.respond("fine");
    });
    await expect(bus.it.request("throws", "bad")).rejects.toSatisfy(
      (error: FirmError) => error.code === "internal" && !error.message.includes("secret"),
    );
    expect(failures.all).toHaveLength(1);
    expect((await bus.it.request("throws", "good")).text()).toBe("fine");
  });

  it("maps the number of a service that is not ours", async () => {
    await using bus = await disposable(open("foreign"));
    bus.it.subscribe("foreign", (request) =>
      request.respond("", { "Nats-Service-Error": "no such thing", "Nats-Service-Error-Code": "404" }),
    );
    await expect(bus.it.request("foreign", "")).rejects.toMatchObject({
      message: "no such thing",
      status: 404,
    });
  });

  it("tells nobody there from no answer", async () => {
    await using bus = await disposable(open("silence"));
    await expect(bus.it.request("nobody", "")).rejects.toMatchObject({
      code: "bus-unavailable",
      message: expect.stringContaining("nobody answers"),
    });
    bus.it.subscribe("silent", () => undefined);
    await expect(bus.it.request("silent", "", { timeoutMs: 30 })).rejects.toMatchObject({
      code: "bus-unavailable",
      message: expect.stringContaining("within 30 ms"),
    });
  });

  it("ends with its signal", async () => {
    await using bus = await disposable(open("abort"));
    const stop = new AbortController();
    bus.it.subscribe("forever", () => stop.abort(new FirmError("run-cancelled", "stopped")));
    await expect(bus.it.request("forever", "", { signal: stop.signal })).rejects.toMatchObject({
      code: "run-cancelled",
    });
    await expect(bus.it.request("forever", "", { signal: stop.signal })).rejects.toMatchObject({
      code: "run-cancelled",
    });
  });

  it("refuses at once what the server would not take, with size and limit", async () => {
    await using bus = await disposable(open("large"));
    expect(bus.it.maxPayload).toBe(4096);
    const large = { code: "too-large", message: expect.stringMatching(/5000 bytes.*4096/) };
    await expect(bus.it.request("large", "x".repeat(5000))).rejects.toMatchObject(large);
    await expect(bus.it.append("firm.run.x.session", new Uint8Array(5000))).rejects.toMatchObject(large);
    expect(() => bus.it.publish("large", "x".repeat(5000))).toThrow(
      expect.objectContaining({ code: "too-large" }),
    );
  });

  it("refuses a header value that would break the header block", async () => {
    await using bus = await disposable(open("headers"));
    await expect(
      bus.it.request("x", "", { headers: { "X-A": "a\r\nFirm-Token: forged" } }),
    ).rejects.toMatchObject({ code: "invalid-input", field: "X-A" });
  });

  it("shares a subject within a queue and delivers each message once", async () => {
    await using a = await disposable(open("a"));
    await using b = await disposable(open("b"));
    const seen = collector<string>();
    for (const bus of [a.it, b.it]) {
      bus.subscribe("shared", (request) => seen.push(request.text()), { queue: "q" });
      await bus.rtt();
    }
    for (let i = 0; i < 50; i++) a.it.publish("shared", String(i));
    await seen.until((all) => all.length === 50);
    expect(new Set(seen.all).size).toBe(50);
  });

  it("does not answer into Firm's or the server's own subjects (confused deputy)", async () => {
    await using bus = await disposable(open("deputy"));
    const inside = collector<string>();
    bus.it.subscribe("firm.run.>", (message) => inside.push(message.subject));
    bus.it.subscribe("deputy", (request) => {
      expect(request.expectsReply).toBe(false);
      request.respond("said with the answerer's rights");
    });
    const { connect } = await import("nats");
    const raw = await connect({ servers: server.url });
    raw.publish("deputy", "", { reply: "firm.run.x.end.root" });
    raw.publish("deputy", "", { reply: "$JS.API.STREAM.DELETE.FIRM_RUNS" });
    await raw.close();
    await bus.it.rtt();
    expect(inside.all).toEqual([]);
  });
});

describe("connections", () => {
  it("say plainly that no server is there", async () => {
    const port = await freePort();
    await expect(
      connectBus({ servers: `nats://127.0.0.1:${port}`, name: "x", timeoutMs: 500 }),
    ).rejects.toMatchObject({
      code: "bus-unavailable",
      message: expect.stringContaining(String(port)),
      hint: expect.stringContaining("FIRM_NATS_URL"),
    });
  });

  it("wait for a server that comes later, where told to", async () => {
    const port = await freePort();
    const connecting = connectBus({
      servers: `nats://127.0.0.1:${port}`,
      name: "early",
      waitOnFirstConnect: true,
    });
    const late = await startNats({ port });
    const bus = await connecting;
    expect(bus.connected).toBe(true);
    await bus.drain();
    await late.stop();
  });

  it("come back after a restart; what waits for an answer is told at once, what is asked meanwhile is asked later", async () => {
    const own = await startNats();
    const bus = await connectBus({ servers: own.url, name: "restart" });
    const changes = collector<string>();
    bus.onStatus((status) => changes.push(status.type));
    bus.subscribe("silent", () => undefined);
    bus.subscribe("echo", (request) => request.respond(request.text()));
    const waiting = Promise.allSettled([bus.request("silent", "", { timeoutMs: 20_000 })]);
    await bus.rtt();
    await own.kill("SIGKILL");
    expect(await waiting).toMatchObject([
      { status: "rejected", reason: { code: "bus-unavailable", message: expect.stringContaining("lost") } },
    ]);
    await changes.until((all) => all.includes("disconnected"));
    expect(bus.connected).toBe(false);
    const asked = bus.request("echo", "after");
    await own.start();
    expect((await asked).text()).toBe("after");
    expect(changes.all).toEqual(["connected", "disconnected", "reconnected"]);
    await bus.drain();
    await bus.closed;
    await own.stop();
  });

  it("can be drained while the server is gone", async () => {
    const own = await startNats();
    const bus = await connectBus({ servers: own.url, name: "gone" });
    await own.kill("SIGKILL");
    await bus.drain();
    await expect(bus.request("x", "")).rejects.toMatchObject({ code: "bus-unavailable" });
    await own.stop();
  });
});

async function disposable<T extends { drain(): Promise<void> }>(
  opening: Promise<T>,
): Promise<{ it: T } & AsyncDisposable> {
  const it = await opening;
  return { it, [Symbol.asyncDispose]: () => it.drain() };
}
