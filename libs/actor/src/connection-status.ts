// Owns what the state of the connection to NATS does to health, metrics and the log.
import type { BusStatus } from "@firm/bus";
import type { ProcessBase } from "./process.ts";

/** Notes one change. */
export function noteStatus(
  status: BusStatus,
  { health, metrics, log }: Pick<ProcessBase, "health" | "metrics" | "log">,
): void {
  switch (status.type) {
    case "connected":
    case "reconnected":
      health.set("not connected to NATS", false);
      metrics.natsConnected.set(1);
      if (status.type === "reconnected") metrics.natsReconnects.inc();
      log.info({ server: status.server }, status.type);
      return;
    case "disconnected":
    case "closed":
      health.set("not connected to NATS", true);
      metrics.natsConnected.set(0);
      log.warn({ err: status.type === "closed" ? status.error : undefined }, status.type);
      return;
    case "permission-refused":
      metrics.permissionRefusals.inc({ operation: status.operation });
      log.error({ subject: status.subject, operation: status.operation }, "NATS refused this process");
      return;
    case "handler-failed":
      log.error({ subject: status.subject, err: status.error }, "a message's handler failed");
      return;
    case "slow-consumer":
      metrics.slowConsumers.inc();
      log.warn({ subject: status.subject }, "a subscription falls behind");
      return;
  }
}
