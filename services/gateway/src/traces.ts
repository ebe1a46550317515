// Owns the gateway's spans: a run, a handoff, a question, each recorded by the replica that stores its end, so each is there once.
import type { Tracing } from "@firm/actor";
import {
  parseTraceparent,
  ROOT_HANDOFF,
  spans,
  traceIdOf,
  type HandoffEnded,
  type InvocationItem,
  type RunEvent,
  type RunFinished,
} from "@firm/protocol";
import type { HandoffView, RunView } from "./view.ts";

/** Ends that are errors of a handoff. */
const FAILED: ReadonlySet<string> = new Set(["failed", "timeout", "cancelled"]);

/** Records what an event that this process has stored brings to its end. */
export function traceEvent(tracing: Tracing, view: RunView, event: RunEvent): void {
  if (!tracing.enabled) return;
  if (event.type === "finished") traceRun(tracing, view, event);
  else if (event.type === "end") {
    const handoff = view.handoffs.get(event.handoff);
    if (handoff !== undefined) traceHandoff(tracing, view, handoff, event);
  }
}

function traceRun(tracing: Tracing, view: RunView, { at, status, reason, deliverable }: RunFinished): void {
  const { run, acceptedAt, accepted } = view;
  const from = parseTraceparent(accepted.traceparent);
  const error = status === "delivered" ? {} : { error: reason ?? status };
  tracing.record({
    run,
    id: spans.run(run),
    name: `run ${view.kind}`,
    kind: "server",
    start: acceptedAt,
    end: at,
    attributes: {
      "firm.status": status,
      "firm.open_items": deliverable?.open_items.length ?? 0,
      "firm.objective_text": view.objective.objective.slice(0, 200),
    },
    ...error,
    // The caller's own trace goes on in this one.
    ...(from === undefined ? {} : { links: [from] }),
  });
  if (view.kind === "ask") return;
  tracing.record({
    run,
    id: spans.handoff(run, ROOT_HANDOFF),
    parent: spans.run(run),
    name: "handoff ceo",
    kind: "producer",
    start: acceptedAt,
    end: at,
    attributes: { "messaging.system": "nats", "firm.role": "ceo", "firm.status": status },
    ...error,
  });
}

function traceHandoff(tracing: Tracing, { run }: RunView, handoff: HandoffView, event: HandoffEnded): void {
  tracing.record({
    run,
    id: spans.handoff(run, handoff.id),
    parent: spans.handoff(run, handoff.parent),
    name: `handoff ${handoff.role}`,
    kind: "producer",
    start: handoff.issuedAt,
    end: event.at,
    attributes: {
      "messaging.system": "nats",
      "firm.role": handoff.role,
      "firm.cycle": handoff.cycle,
      "firm.attempt": event.attempt,
      "firm.status": event.status,
      "firm.objective_key": handoff.objectiveKey,
    },
    ...(FAILED.has(event.status) ? { error: event.reason ?? event.status } : {}),
  });
}

/** Records a question once it has its end. @param traceparent of whoever asks, as the request says */
export function traceInvocation(
  tracing: Tracing,
  view: RunView,
  asked: Extract<InvocationItem, { state: "asked" }>,
  ended: Extract<InvocationItem, { state: "ended" }>,
  traceparent: string | undefined,
): void {
  if (!tracing.enabled) return;
  const { run } = view;
  const named = parseTraceparent(traceparent);
  const above =
    asked.handoff === ROOT_HANDOFF && view.kind === "ask"
      ? spans.run(run)
      : spans.handoff(run, asked.handoff);
  tracing.record({
    run,
    id: spans.invocation(run, asked.id),
    // A worker can name any span, but none of another run.
    parent: named?.traceId === traceIdOf(run) ? named.spanId : above,
    name: `invoke ${asked.role}`,
    kind: "client",
    start: asked.at,
    end: ended.at,
    attributes: { "firm.role": asked.role, "firm.chain": asked.chain, "firm.outcome": ended.outcome },
    ...(ended.outcome === "answered" ? {} : { error: ended.reason ?? ended.outcome }),
  });
}
