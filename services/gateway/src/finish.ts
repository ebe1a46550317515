// Owns a run's one end and what follows from it: record, memory, originating session, stop of what still works.
import { FirmError, runKvKey, subjects, type Deliverable, type RunFinished } from "@firm/protocol";
import { settleBoard } from "./board-memory.ts";
import { LATEST_DELIVERY } from "./context.ts";
import type { Gateway } from "./deps.ts";
import { mergeWhatIsThere } from "./partial-delivery.ts";
import { openHandoffs, type RunView } from "./view.ts";

/**
 * Writes the run's one end. The stored event is what counts; what follows is repaired at start if this process dies.
 * @throws FirmError `already-ended`
 */
export async function finish(
  gateway: Gateway,
  view: RunView,
  status: RunFinished["status"],
  deliverable: Deliverable | undefined,
  reason?: string,
): Promise<number> {
  const event: RunFinished = {
    type: "finished",
    run: view.run,
    at: gateway.now(),
    status,
    ...(deliverable === undefined ? {} : { deliverable }),
    ...(reason === undefined ? {} : { reason }),
  };
  const seq = await gateway.ledger.append(event, { first: true });
  if (openHandoffs(view).length > 0) gateway.bus.publish(subjects.stop(view.run), reason ?? status);
  void settle(gateway, view, event).catch((error: unknown) =>
    gateway.log.error(
      { err: error, run: view.run },
      "what follows a run's end was not stored; the next start repairs it",
    ),
  );
  return seq;
}

/** Ends a user's question; one that was cancelled meanwhile stays so. */
export async function finishAsk(
  gateway: Gateway,
  view: RunView,
  status: RunFinished["status"],
  answer: string | undefined,
  reason?: string,
): Promise<void> {
  const event: RunFinished = {
    type: "finished",
    run: view.run,
    at: gateway.now(),
    status,
    ...(answer === undefined ? {} : { answer }),
    ...(reason === undefined ? {} : { reason }),
  };
  await unlessEnded(() => gateway.ledger.append(event, { first: true }));
  if (view.finished !== undefined)
    await gateway.records.end(view.run, view.finished.status, view.finished.at, 0);
}

/** Does what may have been done by another already. */
async function unlessEnded(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof FirmError) || error.code !== "already-ended") throw error;
  }
}

/** Ends a run with what its departments have brought, e.g. at the deadline or on cancel. */
export async function finishWithWhatIsThere(
  gateway: Gateway,
  view: RunView,
  status: "timeout" | "cancelled",
  reason: string,
): Promise<void> {
  if (view.finished !== undefined) return;
  if (view.kind === "ask") return finishAsk(gateway, view, status, undefined, reason);
  const deliverable = mergeWhatIsThere(gateway, view, reason);
  await unlessEnded(() => finish(gateway, view, status, deliverable, reason));
}

/** What follows from a run's end; doing it twice changes nothing. */
export async function settle(gateway: Gateway, view: RunView, event: RunFinished): Promise<void> {
  const { deliverable } = event;
  const writes: Promise<unknown>[] = [
    gateway.records.end(view.run, event.status, event.at, deliverable?.open_items.length ?? 0),
  ];
  if (deliverable !== undefined) {
    if (view.kind === "board") writes.push(settleBoard(gateway, view, deliverable));
    if (event.status === "delivered") writes.push(gateway.contexts.write(LATEST_DELIVERY, deliverable.body));
    writes.push(
      gateway.origins.add(view.objective.reply_session, {
        run: view.run,
        asked_at: view.acceptedAt,
        told_at: event.at,
      }),
    );
  }
  await Promise.all(writes);
}

/** Settles runs whose end is in the log but not in their record: the process that wrote it died in between. */
export async function settleLeftovers(gateway: Gateway): Promise<void> {
  for (const view of gateway.ledger.views) {
    if (view.finished === undefined) continue;
    gateway.log.info(
      { run: view.run, key: runKvKey(view.run) },
      "settling a run that ended without its record",
    );
    await settle(gateway, view, view.finished);
  }
}
