// Poison leaves the work queue for FIRM_DLQ, once, with its headers and the reason, also when nobody listened at the time.
import { DEAD_LETTER_HEADERS, initBus, type Bus } from "@firm/bus";
import { HEADERS, STREAMS, subjects } from "@firm/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collector, startFirmNats, type FirmNats } from "../harness/firm-nats.ts";

const ROLE = "employee:implementer";
const DURABLE = "employee_implementer";
let firm: FirmNats;
let gateway: Bus;
beforeEach(async () => {
  firm = await startFirmNats("bus: { ack_wait_seconds: 1, max_deliver: 2 }");
  await initBus(await firm.connectAs("operator"), firm.config, firm.chart);
  gateway = await firm.connectAs("gateway");
});
afterEach(() => firm.stop());

const poison = (text: string) =>
  gateway.append(subjects.work(ROLE), text, { headers: { [HEADERS.run]: "R" }, msgId: `id-${text}` });

/** A worker that refuses everything; resolves when `deliveries` were refused. */
async function refuse(deliveries: number): Promise<void> {
  const worker = await firm.connectAs(ROLE);
  const source = await worker.work(STREAMS.work, DURABLE);
  const seen = collector<number>();
  const running = source.run(
    { acquire: () => Promise.resolve(true), release: () => undefined },
    (delivery) => {
      seen.push(delivery.seq);
      delivery.nak(0);
    },
  );
  await seen.until((all) => all.length === deliveries);
  // One more pull is what makes the server notice that a message has had its deliveries.
  while ((await worker.lag(STREAMS.work, DURABLE)).unacknowledged > 0);
  source.stop();
  await running;
}

const waiting = async (): Promise<number> => {
  const operator = await firm.connectAs("operator");
  const text = (await operator.request(`$JS.API.STREAM.INFO.${STREAMS.work}`, "")).text();
  return Number(/"messages":(\d+)/.exec(text)?.[1]);
};

describe("deadLetters", () => {
  it("moves a message that was delivered max_deliver times, once among several listeners", async () => {
    const moved = collector<string>();
    const other = await firm.connectAs("gateway");
    const listeners = await Promise.all(
      [gateway, other].map((bus) =>
        bus.deadLetters(STREAMS.work, (message, durable) => {
          moved.push(`${durable} ${message.subject} ${message.text()} ${message.headers[HEADERS.run]}`);
          return Promise.resolve();
        }),
      ),
    );
    await poison("a");
    await poison("b");
    await refuse(4);
    await moved.until((all) => all.length === 2);
    expect(moved.all.toSorted()).toEqual(
      ["a", "b"].map((text) => `${DURABLE} ${subjects.work(ROLE)} ${text} R`),
    );
    await Promise.all(listeners.map((listener) => listener.drain()));
    const operator = await firm.connectAs("operator");
    const stored = await operator.read(STREAMS.dlq, subjects.allDlq);
    expect(stored.map((message) => message.text()).toSorted()).toEqual(["a", "b"]);
    expect(stored[0]?.headers).toMatchObject({
      [HEADERS.run]: "R",
      [DEAD_LETTER_HEADERS.reason]: "delivered 2 times",
      [DEAD_LETTER_HEADERS.durable]: DURABLE,
      [DEAD_LETTER_HEADERS.subject]: subjects.work(ROLE),
      [DEAD_LETTER_HEADERS.msgId]: expect.stringMatching(/^id-[ab]$/),
    });
    expect(await waiting()).toBe(0);
  });

  it("finds what died while nobody listened, and leaves what is in work", async () => {
    await poison("dead");
    await refuse(2);
    await poison("alive");
    const moved = collector<string>();
    const listener = await gateway.deadLetters(STREAMS.work, (message) => {
      moved.push(message.text());
      return Promise.resolve();
    });
    await moved.until((all) => all.length === 1);
    await listener.drain();
    expect(moved.all).toEqual(["dead"]);
    expect(await waiting()).toBe(1);
  });

  it("keeps the message in the queue until the handler has succeeded", async () => {
    await poison("x");
    await refuse(2);
    const failed = collector<unknown>();
    gateway.onStatus((status) => {
      if (status.type === "handler-failed") failed.push(status.error);
    });
    const first = await gateway.deadLetters(STREAMS.work, () =>
      Promise.reject(new Error("cannot end it now")),
    );
    await failed.until((all) => all.length === 1);
    await first.drain();
    expect(await waiting()).toBe(1);
    const second = await gateway.deadLetters(STREAMS.work, () => Promise.resolve());
    await second.drain();
    expect(await waiting()).toBe(0);
    const operator = await firm.connectAs("operator");
    expect(await operator.read(STREAMS.dlq, subjects.allDlq)).toHaveLength(1);
  });
});
