// The invariants W1 to W4 of work.ts: what becomes of a delivery in every way its work can go.
import { FirmError, Result } from "@firm/protocol";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { GatewayClient } from "./gateway-client.ts";
import { Slots } from "./slots.ts";
import { NO_TRACING } from "./tracing.ts";
import {
  delivery,
  fakeGateway,
  memoryLog,
  workOrder,
  type Asked,
  type FakeDelivery,
} from "./testing/fakes.ts";
import { WorkDesk, type Work, type WorkHandler } from "./work.ts";
import { createWorkerMetrics } from "./worker-metrics.ts";

const done = Result.parse({ status: "ok", objective_key: "build-a-payment-api", summary: "done" });
const stored = { result: () => ({ seq: 7 }), checkpoint: () => ({ seq: 1 }) };

interface Bench {
  readonly desk: WorkDesk;
  readonly asked: Asked[];
  readonly lines: Record<string, unknown>[];
  readonly slots: Slots;
  /** Takes a delivery and resolves once it has ended. */
  serve(one: FakeDelivery): Promise<string[]>;
}

function bench(handler: WorkHandler, answers: Parameters<typeof fakeGateway>[0] = stored): Bench {
  const gateway = fakeGateway(answers);
  const { log, lines } = memoryLog();
  const metrics = createWorkerMetrics(new Registry());
  const slots = new Slots(2);
  const role = "department:engineering";
  const desk = new WorkDesk({
    role,
    worker: "host/1",
    handler,
    client: new GatewayClient(gateway, role, metrics),
    slots,
    ackWaitMs: 5_000,
    maxPayload: 20_000,
    log,
    metrics,
    tracing: NO_TRACING,
  });
  return {
    desk,
    asked: gateway.asked,
    lines,
    slots,
    serve: async (one) => {
      await slots.acquire();
      desk.take(one);
      await desk.drain(60_000);
      return one.said;
    },
  };
}

const refusing = (code: ConstructorParameters<typeof FirmError>[0]) => () => {
  throw new FirmError(code, `refused: ${code}`);
};

test("W1: the result is stored, then the delivery is acknowledged, then the slot is free", async () => {
  const { serve, asked, slots } = bench(() => Promise.resolve(done));
  expect(await serve(delivery(workOrder()))).toEqual(["ack"]);
  expect(asked.map(({ verb, token }) => [verb, token])).toEqual([["result", "token-1"]]);
  expect(asked[0]?.body).toEqual(done);
  expect(slots.inUse).toBe(0);
});

test.each(["already-ended", "run-cancelled", "run-ended", "deadline-passed", "expired-token"] as const)(
  "W1: a result refused with %s leaves nothing to store: acknowledged",
  async (code) => {
    const { serve } = bench(() => Promise.resolve(done), { ...stored, result: refusing(code) });
    expect(await serve(delivery(workOrder()))).toEqual(["ack"]);
  },
);

test("W2: a redelivery is claimed first and works under the claim's token, with the earlier checkpoint", async () => {
  let seen: Pick<Work, "attempt" | "checkpoint"> | undefined;
  const { serve, asked } = bench(
    (work) => {
      seen = { attempt: work.attempt, checkpoint: work.checkpoint };
      return Promise.resolve(done);
    },
    {
      ...stored,
      claim: () => ({
        token: "token-3",
        ended: false,
        attempt: 3,
        checkpoint: { ...done, status: "partial" },
      }),
    },
  );
  expect(await serve(delivery(workOrder(), 3))).toEqual(["ack"]);
  expect(asked.map(({ verb, token }) => [verb, token])).toEqual([
    ["claim", "token-1"],
    ["result", "token-3"],
  ]);
  expect(asked[0]?.body).toEqual({ attempt: 3, worker: "host/1" });
  expect(seen).toMatchObject({ attempt: 3, checkpoint: { status: "partial" } });
});

test("W2: a redelivery of what has ended is acknowledged without work", async () => {
  const { serve, asked } = bench(() => Promise.reject(new Error("must not work")), {
    claim: () => ({ ended: true, attempt: 2 }),
  });
  expect(await serve(delivery(workOrder(), 2))).toEqual(["ack"]);
  expect(asked).toHaveLength(1);
});

test("W3: a fenced attempt neither acknowledges nor returns", async () => {
  const { serve } = bench(() => Promise.resolve(done), { ...stored, result: refusing("stale-attempt") });
  expect(await serve(delivery(workOrder()))).toEqual([]);
});

test("W3: a checkpoint that finds the attempt fenced aborts the work", async () => {
  const { serve } = bench(
    (work) =>
      new Promise((_, reject) => {
        work.signal.addEventListener("abort", () => reject(work.signal.reason as Error));
      }),
    { ...stored, checkpoint: refusing("stale-attempt") },
  );
  expect(await serve(delivery(workOrder()))).toEqual([]);
});

test("W4: what a handler throws is the work's result, with its code", async () => {
  const { serve, asked } = bench(() =>
    Promise.reject(new FirmError("agent-failed", "the program is not installed")),
  );
  expect(await serve(delivery(workOrder()))).toEqual(["ack"]);
  expect(asked[0]?.body).toMatchObject({
    status: "failed",
    summary: "agent-failed: the program is not installed",
  });
});

test("W4: a programming error is a failed result too, and is logged with its stack", async () => {
  const { serve, asked, lines } = bench(() => Promise.reject(new TypeError("x is undefined")));
  expect(await serve(delivery(workOrder()))).toEqual(["ack"]);
  expect(asked[0]?.body).toMatchObject({ status: "failed", summary: "internal: x is undefined" });
  expect(JSON.stringify(lines)).toContain("work.test.ts");
});

test("W4: a bus that is away returns the work", async () => {
  const order = workOrder({ deadline: Date.now() - 10_000 });
  const { serve } = bench(() => Promise.resolve(done), { ...stored, result: refusing("bus-unavailable") });
  expect(await serve(delivery(order))).toEqual(["nak later"]);
});

test("W4: the CEO's failure is no deliverable: another attempt may do it", async () => {
  const { serve, asked } = bench(() => Promise.reject(new TypeError("x")));
  expect(await serve(delivery(workOrder({ handoff: "root" })))).toEqual(["nak later"]);
  expect(asked).toEqual([]);
});

test("nothing to send by the deadline: the gateway's end is awaited by a redelivery", async () => {
  const { serve, asked } = bench((work) => Promise.reject(work.signal.reason as Error));
  const order = workOrder({ deadline: Date.now() - 1 });
  const { serve: late } = bench(
    (work) =>
      new Promise((_, reject) => {
        work.signal.addEventListener("abort", () => reject(work.signal.reason as Error));
      }),
  );
  expect(await late(delivery(order))).toEqual(["nak later"]);
  expect(await serve(delivery("{"))).toEqual(["term"]);
  expect(asked).toEqual([]);
});

test("a stop aborts the run's work, at the gateway and in the handler, and is acknowledged", async () => {
  const working = Promise.withResolvers<void>();
  const b = bench(
    (work) =>
      new Promise((_, reject) => {
        work.signal.addEventListener("abort", () => reject(work.signal.reason as Error));
        working.resolve();
      }),
  );
  const order = workOrder();
  const one = delivery(order);
  const serving = b.serve(one);
  await working.promise;
  b.desk.stopRun("another run");
  expect(one.said).toEqual([]);
  b.desk.stopRun(order.run);
  expect(await serving).toEqual(["ack"]);
  expect(b.asked.filter(({ verb }) => verb === "result")).toEqual([]);
});

test("a drain waits for its grace, then returns the work at once", async () => {
  const working = Promise.withResolvers<void>();
  const b = bench(
    (work) =>
      new Promise((_, reject) => {
        work.signal.addEventListener("abort", () => reject(work.signal.reason as Error));
        working.resolve();
      }),
  );
  await b.slots.acquire();
  const one = delivery(workOrder());
  b.desk.take(one);
  await working.promise;
  await b.desk.drain(0);
  expect(one.said).toEqual(["nak"]);
  expect(b.slots.inUse).toBe(0);
});

test("a result too large for one message is cut, and says so", async () => {
  const large = { ...done, output: "x".repeat(100_000) };
  const { serve, asked } = bench(() => Promise.resolve(large), {
    ...stored,
    result: ({ body }) => {
      if (JSON.stringify(body).length > 20_000) throw new FirmError("too-large", "100000 bytes");
      return { seq: 1 };
    },
  });
  expect(await serve(delivery(workOrder()))).toEqual(["ack"]);
  expect(asked.at(-1)?.body).toMatchObject({ open_items: [expect.stringContaining("was cut")] });
});

test("while its handler is away, the work holds no slot", async () => {
  const inUse: number[] = [];
  const b = bench(async (work) => {
    inUse.push(b.slots.inUse);
    await work.away(() => {
      inUse.push(b.slots.inUse);
      return Promise.resolve();
    });
    inUse.push(b.slots.inUse);
    return done;
  });
  await b.serve(delivery(workOrder()));
  expect(inUse).toEqual([1, 0, 1]);
});
