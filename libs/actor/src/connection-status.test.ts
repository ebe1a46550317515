// What each state of the connection to NATS leaves in health and metrics.
import { expect, test } from "vitest";
import { noteStatus } from "./connection-status.ts";
import { Health } from "./health.ts";
import { createMetrics } from "./metrics.ts";
import { memoryLog } from "./testing/fakes.ts";

test("connected, lost, back, refused, too slow: each moves its own metric from 0", async () => {
  const health = new Health("not connected to NATS");
  const metrics = createMetrics("test", "0");
  const base = { health, metrics, log: memoryLog().log };
  const values = async (): Promise<Record<string, number>> => {
    const found = [
      ...(await metrics.registry.metrics()).matchAll(/^firm_([a-z_]+)(?:\{operation="(\w+)"\})? (\S+)$/gm),
    ];
    return Object.fromEntries(found.map(([, name, operation, value]) => [operation ?? name, Number(value)]));
  };
  expect(await values()).toMatchObject({
    nats_connected: 0,
    nats_reconnects_total: 0,
    publish: 0,
    subscription: 0,
    slow_consumers_total: 0,
  });

  noteStatus({ type: "connected", server: "a" }, base);
  expect([await values(), health.reasons()]).toMatchObject([
    { nats_connected: 1, nats_reconnects_total: 0 },
    [],
  ]);

  noteStatus({ type: "disconnected" }, base);
  expect([await values(), health.reasons()]).toMatchObject([
    { nats_connected: 0 },
    ["not connected to NATS"],
  ]);

  noteStatus({ type: "reconnected", server: "b" }, base);
  noteStatus({ type: "permission-refused", operation: "publish", subject: "x" }, base);
  noteStatus({ type: "slow-consumer", subject: "x" }, base);
  expect([await values(), health.reasons()]).toMatchObject([
    { nats_connected: 1, nats_reconnects_total: 1, publish: 1, subscription: 0, slow_consumers_total: 1 },
    [],
  ]);
});
