// Questions get one reply each, wait for slots, and end with their run, their deadline or the worker (A1 to A4).
import type { BusRequest } from "@firm/bus";
import { FirmError, type AskOrder } from "@firm/protocol";
import { expect, test } from "vitest";
import { AskDesk, MOST_WAITING, type AskHandler } from "./asks.ts";
import { GatewayClient } from "./gateway-client.ts";
import { createMetrics } from "./metrics.ts";
import { Slots } from "./slots.ts";
import { NO_TRACING } from "./tracing.ts";
import { fakeGateway, memoryLog } from "./testing/fakes.ts";
import { createWorkerMetrics } from "./worker-metrics.ts";

/** A question whose reply can be waited for. */
function request(body: unknown): { request: BusRequest; reply: Promise<string>; replies: unknown[] } {
  const done = Promise.withResolvers<string>();
  done.promise.catch(() => undefined);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const replies: unknown[] = [];
  return {
    reply: done.promise,
    replies,
    request: {
      subject: "firm.to.executive.cfo.ask",
      headers: {},
      size: text.length,
      expectsReply: true,
      text: () => text,
      bytes: () => new TextEncoder().encode(text),
      respond: (answer) => {
        replies.push(answer);
        done.resolve(String(answer));
      },
      fail: (error) => {
        replies.push(error);
        done.reject(error);
      },
    },
  };
}

function order(over: Partial<AskOrder> = {}): AskOrder {
  return {
    run: "RUN",
    invocation: "i1",
    role: "cfo",
    question: "How much?",
    chain: ["cro", "cfo"],
    path: [],
    phase: 0,
    session: "RUN:cfo",
    token: "token-ask",
    deadline: Date.now() + 30_000,
    ...over,
  };
}

function desk(handler: AskHandler, size = 1) {
  const metrics = createMetrics("test", "0.0.0");
  const worker = createWorkerMetrics(metrics.registry);
  const bus = fakeGateway({ invoke: () => ({ invocation: "i2", role: "coo", text: "42" }) });
  const slots = new Slots(size);
  const { log } = memoryLog();
  const asks = new AskDesk({
    role: "cfo",
    handler,
    client: new GatewayClient(bus, "cfo", worker),
    slots,
    log,
    metrics: worker,
    tracing: NO_TRACING,
  });
  const ask = (over: Partial<AskOrder> = {}) => {
    const one = request(order(over));
    asks.take(one.request);
    return one;
  };
  return { asks, ask, bus, slots, registry: metrics.registry };
}

/** Lets everything run that is ready to. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

test("the handler's text is the reply, and its requests carry the question's token (A1)", async () => {
  const { ask, bus, registry } = desk(async ({ gateway }) => (await gateway.invoke("coo", "And you?")).text);
  const { reply, replies } = ask();
  expect(await reply).toBe("42");
  expect(replies).toHaveLength(1);
  expect(bus.asked).toMatchObject([{ verb: "invoke", token: "token-ask", body: { role: "coo" } }]);
  await turn();
  expect(await registry.metrics()).toContain('firm_asks_total{role="cfo",outcome="answered"} 1');
});

test("a handler's failure and what is no question are answered with the reason (A1)", async () => {
  const { asks, ask } = desk(() => Promise.reject(new FirmError("agent-failed", "no idea")));
  await expect(ask().reply).rejects.toMatchObject({ code: "agent-failed" });
  await expect(ask({ role: "coo" }).reply).rejects.toMatchObject({ code: "wrong-sender" });
  const bad = request("hello");
  asks.take(bad.request);
  await expect(bad.reply).rejects.toMatchObject({ code: "invalid-input" });
});

test("one slot: the second question waits, unless the first waits for others (A2)", async () => {
  const begun: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const { ask, slots } = desk(async ({ order: { invocation }, away }) => {
    begun.push(invocation);
    const gate = Promise.withResolvers<void>();
    gates.set(invocation, gate);
    await (invocation === "waits" ? away(() => gate.promise) : gate.promise);
    return invocation;
  });
  const works = ask({ invocation: "works" });
  const next = ask({ invocation: "waits" });
  await turn();
  expect(begun).toEqual(["works"]);
  gates.get("works")?.resolve();
  await works.reply;
  const third = ask({ invocation: "third" });
  while (!gates.has("third")) await turn();
  expect(slots.inUse).toBe(1);
  gates.get("third")?.resolve();
  expect(await third.reply).toBe("third");
  gates.get("waits")?.resolve();
  expect(await next.reply).toBe("waits");
});

test("more questions than may wait are refused, the others stay (A3)", async () => {
  const gate = Promise.withResolvers<void>();
  const { ask } = desk(() => gate.promise.then(() => "done"));
  const first = ask();
  await turn();
  const waiting = Array.from({ length: MOST_WAITING }, () => ask());
  const beyond = ask();
  await expect(beyond.reply).rejects.toMatchObject({ code: "rate-limited" });
  gate.resolve();
  expect(await first.reply).toBe("done");
  expect(new Set(await Promise.all(waiting.map(({ reply }) => reply)))).toEqual(new Set(["done"]));
});

test("a stop ends the run's questions, in hand or waiting, and no other's (A4)", async () => {
  const { asks, ask } = desk(({ order: { run }, signal }) =>
    run === "RUN" ? untilAborted(signal) : Promise.resolve("other"),
  );
  const [works, waits] = [ask(), ask()];
  const other = ask({ run: "OTHER" });
  await turn();
  asks.stopRun("RUN");
  await expect(works.reply).rejects.toMatchObject({ code: "run-cancelled" });
  await expect(waits.reply).rejects.toMatchObject({ code: "run-cancelled" });
  expect(await other.reply).toBe("other");
});

test("the deadline ends a question whose handler ignores it, and frees its slot (A4)", async () => {
  const { ask, slots } = desk(() => new Promise(() => undefined));
  await expect(ask({ deadline: Date.now() + 20 }).reply).rejects.toMatchObject({ code: "deadline-passed" });
  expect(slots.inUse).toBe(0);
});

test("a drain waits for what is in hand, and ends it once its grace is over (A4)", async () => {
  const gate = Promise.withResolvers<string>();
  const patient = desk(() => gate.promise);
  const one = patient.ask();
  const drained = patient.asks.drain(60_000);
  gate.resolve("in time");
  await drained;
  expect(await one.reply).toBe("in time");
  const stuck = desk(({ signal }) => untilAborted(signal));
  const two = stuck.ask();
  await stuck.asks.drain(10);
  await expect(two.reply).rejects.toMatchObject({ code: "bus-unavailable" });
});
