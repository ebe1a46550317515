// Owns the metrics that every process has; names and units by Prometheus' conventions, never a run id as a label.
import { collectDefaultMetrics, Counter, Gauge, Registry } from "prom-client";

/** Metrics of the process and its connection. Services register their own in `registry`. */
export interface Metrics {
  readonly registry: Registry;
  readonly natsConnected: Gauge;
  readonly natsReconnects: Counter;
  readonly permissionRefusals: Counter<"operation">;
  readonly slowConsumers: Counter;
  readonly natsRtt: Gauge;
}

/** Gauges of prom-client that end as counters do; each is the sum of one beside it. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** A fresh registry with Node's default metrics, event loop lag included, and Firm's own. */
export function createMetrics(service: string, version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  new Gauge({
    name: "firm_build_info",
    help: "1, with the version in its labels",
    labelNames: ["service", "version", "node"],
    registers,
  })
    .labels(service, version, process.versions.node)
    .set(1);
  const permissionRefusals = new Counter({
    name: "firm_permission_refusals_total",
    help: "Publishes and subscriptions that NATS refused this process",
    labelNames: ["operation"],
    registers,
  });
  // From 0, so that the first refusal is an increase.
  for (const operation of ["publish", "subscription"]) permissionRefusals.inc({ operation }, 0);
  return {
    registry,
    permissionRefusals,
    natsConnected: new Gauge({ name: "firm_nats_connected", help: "1 while connected to NATS", registers }),
    natsReconnects: new Counter({
      name: "firm_nats_reconnects_total",
      help: "Times the connection to NATS came back",
      registers,
    }),
    natsRtt: new Gauge({
      name: "firm_nats_rtt_seconds",
      help: "The latest round trip to NATS, measured every 15 s",
      registers,
    }),
    slowConsumers: new Counter({
      name: "firm_slow_consumers_total",
      help: "Times a subscription fell behind",
      registers,
    }),
  };
}
