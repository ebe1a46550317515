// Owns a handoff's progress and its one end: `checkpoint`, `claim`, `result`, timeouts (DESIGN, rules 8 and 9).
import {
  CheckpointRequest,
  ClaimRequest,
  FirmError,
  parseJson,
  ResultRequest,
  ROOT_HANDOFF,
  type ClaimReply,
  type EndStatus,
  type Result,
} from "@firm/protocol";
import { checkAttempt } from "@firm/policy";
import { enforce, refuseEnded, type Admitted } from "./admit.ts";
import { acceptDraft } from "./board.ts";
import { isDecided, waitsForFounder } from "./board-state.ts";
import type { Gateway } from "./deps.ts";
import { finish } from "./finish.ts";
import { pathOf, type HandoffView, type RunView } from "./view.ts";

/** Serves `checkpoint`: partial output, and that an attempt has begun. */
export async function checkpoint(
  gateway: Gateway,
  { view, handoff, claims, sender }: Admitted,
  body: string,
): Promise<{ seq: number }> {
  const request = parseJson(CheckpointRequest, body, "checkpoint");
  const base = {
    run: view.run,
    at: gateway.now(),
    handoff: handoff.id,
    role: sender,
    attempt: claims.attempt,
  };
  if (request.started !== undefined && request.result === undefined) {
    const id = `${view.run}.${handoff.id}.started.${claims.attempt}`;
    return {
      seq: await gateway.ledger.append({ type: "started", ...base, worker: request.started }, { msgId: id }),
    };
  }
  return {
    seq: await gateway.ledger.append({
      type: "checkpoint",
      ...base,
      note: request.note,
      ...(request.result === undefined ? {} : { result: request.result }),
    }),
  };
}

/** Serves `claim`: a redelivered handoff is taken under a new attempt, and the older ones are fenced off. */
export async function claim(
  gateway: Gateway,
  { view, handoff, claims, sender }: Admitted,
  body: string,
): Promise<ClaimReply> {
  const request = parseJson(ClaimRequest, body, "claim");
  if (
    view.finished !== undefined ||
    view.cancelled ||
    handoff.ended !== undefined ||
    claims.attempt < handoff.floor ||
    (handoff.id === ROOT_HANDOFF && waitsForFounder(view))
  ) {
    return { ended: true, attempt: handoff.attempt };
  }
  const attempt = Math.max(request.attempt, handoff.attempt + 1);
  await gateway.ledger.append(
    {
      type: "started",
      run: view.run,
      at: gateway.now(),
      handoff: handoff.id,
      role: sender,
      attempt,
      worker: request.worker,
    },
    { msgId: `${view.run}.${handoff.id}.started.${attempt}.${request.worker}` },
  );
  gateway.metrics.retries.inc({ role: sender });
  const token = gateway.tokens.sign({
    ...claims,
    attempt,
    path: pathOf(view, handoff.id),
    deadline: handoff.deadline,
  });
  return {
    token,
    ended: false,
    attempt,
    ...(handoff.checkpoint === undefined ? {} : { checkpoint: handoff.checkpoint.result }),
  };
}

/** Serves `result`: the first valid one ends the handoff; any other is refused and recorded. */
export async function result(gateway: Gateway, admitted: Admitted, body: string): Promise<{ seq: number }> {
  const { view, handoff, claims } = admitted;
  const request = parseJson(ResultRequest, body, "result");
  if ("deliverable" in request) {
    if (handoff.id !== ROOT_HANDOFF) {
      throw new FirmError(
        "invalid-input",
        "only the CEO's own handoff ends in a deliverable; send a result",
        { field: "deliverable" },
      );
    }
    refuseEnded(view, handoff);
    enforce(checkAttempt(handoff.attempt, claims.attempt));
    if (view.board?.state === "pending-review")
      throw new FirmError(
        "deadline-passed",
        `board meeting ${view.run} is pending review; the founder decides again`,
      );
    // A CEO that did not hear the answer brings its draft again.
    if (waitsForFounder(view)) return { seq: view.lastSeq };
    if (view.kind === "board" && !isDecided(view))
      return { seq: await acceptDraft(gateway, view, request.deliverable) };
    return { seq: await finish(gateway, view, "delivered", request.deliverable) };
  }
  if (handoff.id === ROOT_HANDOFF) {
    throw new FirmError("invalid-input", "the CEO's own handoff ends in a deliverable", {
      field: "deliverable",
    });
  }
  try {
    refuseEnded(view, handoff);
    if (gateway.now() > handoff.deadline) {
      await timeOut(gateway, view, handoff);
      throw new FirmError(
        "deadline-passed",
        `the deadline of handoff ${handoff.id} has passed; the result is recorded as late`,
      );
    }
    return {
      seq: await end(gateway, view, handoff, {
        status: request.status,
        attempt: claims.attempt,
        result: request,
      }),
    };
  } catch (error) {
    if (error instanceof FirmError && error.status < 500 && error.code !== "too-large") {
      if (await isRepeat(handoff, claims.attempt, request)) return { seq: view.lastSeq };
      await recordLate(gateway, admitted, request, error);
    }
    throw error;
  }
}

/** A worker that did not hear our answer sends the same again: that is no second result. */
async function isRepeat(handoff: HandoffView, attempt: number, request: Result): Promise<boolean> {
  const { ended } = handoff;
  return ended?.attempt === attempt && JSON.stringify(ended.result) === JSON.stringify(request);
}

async function recordLate(
  gateway: Gateway,
  { view, handoff, claims, sender }: Admitted,
  late: Result,
  error: FirmError,
): Promise<void> {
  await gateway.ledger.append({
    type: "late",
    run: view.run,
    at: gateway.now(),
    handoff: handoff.id,
    role: sender,
    attempt: claims.attempt,
    code: error.code,
    result: late,
  });
}

interface Ending {
  readonly status: EndStatus;
  readonly attempt: number;
  readonly result?: Result | undefined;
  readonly reason?: string;
}

/**
 * Writes a handoff's one end.
 * @throws FirmError `already-ended` where another end stands.
 */
export async function end(
  gateway: Gateway,
  view: RunView,
  handoff: HandoffView,
  ending: Ending,
): Promise<number> {
  return gateway.ledger.append(
    {
      type: "end",
      run: view.run,
      at: gateway.now(),
      handoff: handoff.id,
      parent: handoff.parent,
      role: handoff.role,
      attempt: ending.attempt,
      status: ending.status,
      ...(ending.result === undefined ? {} : { result: ending.result }),
      ...(ending.reason === undefined ? {} : { reason: ending.reason }),
    },
    { first: true },
  );
}

/** Ends a handoff at its deadline with what was checkpointed; another replica may have been first. */
export async function timeOut(gateway: Gateway, view: RunView, handoff: HandoffView): Promise<void> {
  await endUnlessEnded(gateway, view, handoff, {
    status: "timeout",
    attempt: handoff.attempt,
    result: handoff.checkpoint?.result,
    reason: `no result by the deadline${handoff.checkpoint === undefined ? "; nothing was checkpointed" : "; the latest checkpoint is kept"}`,
  });
}

/** Ends a handoff; one that has ended meanwhile is left as it is. */
export async function endUnlessEnded(
  gateway: Gateway,
  view: RunView,
  handoff: HandoffView,
  ending: Ending,
): Promise<void> {
  if (handoff.ended !== undefined) return;
  try {
    await end(gateway, view, handoff, ending);
  } catch (error) {
    if (!(error instanceof FirmError) || error.code !== "already-ended") throw error;
  }
}
