// Owns the metrics of a process that serves a role.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Seconds: from an instant agent's fractions of a ms to the seed's 30 s and beyond. */
const WORK_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Seconds: a request over the bus takes fractions of a ms; a collect waits up to its window. */
const REQUEST_BUCKETS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export interface WorkerMetrics {
  readonly handoffs: Counter<"role" | "status">;
  readonly handoffDuration: Histogram<"role" | "status">;
  readonly agentDuration: Histogram<"role" | "agent">;
  readonly agentErrors: Counter<"role" | "agent" | "code">;
  readonly asks: Counter<"role" | "outcome">;
  readonly askDuration: Histogram<"role">;
  readonly inflight: Gauge<"role">;
  readonly slotsInUse: Gauge<"role">;
  readonly slots: Gauge<"role">;
  readonly redeliveries: Counter<"role">;
  readonly gatewayRequestDuration: Histogram<"verb" | "code">;
}

/** Registers them. */
export function createWorkerMetrics(registry: Registry): WorkerMetrics {
  const registers = [registry];
  return {
    handoffs: new Counter({
      name: "firm_handoffs_total",
      help: "Deliveries of handoffs, by how the work ended; `dropped` where the gateway wanted no result any more, `returned` where it goes to another delivery",
      labelNames: ["role", "status"],
      registers,
    }),
    handoffDuration: new Histogram({
      name: "firm_handoff_duration_seconds",
      help: "From a handoff's delivery until its work ended",
      labelNames: ["role", "status"],
      buckets: WORK_BUCKETS,
      registers,
    }),
    agentDuration: new Histogram({
      name: "firm_agent_duration_seconds",
      help: "Time an agent took for one handoff",
      labelNames: ["role", "agent"],
      buckets: WORK_BUCKETS,
      registers,
    }),
    agentErrors: new Counter({
      name: "firm_agent_errors_total",
      help: "Turns of an agent that ended in an error, by its code",
      labelNames: ["role", "agent", "code"],
      registers,
    }),
    asks: new Counter({
      name: "firm_asks_total",
      help: "Questions to this role, by outcome: `answered` or the code of the error",
      labelNames: ["role", "outcome"],
      registers,
    }),
    askDuration: new Histogram({
      name: "firm_ask_duration_seconds",
      help: "From a question's arrival until it was answered",
      labelNames: ["role"],
      buckets: WORK_BUCKETS,
      registers,
    }),
    inflight: new Gauge({
      name: "firm_inflight",
      help: "Handoffs in hand, those that wait for other roles included",
      labelNames: ["role"],
      registers,
    }),
    slotsInUse: new Gauge({
      name: "firm_slots_in_use",
      help: "Concurrency slots taken",
      labelNames: ["role"],
      registers,
    }),
    slots: new Gauge({
      name: "firm_slots",
      help: "Concurrency slots in all",
      labelNames: ["role"],
      registers,
    }),
    redeliveries: new Counter({
      name: "firm_redeliveries_total",
      help: "Handoffs that were delivered again",
      labelNames: ["role"],
      registers,
    }),
    gatewayRequestDuration: new Histogram({
      name: "firm_gateway_request_duration_seconds",
      help: "Round trip of a request to the gateway, by verb and outcome",
      labelNames: ["verb", "code"],
      buckets: REQUEST_BUCKETS,
      registers,
    }),
  };
}
