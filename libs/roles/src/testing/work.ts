// Owns a piece of work as a handler sees it, without a bus.
import {
  Checkpoints,
  createMetrics,
  createWorkerMetrics,
  NO_TRACING,
  TraceScope,
  type Gateway,
  type Work,
} from "@firm/actor";
import { memoryLog } from "@firm/actor/testing";
import type { Agent, AgentEvent, AgentInput } from "@firm/agents";
import { orgChartOf, parseConfig } from "@firm/config";
import type { Role, WorkOrder } from "@firm/protocol";
import type { RoleContext } from "../role-context.ts";

/** Work on an order; `stop` aborts it. */
export function workOn(
  order: WorkOrder,
  gateway: Gateway,
  over: Partial<Work> = {},
): Work & { stop(reason: Error): void } {
  const controller = new AbortController();
  const { log } = memoryLog();
  return {
    order,
    attempt: 1,
    checkpoint: undefined,
    gateway,
    checkpoints: new Checkpoints({
      send: (request) => gateway.checkpoint(request),
      worker: "host/1",
      log,
      onRefused: (error) => controller.abort(error),
      quietMs: 0,
      everyMs: 0,
    }),
    signal: controller.signal,
    log,
    trace: new TraceScope(NO_TRACING, order.run, "0000000000000001"),
    away: (wait) => wait(),
    ...over,
    stop: (reason) => controller.abort(reason),
  };
}

/** An agent made of one generator function. */
export function agentOf(
  run: (input: AgentInput) => AsyncGenerator<AgentEvent, void, string | undefined>,
): Agent {
  return { name: "test", readiness: () => Promise.resolve({ ready: true, detail: "a test" }), run };
}

/** A role's context in the default org chart, or in that of `yaml`. */
export function contextOf(role: Role, agent: Agent, yaml = ""): RoleContext {
  const config = parseConfig(yaml);
  return {
    role,
    agent,
    config,
    chart: orgChartOf(config),
    stateDir: "/nonexistent",
    metrics: createWorkerMetrics(createMetrics("test", "0.0.0").registry),
  };
}
