// A worker's requests survive a gateway that dies, and nothing else is asked twice.
import { FirmError } from "@firm/protocol";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { GatewayClient, type Gateway } from "./gateway-client.ts";
import { fakeGateway } from "./testing/fakes.ts";
import { createWorkerMetrics } from "./worker-metrics.ts";

const registry = new Registry();
const metrics = createWorkerMetrics(registry);

function gateway(
  answers: Parameters<typeof fakeGateway>[0],
  deadline = Date.now() + 30_000,
  signal = new AbortController().signal,
) {
  const fake = fakeGateway(answers);
  const client: Gateway = new GatewayClient(fake, "department:engineering", metrics).for({
    run: "r",
    token: "t",
    deadline,
    signal,
  });
  return { client, asked: fake.asked };
}

const away = (): never => {
  throw new FirmError("bus-unavailable", "no gateway listens");
};

test("a gateway that comes back is asked again", async () => {
  const { client, asked } = gateway({ result: (_, nth) => (nth < 3 ? away() : { seq: 4 }) });
  expect(await client.result({ deliverable: {} as never })).toBe(4);
  expect(asked).toHaveLength(4);
});

test.each(["unknown-handoff", "rate-limited", "storage-unavailable"] as const)("%s passes", async (code) => {
  const { client } = gateway({
    checkpoint: (_, nth) => {
      if (nth === 0) throw new FirmError(code, "for a moment");
      return { seq: 1 };
    },
  });
  await expect(client.checkpoint({ note: "x" })).resolves.toBeUndefined();
});

test.each(["depth-exceeded", "run-cancelled", "stale-attempt", "spawn-limit", "internal"] as const)(
  "%s is an answer, not repeated",
  async (code) => {
    const { client, asked } = gateway({
      handoff: () => {
        throw new FirmError(code, "no");
      },
    });
    await expect(client.handoff({ contract: {}, objective_key: "k" })).rejects.toMatchObject({ code });
    expect(asked).toHaveLength(1);
  },
);

test("past the deadline a gateway that is away is given up on", async () => {
  const { client } = gateway({ handoff: away }, Date.now() - 1);
  await expect(client.handoff({ contract: {}, objective_key: "k" })).rejects.toMatchObject({
    code: "bus-unavailable",
  });
});

test("a stop ends a request under way", async () => {
  const stop = new AbortController();
  const { client } = gateway({ handoff: () => new Promise(() => undefined) }, undefined, stop.signal);
  const asking = client.handoff({ contract: {}, objective_key: "k" });
  stop.abort(new FirmError("run-cancelled", "stopped"));
  await expect(asking).rejects.toMatchObject({ code: "run-cancelled" });
});

test("collect asks again from the same place until there is news", async () => {
  const news = { seq: 9, event: { type: "control", run: "r", at: 1, verb: "pause" } };
  const { client, asked } = gateway({
    collect: (_, nth) =>
      nth === 0 ? away() : nth === 1 ? { events: [], seq: 5 } : { events: [news], seq: 9 },
  });
  expect(await client.collect(5, Date.now() + 30_000)).toMatchObject({ seq: 9, events: [{ seq: 9 }] });
  expect(asked.map(({ body }) => body)).toEqual([
    { after: 5, wait_ms: 2_000 },
    { after: 5, wait_ms: 2_000 },
    { after: 5, wait_ms: 2_000 },
  ]);
});

test("collect asks once where it is not to wait", async () => {
  const { client, asked } = gateway({ collect: () => ({ events: [], seq: 5 }) });
  expect(await client.collect(5, 0)).toEqual({ events: [], seq: 5 });
  expect(asked).toHaveLength(1);
});

test("an answer that is none is an internal error, not a crash", async () => {
  const { client } = gateway({ result: () => "hello" });
  await expect(client.result({ deliverable: {} as never })).rejects.toMatchObject({ code: "internal" });
});

test("a question is asked once, whatever comes", async () => {
  const { client, asked } = gateway({ invoke: away });
  await expect(client.invoke("cfo", "How much?")).rejects.toMatchObject({ code: "bus-unavailable" });
  expect(asked).toHaveLength(1);
});

test("each request is measured by verb and outcome, never by run", async () => {
  const text = await registry.metrics();
  expect(text).toContain('firm_gateway_request_duration_seconds_count{verb="handoff",code="depth-exceeded"}');
  expect(text).not.toMatch(/run=/);
});
