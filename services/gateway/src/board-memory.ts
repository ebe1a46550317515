// Owns a board meeting's two layers of memory: the raw transcript, and the decisions that later meetings load (board meeting, phase 6).
// B1 A run stands in layer 2 once, however often its end is settled. B2 Layer 1 is never a meeting's context.
import { BoardDecision, boardTranscript, decisionDocument } from "@firm/orchestration";
import { BUCKETS, FirmError, parseJson, type Deliverable, type ResolvedContext } from "@firm/protocol";
import * as z from "zod";
import { boardEntriesOf } from "./board-entries.ts";
import { isDecided } from "./board-state.ts";
import type { Gateway } from "./deps.ts";
import type { RunView } from "./view.ts";

/** Layer 2, as contracts name it. */
export const DECISIONS_REF = "memory:board/decisions";
const DECISIONS_PATH = "board/decisions";
/** Key of the list in KV `firm-sessions`. */
const DECISIONS_KEY = "board.decisions";
/** Meetings that layer 2 remembers; the oldest go first. */
const REMEMBERED = 500;
/** Transcripts are layer 1. */
const LAYER_1 = /^memory:board\/.*transcript$/;

const Decisions = z.array(BoardDecision);

/** @throws FirmError `invalid-input` for a reference to a raw transcript (B2). */
export function refuseTranscript(ref: string | undefined): void {
  if (ref === undefined || !LAYER_1.test(ref)) return;
  throw new FirmError(
    "invalid-input",
    `context_ref ${ref} is a raw transcript: a board meeting loads decisions only`,
    {
      field: "context_ref",
      hint: `leave it out, or use ${DECISIONS_REF}`,
    },
  );
}

/** Layer 2 as a context; undefined while nothing was decided. */
export async function decisionsContext(gateway: Gateway): Promise<ResolvedContext | undefined> {
  try {
    return await gateway.contexts.resolve(DECISIONS_REF);
  } catch (error) {
    if (error instanceof FirmError && error.code === "unknown-context") return undefined;
    throw error;
  }
}

/** Stores both layers; doing it twice changes nothing. */
export async function settleBoard(gateway: Gateway, view: RunView, deliverable: Deliverable): Promise<void> {
  await gateway.contexts.write(
    `board/${view.run}/transcript`,
    boardTranscript(deliverable, boardEntriesOf(view)),
  );
  const decision = decisionOf(view, deliverable);
  if (decision !== undefined) await remember(gateway, decision);
}

/** Undefined where the founder has not decided. */
function decisionOf(view: RunView, deliverable: Deliverable): BoardDecision | undefined {
  const { decision, finished } = view;
  if (decision === undefined || !isDecided(view) || finished?.status !== "delivered") return undefined;
  const parsed = BoardDecision.safeParse({
    run: view.run,
    date: new Date(finished.at).toISOString().slice(0, 10),
    question: view.objective.objective,
    verb: decision.verb,
    decisions: deliverable.decisions,
  });
  return parsed.success ? parsed.data : undefined;
}

async function remember(gateway: Gateway, decision: BoardDecision): Promise<void> {
  const kv = await gateway.bus.kv(BUCKETS.sessions);
  for (;;) {
    const stored = await kv.get(DECISIONS_KEY);
    const before = stored === undefined ? [] : parseJson(Decisions, stored.text, DECISIONS_KEY);
    if (!before.some(({ run }) => run === decision.run)) {
      const text = JSON.stringify([...before, decision].slice(-REMEMBERED));
      const written =
        stored === undefined
          ? await kv.create(DECISIONS_KEY, text)
          : await kv.update(DECISIONS_KEY, text, stored.revision);
      if (written === undefined) continue;
    }
    break;
  }
  // Another gateway may add a meeting meanwhile: the document that stays is that of the whole list.
  for (let revision: number | undefined; ;) {
    const stored = await kv.get(DECISIONS_KEY);
    if (stored === undefined || stored.revision === revision) return;
    ({ revision } = stored);
    await gateway.contexts.write(
      DECISIONS_PATH,
      decisionDocument(parseJson(Decisions, stored.text, DECISIONS_KEY)),
    );
  }
}
