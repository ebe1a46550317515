// Work queues: one message for each free slot, nothing parked in a client, nothing lost with a worker or a server.
import { initBus, type Bus, type Delivery, type SlotSource } from "@firm/bus";
import { STREAMS, subjects } from "@firm/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collector, startFirmNats, type FirmNats } from "../harness/firm-nats.ts";

/** Slots that count; the simplest honest source. */
function slotsOf(count: number): SlotSource & { readonly taken: number; close(): void } {
  let taken = 0;
  let closed = false;
  const waiting: ((granted: boolean) => void)[] = [];
  return {
    get taken() {
      return taken;
    },
    acquire: () => {
      if (closed) return Promise.resolve(false);
      if (taken < count) {
        taken++;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    release: () => {
      const next = waiting.shift();
      if (next === undefined) taken--;
      else next(true);
    },
    close: () => {
      closed = true;
      for (const resolve of waiting.splice(0)) resolve(false);
    },
  };
}

const ROLE = "employee:implementer";
const DURABLE = "employee_implementer";
let firm: FirmNats;
let gateway: Bus;
let operator: Bus;
beforeEach(async () => {
  firm = await startFirmNats("bus: { ack_wait_seconds: 1, max_deliver: 3 }");
  operator = await firm.connectAs("operator");
  await initBus(operator, firm.config, firm.chart);
  gateway = await firm.connectAs("gateway");
});
afterEach(() => firm.stop());

const put = (text: string) => gateway.append(subjects.work(ROLE), text);

describe("work", () => {
  it("hands out at most as many as there are slots, and leaves the rest in the queue", async () => {
    const worker = await firm.connectAs(ROLE);
    const source = await worker.work(STREAMS.work, DURABLE);
    expect(source.ackWaitMs).toBe(1000);
    const slots = slotsOf(2);
    const got = collector<Delivery>();
    const running = source.run(slots, got.push);
    for (const text of ["a", "b", "c", "d"]) await put(text);
    await got.until((all) => all.length === 2);
    expect(await worker.lag(STREAMS.work, DURABLE)).toEqual({ pending: 2, unacknowledged: 2 });
    for (let done = 0; done < 4; done++) {
      await got.until((all) => all.length > done);
      await got.all[done]?.ack();
      slots.release();
    }
    expect(got.all.map((delivery) => delivery.text())).toEqual(["a", "b", "c", "d"]);
    expect(got.all.every((delivery) => delivery.deliveryCount === 1)).toBe(true);
    expect(await worker.lag(STREAMS.work, DURABLE)).toEqual({ pending: 0, unacknowledged: 0 });
    source.stop();
    await running;
    expect(slots.taken).toBe(0);
  });

  it("delivers again what was given back, with its count and after its delay", async () => {
    const worker = await firm.connectAs(ROLE);
    const source = await worker.work(STREAMS.work, DURABLE);
    const slots = slotsOf(1);
    const got = collector<number>();
    const running = source.run(slots, (delivery) => {
      got.push(delivery.deliveryCount);
      if (delivery.deliveryCount < 3) delivery.nak(delivery.deliveryCount === 1 ? 0 : 20);
      else delivery.term("enough");
      slots.release();
    });
    await put("x");
    expect(await got.until((all) => all.length === 3)).toEqual([1, 2, 3]);
    source.stop();
    await running;
    while ((await worker.lag(STREAMS.work, DURABLE)).unacknowledged > 0);
    expect(await operator.read(STREAMS.dlq, subjects.allDlq)).toEqual([]);
  });

  it("keeps a delivery from others as long as the worker says that it works", async () => {
    const worker = await firm.connectAs(ROLE);
    const source = await worker.work(STREAMS.work, DURABLE);
    const slots = slotsOf(2);
    const got = collector<Delivery>();
    const running = source.run(slots, got.push);
    await put("long");
    await put("marker");
    const [long, marker] = await got.until((all) => all.length === 2);
    // The marker is not kept alive: its redelivery shows that more than ack_wait has passed.
    const signs = setInterval(() => long?.working(), 200);
    slots.release();
    await got.until((all) => all.length === 3);
    clearInterval(signs);
    expect(got.all[2]?.text()).toBe("marker");
    await long?.ack();
    await got.all[2]?.ack();
    expect(marker?.deliveryCount).toBe(1);
    source.stop();
    await running;
  });

  it("goes on after the server was killed while it waited", async () => {
    const worker = await firm.connectAs(ROLE);
    const source = await worker.work(STREAMS.work, DURABLE);
    const slots = slotsOf(4);
    const got = collector<string>();
    const running = source.run(slots, (delivery) => {
      void delivery.ack().then(() => {
        got.push(delivery.text());
        slots.release();
      });
    });
    await put("before");
    await got.until((all) => all.length === 1);
    await firm.server.kill("SIGKILL");
    await firm.server.start();
    await put("after");
    await got.until((all) => all.includes("after"));
    source.stop();
    await running;
  });

  it("confirms an acknowledgement across a restart, and a second time", async () => {
    const worker = await firm.connectAs(ROLE);
    const source = await worker.work(STREAMS.work, DURABLE);
    const got = collector<Delivery>();
    const running = source.run(slotsOf(1), got.push);
    await put("x");
    const [delivery] = await got.until((all) => all.length === 1);
    await firm.server.kill("SIGTERM");
    const acking = delivery?.ack();
    await firm.server.start();
    await acking;
    await delivery?.ack();
    expect(await worker.lag(STREAMS.work, DURABLE)).toEqual({ pending: 0, unacknowledged: 0 });
    source.stop();
    await running;
  });

  it("delivers again what was in work when the server was killed", async () => {
    const worker = await firm.connectAs(ROLE);
    const source = await worker.work(STREAMS.work, DURABLE);
    const slots = slotsOf(2);
    const got = collector<Delivery>();
    const running = source.run(slots, got.push);
    await put("x");
    await got.until((all) => all.length === 1);
    await firm.server.kill("SIGKILL");
    await firm.server.start();
    await got.until((all) => all.length === 2);
    await got.all[1]?.ack();
    expect(got.all[1]?.text()).toBe("x");
    source.stop();
    await running;
  });

  it("takes nothing with it when it stops: the next worker gets every message", async () => {
    const total = 300;
    const got = collector<string>();
    const first = await firm.connectAs(ROLE);
    const second = await firm.connectAs(ROLE);
    const serve = async (bus: Bus): Promise<{ stop: () => Promise<void> }> => {
      const source = await bus.work(STREAMS.work, DURABLE);
      const slots = slotsOf(4);
      const running = source.run(slots, (delivery) => {
        void delivery.ack().then(() => {
          got.push(delivery.text());
          slots.release();
        });
      });
      return {
        stop: async () => {
          source.stop();
          await running;
        },
      };
    };
    const workers = [await serve(first), await serve(second)];
    const putting = Promise.all(Array.from({ length: total }, (_, i) => put(String(i))));
    await got.until((all) => all.length >= 50);
    await workers[0]?.stop();
    await putting;
    await got.until((all) => new Set(all).size === total);
    await workers[1]?.stop();
  });

  it("stops while it waits for a slot, and gives a late grant back", async () => {
    const worker = await firm.connectAs(ROLE);
    const source = await worker.work(STREAMS.work, DURABLE);
    const grant = Promise.withResolvers<boolean>();
    let released = 0;
    const running = source.run(
      { acquire: () => grant.promise, release: () => void released++ },
      () => undefined,
    );
    source.stop();
    await running;
    grant.resolve(true);
    await grant.promise;
    await worker.rtt();
    expect(released).toBe(1);
  });

  it("ends when the slots are closed", async () => {
    const worker = await firm.connectAs(ROLE);
    const source = await worker.work(STREAMS.work, DURABLE);
    const slots = slotsOf(1);
    slots.close();
    await source.run(slots, () => undefined);
  });

  it("names a durable that does not exist", async () => {
    await expect(operator.work(STREAMS.work, "nobody")).rejects.toMatchObject({
      code: "storage-unavailable",
      message: expect.stringContaining("durable nobody"),
      hint: expect.stringContaining("firm bus init"),
    });
  });
});
