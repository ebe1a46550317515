// Owns the loop of every delegating role: collect → evolve → decide → do (seed: firm-orchestration, Phases 1 to 3).
// What is decided stands in libs/orchestration; this only does it, so a killed worker replays the log and decides alike.
import { isPassing, type Work } from "@firm/actor";
import {
  decide,
  evolve,
  initialDelegation,
  refused,
  type Decider,
  type Delegation,
  type DelegationCommand,
  type DelegationSetup,
  type HandoffCommand,
  type SpawnCommand,
} from "@firm/orchestration";
import { FirmError, type CollectReply, type ErrorCode, type LoggedEvent } from "@firm/protocol";

/** What the decision to stop waiting carries. */
export type Finish = Extract<DelegationCommand, { type: "finish" }>;

/** Refusals that end the delegating work itself, not only the command. */
const ENDS_WORK: ReadonlySet<ErrorCode> = new Set([
  "run-cancelled",
  "run-ended",
  "already-ended",
  "stale-attempt",
  "invalid-token",
  "expired-token",
  "wrong-sender",
]);

/** What is decided from the log while a role waits for others, and what its commands do to the facts. */
export interface Pursuit<State, Command extends { readonly type: string }> {
  readonly initial: State;
  readonly decider: Decider<State, LoggedEvent, Command | Wait | Done>;
  /** Does one command; what it did to the facts comes back, since the log's own event may take a moment. */
  readonly perform: (command: Command) => Promise<(state: State) => State>;
  /** True where there is more to decide at once, without news. */
  readonly goesOn: (command: Command) => boolean;
  /** Epoch ms; waits for news at most until then. */
  readonly deadline: number;
  /** Called after each batch of events, e.g. to keep a partial picture. */
  readonly onNews: (state: State) => void;
}
interface Wait {
  readonly type: "wait";
  readonly until: number;
}
interface Done {
  readonly type: "finish";
}

/**
 * Decides, does, waits without a slot, and returns the decision to stop.
 * @throws FirmError where the work itself is refused or the bus stays away; the signal's reason where the work is stopped.
 */
export async function pursue<State, Command extends { readonly type: string }, Finished extends Done>(
  work: Work,
  pursuit: Pursuit<State, Command> & {
    readonly decider: Decider<State, LoggedEvent, Command | Wait | Finished>;
  },
): Promise<Finished> {
  const { decider, perform, goesOn } = pursuit;
  let state = pursuit.initial;
  let seq = 0;
  // What earlier attempts did is in the log; only with all of it is the first decision right.
  for (let more = work.attempt > 1; more;) {
    const past = await work.gateway.collect(seq, 0);
    state = past.events.reduce((before, event) => decider.evolve(before, event), state);
    seq = past.seq;
    more = past.events.length > 0;
  }
  for (;;) {
    const commands = decider.decide(state, Date.now());
    const finish = commands.find((command): command is Finished => command.type === "finish");
    if (finish !== undefined) return finish;
    const asked = commands.filter((command): command is Command => command.type !== "wait");
    if (asked.length > 0) {
      // One go for all: none waits for another (Phase 1).
      const effects = await Promise.all(asked.map((command) => perform(command)));
      state = effects.reduce((before, effect) => effect(before), state);
      if (asked.some(goesOn)) continue;
    }
    const until =
      commands.find((command): command is Wait => command.type === "wait")?.until ?? pursuit.deadline;
    const after = seq;
    const news = await work.away(() => newsAfter(work, after, until));
    work.signal.throwIfAborted();
    seq = news.seq;
    state = news.events.reduce((before, event) => decider.evolve(before, event), state);
    if (news.events.length > 0) pursuit.onNews(state);
  }
}

/** Hands down to a role's reports. @param onNews as in `Pursuit` */
export function delegate(
  work: Work,
  setup: DelegationSetup,
  onNews: (state: Delegation) => void,
): Promise<Finish> {
  return pursue<Delegation, HandoffCommand | SpawnCommand, Finish>(work, {
    initial: initialDelegation(setup),
    decider: { evolve, decide },
    perform: (command) => perform(work, command),
    goesOn: ({ type }) => type === "spawn",
    deadline: setup.order.deadline,
    onNews,
  });
}

/** True for a refusal that ends the work itself, or that the bus's state explains: no fact about the command. */
export function endsWork(error: unknown): boolean {
  return !(error instanceof FirmError) || ENDS_WORK.has(error.code) || isPassing(error.code);
}

/** A gateway that stays away until the waiting is over has no news: what is in hand still rises. */
async function newsAfter(work: Work, after: number, until: number): Promise<CollectReply> {
  try {
    return await work.gateway.collect(after, until, true);
  } catch (error) {
    if (!(error instanceof FirmError) || !isPassing(error.code) || Date.now() < until) throw error;
    work.log.warn({ err: error }, "no gateway answers; going on with what has arrived");
    return { events: [], seq: after };
  }
}

type Effect = (state: Delegation) => Delegation;

/** Sends one request; what it did to the facts comes back, since the log's own event may take a moment. */
async function perform(work: Work, command: HandoffCommand | SpawnCommand): Promise<Effect> {
  const { run, handoff: parent } = work.order;
  try {
    if (command.type === "spawn") {
      const { session, seq } = await work.gateway.spawn(command.request);
      const { participants, objective, label } = command.request;
      const event = {
        type: "session",
        run,
        at: Date.now(),
        session,
        participants,
        objective,
        label,
        by: parent,
      } as const;
      return (state) => evolve(state, { seq, event });
    }
    const { deadline } = await work.gateway.handoff(command.request);
    const issued = { at: Date.now(), deadline };
    return (state) =>
      state.issued.has(command.handoff)
        ? state
        : { ...state, issued: new Map(state.issued).set(command.handoff, issued) };
  } catch (error) {
    if (!(error instanceof FirmError) || endsWork(error)) throw error;
    work.log.warn({ code: error.code, reason: error.message }, `the gateway refused a ${command.type}`);
    return (state) => refused(state, command, { code: error.code, reason: error.message });
  }
}
