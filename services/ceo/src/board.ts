// Owns what the CEO does with a board meeting: phases 1 to 4 up to the draft, and after the founder's word the end of it
// (seed: agent-protocol, "Isolation Rules"). What is decided stands in libs/orchestration, so a killed CEO replays the log and decides alike.
import type { Work, WorkHandler } from "@firm/actor";
import {
  boardDeliverable,
  CHAIR,
  decidedDeliverable,
  FOUNDER_VERBS,
  initialMeeting,
  meeting,
  noteIssued,
  noteOwn,
  noteRefused,
  participantsOf,
  withAddendum,
  type Meeting,
  type MeetingCommand,
  type MeetingOutcome,
} from "@firm/orchestration";
import { FirmError, INVOCABLE_ROLES, type Deliverable, type Role, type WorkOrder } from "@firm/protocol";
import { endsWork, pursue, type RoleContext } from "@firm/roles";
import { BoardFiles } from "./board-files.ts";
import { boardVoice, synthesis, type BoardVoice } from "./board-voice.ts";

type Ask = Exclude<MeetingCommand, { type: "wait" | "finish" }>;
type Finished = Extract<MeetingCommand, { type: "finish" }>;
type Effect = (state: Meeting) => Meeting;

/** Draft at first; after the founder's word the minutes, or the draft with an answer. */
export function boardHandler(context: RoleContext): WorkHandler {
  const voice = boardVoice(context);
  const files = new BoardFiles(context.stateDir);
  return async (work) => {
    const { decision } = work.order;
    return {
      deliverable:
        decision === undefined ? await draft(voice, work) : await decided(voice, files, work, decision),
    };
  };
}

async function draft(voice: BoardVoice, work: Work): Promise<Deliverable> {
  const { order } = work;
  const participants = participantsOf(order.objective);
  const { outcome } = await meet(voice, work, participants);
  return boardDeliverable({
    run: order.run,
    question: order.objective.objective,
    format: order.objective.delivery_format,
    date: startedOn(order),
    participants,
    outcome,
    layer2: order.context.text,
    synthesise: synthesis,
  });
}

/** Phases 2 and 3. */
async function meet(
  voice: BoardVoice,
  work: Work,
  participants: readonly Role[],
): Promise<{ readonly outcome: MeetingOutcome }> {
  return pursue<Meeting, Ask, Finished>(work, {
    initial: initialMeeting({ order: work.order, participants }),
    decider: meeting,
    perform: (command) =>
      command.type === "contribute" ? contribute(voice, work, command) : hand(work, command),
    goesOn: ({ type }) => type === "contribute",
    deadline: work.order.deadline,
    onNews: () => undefined,
  });
}

async function hand(work: Work, { handoff, request }: Extract<Ask, { type: "handoff" }>): Promise<Effect> {
  try {
    const { deadline } = await work.gateway.handoff(request);
    const at = Date.now();
    return (state) => noteIssued(state, handoff, { at, deadline });
  } catch (error) {
    if (!(error instanceof FirmError) || endsWork(error)) throw error;
    work.log.warn({ code: error.code, reason: error.message }, "the gateway refused a board handoff");
    return (state) => noteRefused(state, handoff, { code: error.code, reason: error.message });
  }
}

/** The CEO's own contribution; kept at the gateway before any other is read, so that the critic gets it and a killed CEO has it. */
async function contribute(
  voice: BoardVoice,
  work: Work,
  command: Extract<Ask, { type: "contribute" }>,
): Promise<Effect> {
  const { handoff, round, contract } = command;
  const objective_key = `${command.objective_key}#${round}`;
  const kept = work.checkpoint;
  if (kept?.objective_key === objective_key) return (state) => noteOwn(state, round, kept);
  try {
    const order: WorkOrder = { ...work.order, contract, objective_key, cycle: round, phase: 2, history: [] };
    const own = { ...(await voice.contribute({ ...work, order })), objective_key };
    await work.gateway.checkpoint({ note: `${CHAIR} has made its own contribution`, result: own });
    return (state) => noteOwn(state, round, own);
  } catch (error) {
    if (!(error instanceof FirmError) || endsWork(error)) throw error;
    work.log.warn({ err: error }, "the CEO has no contribution of its own");
    return (state) => noteRefused(state, handoff, { code: error.code, reason: error.message });
  }
}

async function decided(
  voice: BoardVoice,
  files: BoardFiles,
  work: Work,
  { verb, text, draft: before }: NonNullable<WorkOrder["decision"]>,
): Promise<Deliverable> {
  const founder = FOUNDER_VERBS.find((name) => name === verb);
  if (founder === undefined)
    throw new FirmError("invalid-input", `"${verb}" is no decision`, { field: "decision.verb" });
  if (founder === "ask") {
    const { role, question } = addressee(text);
    return withAddendum(before, text, role, await voice.answer(work, role, question));
  }
  const date = startedOn(work.order);
  const final = decidedDeliverable(before, founder, text, date);
  await files.write({
    run: work.order.run,
    date,
    question: work.order.objective.objective,
    verb: founder,
    decisions: [...final.decisions],
    deliverable: final,
    said: work.order.history,
  });
  return final;
}

/** `cfo: what is the runway?` asks the CFO, anything else the CEO. */
export function addressee(text: string): { readonly role: Role; readonly question: string } {
  const [, named, question = ""] = /^\s*@?([a-z]{3,4})\s*[:,]\s*([\s\S]+)$/i.exec(text) ?? [];
  const role = INVOCABLE_ROLES.find((one) => one === named?.toLowerCase());
  return role === undefined ? { role: CHAIR, question: text } : { role, question };
}

/** The day on which this work was asked for, UTC; a redelivery has the same. */
function startedOn({ deadline, objective }: WorkOrder): string {
  return new Date(deadline - objective.deadline_seconds * 1_000).toISOString().slice(0, 10);
}
