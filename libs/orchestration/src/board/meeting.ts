// Pure: phases 2 and 3 of a board meeting as decisions on the log (seed: agent-protocol, "Isolation Rules").
//
// M1 All roles are asked in one decision; none waits for another, and the CEO's own contribution is made in the same go.
// M2 The state is a set of facts keyed by derived ids; the first end counts. A replay asks nobody twice.
// M3 What is not in by its phase's limit is missing: named, never waited for.
// M4 Everyone agrees: phase 2 is run once more, with the strongest argument against forced. Never twice.
// M5 A decision closes with one `wait` or one `finish`.
import {
  handoffIdOf,
  type HandoffContract,
  type HandoffEnded,
  type LoggedEvent,
  type Result,
  type Role,
  type WorkOrder,
} from "@firm/protocol";
import { withConstraint } from "../contract.ts";
import type { Decider } from "../decider.ts";
import type { HandoffCommand, Issued, Refused } from "../facts.ts";
import { CONTRIBUTION_DONE, isConsensus, readContribution, type Position } from "./contribution.ts";
import { CRITIQUE_DONE, readCritique, type CriticReport } from "./critique.ts";

export const MENTOR = "mentor";
export const CHAIR = "ceo";

/** Said to each role in phase 2. */
export const ISOLATION_RULES =
  "No invocations: form your own view; state [ASSUMPTION: …] for what you do not know";
/** Said to each role once more where all agreed. */
export const FORCE_COUNTERARGUMENT =
  "Everyone agreed with high confidence: force the strongest argument against your first recommendation, then state your position anew";
/** Said to the critic in phase 3. */
export const CRITIC_RULES = "No invocations: quote the contributions, ask for no new data";

/** Shares of the whole time by which a phase is over; what is left is for the synthesis. */
const LIMITS = { first: 0.6, again: 0.75, critic: 0.92 } as const;

/** 0: the first round of phase 2; 1: with the counterargument forced. */
export type Round = 0 | 1;

/** Fixed for the life of the meeting. */
export interface MeetingSetup {
  readonly order: Pick<
    WorkOrder,
    "run" | "handoff" | "contract" | "objective" | "objective_key" | "deadline"
  >;
  readonly participants: readonly Role[];
}

/** The facts so far (M2). */
export interface Meeting {
  readonly setup: MeetingSetup;
  readonly issued: ReadonlyMap<string, Issued>;
  readonly ends: ReadonlyMap<string, HandoffEnded>;
  readonly refused: ReadonlyMap<string, Refused>;
  /** The CEO's own contribution by round. */
  readonly own: ReadonlyMap<Round, Result>;
}

/** What the meeting brought, for the synthesis. */
export interface MeetingOutcome {
  /** In the order of the participants. */
  readonly positions: readonly Position[];
  readonly missing: readonly { readonly role: Role; readonly reason: string }[];
  /** Everyone agreed at first. */
  readonly challenged: boolean;
  readonly critic: CriticReport | undefined;
  readonly results: readonly Result[];
}

export type MeetingCommand =
  | HandoffCommand
  /** Make the CEO's own contribution, before it reads any other. */
  | {
      readonly type: "contribute";
      /** As a handoff's id would be; `noteRefused` takes it where no contribution can be made. */
      readonly handoff: string;
      readonly round: Round;
      readonly contract: HandoffContract;
      readonly objective_key: string;
    }
  | { readonly type: "wait"; readonly until: number }
  | { readonly type: "finish"; readonly outcome: MeetingOutcome };

/** The state before any event. */
export function initialMeeting(setup: MeetingSetup): Meeting {
  return { setup, issued: new Map(), ends: new Map(), refused: new Map(), own: new Map() };
}

export const meeting: Decider<Meeting, LoggedEvent, MeetingCommand> = {
  evolve(state, { event }) {
    if (event.run !== state.setup.order.run) return state;
    if (event.type === "handoff") {
      if (event.parent !== state.setup.order.handoff || state.issued.has(event.handoff)) return state;
      return noteIssued(state, event.handoff, { at: event.at, deadline: event.deadline });
    }
    if (event.type !== "end" || state.ends.has(event.handoff)) return state;
    return { ...state, ends: new Map(state.ends).set(event.handoff, event) };
  },

  decide(state, now) {
    const first = roundOf(state, 0, now);
    const begunAgain =
      state.own.has(1) ||
      state.setup.participants.some((role) => state.issued.has(contributionId(state, role, 1)));
    if (!first.over && !begunAgain) return [...first.commands, { type: "wait", until: first.until }];
    const challenged = begunAgain || (isConsensus(first.positions) && now < limit(state, "again"));
    const again = challenged ? roundOf(state, 1, now) : undefined;
    if (again?.over === false) return [...again.commands, { type: "wait", until: again.until }];

    const positions = latest(state.setup.participants, first.positions, again?.positions ?? []);
    const mentor = criticLeg(state);
    const until = limit(state, "critic");
    if (!settled(state, mentor.handoff, until, now)) {
      const commands = state.issued.has(mentor.handoff) ? [] : [mentor];
      return [...commands, { type: "wait", until }];
    }
    const missing = state.setup.participants
      .filter((role) => !positions.some((position) => position.role === role))
      .map((role) => ({ role, reason: reasonOf(state, contributionId(state, role, 0)) }));
    const end = inTime(state, mentor.handoff, until);
    return [
      {
        type: "finish",
        outcome: {
          positions,
          missing,
          challenged,
          critic: readCritique(end?.result),
          results: resultsOf(state),
        },
      },
    ];
  },
};

/** What is known once a handoff was issued. */
export function noteIssued(state: Meeting, handoff: string, issued: Issued): Meeting {
  return state.issued.has(handoff) ? state : { ...state, issued: new Map(state.issued).set(handoff, issued) };
}

/** What is known after the gateway refused a command for good. */
export function noteRefused(state: Meeting, handoff: string, refusal: Refused): Meeting {
  return { ...state, refused: new Map(state.refused).set(handoff, refusal) };
}

/** What is known once the CEO's own contribution is made. */
export function noteOwn(state: Meeting, round: Round, result: Result): Meeting {
  return state.own.has(round) ? state : { ...state, own: new Map(state.own).set(round, result) };
}

interface RoundState {
  readonly over: boolean;
  readonly commands: readonly MeetingCommand[];
  readonly until: number;
  readonly positions: readonly Position[];
}

function roundOf(state: Meeting, round: Round, now: number): RoundState {
  const until = limit(state, round === 0 ? "first" : "again");
  const commands: MeetingCommand[] = [];
  const positions: Position[] = [];
  let open = 0;
  for (const role of state.setup.participants) {
    const id = contributionId(state, role, round);
    const result = role === CHAIR ? state.own.get(round) : inTime(state, id, until)?.result;
    const position = readContribution(role, result);
    // Made once, whatever it holds.
    const made = role === CHAIR && state.own.has(round);
    if (position !== undefined) positions.push(position);
    else if (!made && !settled(state, id, until, now)) {
      open++;
      if (!state.issued.has(id)) commands.push(commandFor(state, role, round, id));
    }
  }
  return { over: open === 0, commands, until, positions };
}

function commandFor(state: Meeting, role: Role, round: Round, handoff: string): MeetingCommand {
  const contract = contributionContract(state.setup.order.contract, role, round);
  const objective_key = contributionKey(state.setup.order.objective_key, role);
  if (role === CHAIR) return { type: "contribute", handoff, round, contract, objective_key };
  return { type: "handoff", handoff, request: { contract, objective_key, cycle: round, phase: 2 } };
}

/** The question as each role gets it: the same for all. */
export function contributionContract(own: HandoffContract, role: Role, round: Round): HandoffContract {
  const base: HandoffContract = { ...own, from: CHAIR, to: role, definition_of_done: CONTRIBUTION_DONE };
  const isolated = withConstraint(base, ISOLATION_RULES);
  return round === 0 ? isolated : withConstraint(isolated, FORCE_COUNTERARGUMENT);
}

function criticLeg(state: Meeting): HandoffCommand {
  const { order } = state.setup;
  const objective_key = contributionKey(order.objective_key, MENTOR);
  const contract = withConstraint(
    { ...order.contract, from: CHAIR, to: MENTOR, definition_of_done: CRITIQUE_DONE },
    CRITIC_RULES,
  );
  return {
    type: "handoff",
    handoff: handoffIdOf(order.run, order.handoff, MENTOR, objective_key, 0),
    request: { contract, objective_key, cycle: 0, phase: 3 },
  };
}

function contributionKey(parent: string, role: Role): string {
  return `${parent}/board/${role}`;
}

function contributionId({ setup: { order } }: Meeting, role: Role, round: Round): string {
  return handoffIdOf(order.run, order.handoff, role, contributionKey(order.objective_key, role), round);
}

/** Epoch ms; follows from the order alone, so that a replay has the same limits. */
function limit({ setup: { order } }: Meeting, phase: keyof typeof LIMITS): number {
  const whole = order.objective.deadline_seconds * 1_000;
  return order.deadline - whole * (1 - LIMITS[phase]);
}

/** An end counts by when it was written, so that a replay counts the same (M3). */
function inTime(state: Meeting, id: string, until: number): HandoffEnded | undefined {
  const end = state.ends.get(id);
  return end !== undefined && end.at <= until ? end : undefined;
}

function settled(state: Meeting, id: string, until: number, now: number): boolean {
  return state.ends.has(id) || state.refused.has(id) || now >= until;
}

function reasonOf(state: Meeting, id: string): string {
  const refusal = state.refused.get(id);
  if (refusal !== undefined) return `${refusal.code}: ${refusal.reason}`;
  const end = state.ends.get(id);
  if (end === undefined) return "no answer in time";
  return end.reason ?? (end.status === "ok" ? "its answer came too late" : end.status);
}

function latest(order: readonly Role[], ...rounds: readonly (readonly Position[])[]): readonly Position[] {
  const byRole = new Map(rounds.flat().map((position) => [position.role, position]));
  return order.flatMap((role) => byRole.get(role) ?? []);
}

function resultsOf(state: Meeting): readonly Result[] {
  return [...state.own.values(), ...[...state.ends.values()].flatMap(({ result }) => result ?? [])];
}
