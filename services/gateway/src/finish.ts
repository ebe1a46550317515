// Owns a run's one end and what follows from it: record, memory, originating session, stop of what still works.
import {
  FirmError,
  parseJson,
  runKvKey,
  sessionKvKey,
  subjects,
  type Deliverable,
  type HistoryEntry,
  type RunFinished,
} from "@firm/protocol";
import * as z from "zod";
import { LATEST_DELIVERY } from "./context.ts";
import type { Gateway } from "./deps.ts";
import { mergeWhatIsThere } from "./partial-delivery.ts";
import { openHandoffs, type RunView } from "./view.ts";

/** Entries an originating session keeps. */
const SESSION_ENTRIES = 40;
/** Characters of one entry of it; the run's log has the rest. */
const ENTRY_LIMIT = 16_384;

/** The record of an originating session in KV `firm-sessions`. */
export const OriginSession = z.object({
  session: z.string(),
  created_at: z.number(),
  updated_at: z.number(),
  entries: z.array(z.object({ at: z.number(), from: z.string(), kind: z.string(), text: z.string(), run: z.string() })),
});
export type OriginSession = z.infer<typeof OriginSession>;

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
  gateway.metrics.runs.inc({ status });
  gateway.metrics.runSeconds.observe({ status }, (event.at - view.acceptedAt) / 1000);
  void settle(gateway, view, event).catch((error: unknown) => gateway.log.error({ err: error, run: view.run }, "what follows a run's end was not stored; the next start repairs it"));
  return seq;
}

/** Ends a run with what its departments have brought, e.g. at the deadline or on cancel. */
export async function finishWithWhatIsThere(gateway: Gateway, view: RunView, status: "timeout" | "cancelled", reason: string): Promise<void> {
  if (view.finished !== undefined) return;
  try {
    await finish(gateway, view, status, mergeWhatIsThere(gateway, view, reason), reason);
  } catch (error) {
    if (!(error instanceof FirmError) || error.code !== "already-ended") throw error;
  }
}

/** What follows from a run's end; doing it twice changes nothing. */
export async function settle(gateway: Gateway, view: RunView, event: RunFinished): Promise<void> {
  const { deliverable } = event;
  const writes: Promise<unknown>[] = [gateway.records.end(view.run, event.status, event.at, deliverable?.open_items.length ?? 0)];
  if (deliverable !== undefined) {
    if (event.status === "delivered") writes.push(gateway.contexts.write(LATEST_DELIVERY, deliverable.body));
    writes.push(tellSession(gateway, view, event.at, deliverable));
  }
  await Promise.all(writes);
}

/** Puts the deliverable into the session that asked (seed: firm-orchestration, `reply_session`). */
async function tellSession(gateway: Gateway, view: RunView, at: number, deliverable: Deliverable): Promise<void> {
  const key = sessionKvKey(view.objective.reply_session);
  const cut = (text: string): string => (text.length > ENTRY_LIMIT ? `${text.slice(0, ENTRY_LIMIT)}\n[cut: firm show ${view.run} has it whole]` : text);
  const asked: HistoryEntry & { run: string } = { at: view.acceptedAt, from: "user", kind: "objective", text: cut(view.objective.objective), run: view.run };
  const told: HistoryEntry & { run: string } = { at, from: "ceo", kind: "deliverable", text: cut(deliverable.body), run: view.run };
  for (;;) {
    const entry = await gateway.sessions.get(key);
    const session: OriginSession =
      entry === undefined
        ? { session: view.objective.reply_session, created_at: at, updated_at: at, entries: [] }
        : parseJson(OriginSession, entry.text, key);
    if (session.entries.some(({ run }) => run === view.run)) return;
    const next = { ...session, updated_at: at, entries: [...session.entries, asked, told].slice(-SESSION_ENTRIES) };
    const text = JSON.stringify(next);
    const written = entry === undefined ? await gateway.sessions.create(key, text) : await gateway.sessions.update(key, text, entry.revision);
    if (written !== undefined) return;
  }
}

/** Settles runs whose end is in the log but not in their record: the process that wrote it died in between. */
export async function settleLeftovers(gateway: Gateway): Promise<void> {
  for (const view of gateway.ledger.views) {
    if (view.finished === undefined) continue;
    gateway.log.info({ run: view.run, key: runKvKey(view.run) }, "settling a run that ended without its record");
    await settle(gateway, view, view.finished);
  }
}
