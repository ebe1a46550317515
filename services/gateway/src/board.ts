// Owns phase 5 of a board meeting: the draft waits for the founder, whose word sends the CEO to work once more (seed: agent-protocol; board meeting, phases 5 and 6).
// B1 One draft has one decision: the log takes the first. B2 Nothing that waits for the founder is lost: past the time to decide it is pending, not ended.
// B3 A decision that is in the log is worked on, whoever died after writing it.
import { FirmError, ROOT_HANDOFF, type Deliverable } from "@firm/protocol";
import type { FounderVerb } from "@firm/orchestration";
import { boardEntriesOf } from "./board-entries.ts";
import type { Gateway } from "./deps.ts";
import { handToCeo } from "./root-order.ts";
import type { BoardView, RunView } from "./view.ts";

const MINUTE = 60_000;
/** Minutes to decide where the objective names none. */
const DECISION_MINUTES = 30;
const FOUNDER_PHASE = 5;

/** Stores the CEO's draft; the work is done until the founder speaks. */
export async function acceptDraft(gateway: Gateway, view: RunView, draft: Deliverable): Promise<number> {
  const attempt = view.handoffs.get(ROOT_HANDOFF)?.attempt ?? 1;
  return openDecision(gateway, view, draft, `draft.${attempt}`);
}

/** Opens the time to decide of a pending meeting anew. @throws FirmError where the meeting is not pending. */
export async function resume(gateway: Gateway, view: RunView): Promise<string> {
  const board = boardOf(view);
  if (board.state === "awaiting-decision") return "awaiting-decision";
  if (board.state !== "pending-review")
    throw new FirmError("invalid-input", `board meeting ${view.run} is at work, not pending review`, {
      field: "verb",
    });
  await openDecision(gateway, view, board.draft, `resume.${board.seq}`);
  return "awaiting-decision";
}

async function openDecision(
  gateway: Gateway,
  view: RunView,
  draft: Deliverable,
  what: string,
): Promise<number> {
  const at = gateway.now();
  const minutes = view.objective.board?.decision_minutes ?? DECISION_MINUTES;
  const decide_by = at + minutes * MINUTE;
  const event = {
    type: "board",
    run: view.run,
    at,
    phase: FOUNDER_PHASE,
    state: "awaiting-decision",
    draft,
    decide_by,
  } as const;
  const seq = await gateway.ledger.append(event, { msgId: `${view.run}.board.${what}` });
  await gateway.records.mark(view.run, "awaiting-decision");
  return seq;
}

/** Nobody decided in time, or the CEO did not act on the decision in time: the meeting is pending review, not ended. */
export async function closePending(gateway: Gateway, view: RunView): Promise<void> {
  const { board } = view;
  if (view.finished !== undefined || board?.draft === undefined || board.state === "pending-review") return;
  const attempt = view.handoffs.get(ROOT_HANDOFF)?.attempt ?? 1;
  await gateway.ledger.append(
    { type: "board", run: view.run, at: gateway.now(), phase: FOUNDER_PHASE, state: "pending-review" },
    { msgId: `${view.run}.board.pending.${board.seq}.${attempt}` },
  );
  await gateway.records.mark(view.run, "pending-review");
}

/**
 * Takes the founder's word; saying the same again while it is worked on is no error.
 * @throws FirmError `invalid-input` where there is no draft to decide on or another word stands, `run-ended`.
 */
export async function decide(
  gateway: Gateway,
  view: RunView,
  verb: FounderVerb,
  text: string,
): Promise<string> {
  const board = boardOf(view);
  if ((verb === "modify" || verb === "ask") && text.trim() === "") {
    throw new FirmError(
      "invalid-input",
      `"${verb}" needs a text: ${verb === "ask" ? "your question" : "your correction"}`,
      {
        field: "reason",
      },
    );
  }
  if (board.state !== "open") {
    const at = gateway.now();
    const deadline = at + view.objective.deadline_seconds * 1_000;
    await gateway.ledger.append(
      { type: "control", run: view.run, at, verb, reason: text, deadline },
      { msgId: `${view.run}.decision.${board.seq}` },
    );
  }
  const { decision } = view;
  if (decision === undefined || decision.verb !== verb || decision.text !== text) {
    throw new FirmError(
      "invalid-input",
      `board meeting ${view.run} is decided already: ${decision?.verb ?? "not yet"}`,
      {
        field: "verb",
        hint: "wait for its minutes, or for the next draft",
      },
    );
  }
  await workOn(gateway, view);
  return "running";
}

/** Sends the CEO to work on the decision that stands (B3). */
async function workOn(gateway: Gateway, view: RunView): Promise<void> {
  const { decision, board, accepted } = view;
  const root = view.handoffs.get(ROOT_HANDOFF);
  if (decision === undefined || board?.draft === undefined || root === undefined) return;
  await gateway.records.mark(view.run, "running", root.deadline);
  await handToCeo(gateway, accepted, {
    attempt: root.floor,
    deadline: root.deadline,
    decision: { verb: decision.verb, text: decision.text, draft: board.draft },
    history: boardEntriesOf(view),
  });
}

/** Repairs at start what a gateway that died left between the log and the queue or the record. */
export async function resumeBoards(gateway: Gateway): Promise<void> {
  for (const view of gateway.ledger.views) {
    const { board, decision } = view;
    if (view.kind !== "board" || view.finished !== undefined || board === undefined) continue;
    if (board.state !== "open") await gateway.records.mark(view.run, board.state);
    else if (decision !== undefined) await workOn(gateway, view);
  }
}

/** @throws FirmError `run-ended` or `invalid-input` */
function boardOf(view: RunView): BoardView & { readonly draft: Deliverable } {
  const { board, finished, run } = view;
  if (view.kind !== "board")
    throw new FirmError("invalid-input", `run ${run} is no board meeting`, { field: "run" });
  if (finished !== undefined)
    throw new FirmError("run-ended", `board meeting ${run} has ended already: ${finished.status}`, {
      field: "run",
    });
  if (board?.draft === undefined) {
    throw new FirmError("invalid-input", `board meeting ${run} has no draft to decide on yet`, {
      field: "run",
      hint: "wait until it awaits your decision",
    });
  }
  return { ...board, draft: board.draft };
}
