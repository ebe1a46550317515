// Owns what a user asks the bus about a board meeting: its next draft, and the founder's word.
import type { Bus } from "@firm/bus";
import type { FounderVerb } from "@firm/orchestration";
import {
  ControlReply,
  parseJson,
  subjects,
  type Deliverable,
  type LoggedEvent,
  type RunFinished,
} from "@firm/protocol";
import { followRun } from "./runs.ts";

/** What a founder can say of a draft; `resume` opens a meeting again that nobody decided on in time. */
export type BoardWord = FounderVerb | "resume";

/** A draft that awaits the founder. */
export interface Draft {
  readonly draft: Deliverable;
  /** Epoch ms; undefined where it is pending review. */
  readonly decideBy: number | undefined;
}

/** What a meeting came to: a draft to decide on, or its end. */
export type Outcome =
  | { readonly type: "draft"; readonly draft: Draft }
  | { readonly type: "end"; readonly finished: RunFinished };

/** A meeting that is followed. */
export interface FollowedBoard {
  readonly outcome: Promise<Outcome>;
  stop(): Promise<void>;
}

/** Follows a meeting to its next draft or its end. @param after the last event that is known: its draft is not the next */
export async function followBoard(
  bus: Bus,
  run: string,
  { fromSeq, after }: { readonly fromSeq: number; readonly after: number },
  onEvent: (logged: LoggedEvent) => void,
): Promise<FollowedBoard> {
  const draft = Promise.withResolvers<Outcome>();
  const following = await followRun(bus, run, fromSeq, (logged) => {
    onEvent(logged);
    const { event, seq } = logged;
    if (seq <= after) return;
    if (event.type !== "board" || event.state !== "awaiting-decision" || event.draft === undefined) return;
    draft.resolve({ type: "draft", draft: { draft: event.draft, decideBy: event.decide_by } });
  });
  const end = following.finished.then((finished): Outcome => ({ type: "end", finished }));
  return { outcome: Promise.race([draft.promise, end]), stop: () => following.stop() };
}

/** Pure: the draft that waits for the founder after these events; undefined where the meeting is at work or over. */
export function openDraft(events: readonly LoggedEvent[]): Draft | undefined {
  let draft: Draft | undefined;
  for (const { event } of events) {
    if (event.type === "board" && event.draft !== undefined)
      draft = { draft: event.draft, decideBy: event.decide_by };
    else if (event.type === "board" && event.state === "pending-review" && draft !== undefined)
      draft = { ...draft, decideBy: undefined };
    else if (event.type === "control" || event.type === "finished") draft = undefined;
  }
  return draft;
}

/** Says the founder's word. @throws FirmError what the meeting does not take, or `run-ended`. */
export async function sayWord(bus: Bus, run: string, word: BoardWord, text: string): Promise<ControlReply> {
  const body = text === "" ? "" : JSON.stringify({ text });
  const reply = await bus.request(subjects.control(run, word), body, { timeoutMs: 10_000 });
  return parseJson(ControlReply, reply.text(), "the gateway's answer", "internal");
}
