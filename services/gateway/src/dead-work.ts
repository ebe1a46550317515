// Owns what becomes of work that was delivered too often: it goes to the dead letter queue, and its handoff ends as failed.
import type { StoredMessage, Subscription } from "@firm/bus";
import { FirmError, parseJson, ROOT_HANDOFF, STREAMS, WorkOrder } from "@firm/protocol";
import type { Gateway } from "./deps.ts";
import { finish } from "./finish.ts";
import { mergeWhatIsThere } from "./partial-delivery.ts";
import { endUnlessEnded } from "./results.ts";

/** Watches for dead letters of the work queue. */
export async function watchDeadWork(gateway: Gateway): Promise<Subscription> {
  return gateway.bus.deadLetters(STREAMS.work, async (message) => {
    gateway.metrics.deadLetters.inc({ stream: STREAMS.work });
    await endDeadHandoff(gateway, message);
  });
}

async function endDeadHandoff(gateway: Gateway, message: StoredMessage): Promise<void> {
  const order = parseJson(WorkOrder, message.text(), message.subject);
  const view = await gateway.ledger.must(order.run);
  const handoff = view.handoffs.get(order.handoff);
  if (handoff === undefined || view.finished !== undefined) return;
  const reason = `delivered ${gateway.config.bus.max_deliver} times without a result; the work is in the dead letter queue`;
  gateway.log.error({ run: order.run, handoff: order.handoff, role: handoff.role }, reason);
  if (handoff.id !== ROOT_HANDOFF) {
    await endUnlessEnded(gateway, view, handoff, {
      status: "failed",
      attempt: handoff.attempt,
      result: handoff.checkpoint?.result,
      reason,
    });
    return;
  }
  try {
    await finish(gateway, view, "failed", mergeWhatIsThere(gateway, view, reason), reason);
  } catch (error) {
    if (!(error instanceof FirmError) || error.code !== "already-ended") throw error;
  }
}
