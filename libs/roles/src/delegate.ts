// Owns the loop of every delegating role: collect → evolve → decide → do (seed: firm-orchestration, Phases 1 to 3).
// What is decided stands in libs/orchestration; this only does it, so a killed worker replays the log and decides alike.
import { isPassing, type Work } from "@firm/actor";
import {
  decide,
  evolve,
  initialDelegation,
  refused,
  type Delegation,
  type DelegationCommand,
  type DelegationSetup,
  type HandoffCommand,
  type SpawnCommand,
} from "@firm/orchestration";
import { FirmError, type CollectReply, type ErrorCode } from "@firm/protocol";

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

/**
 * Hands down, waits without a slot, and returns what the children brought.
 * @param onNews called after each batch of events, e.g. to keep a partial picture
 * @throws FirmError where the work itself is refused or the bus stays away; the signal's reason where the work is stopped.
 */
export async function delegate(
  work: Work,
  setup: DelegationSetup,
  onNews: (state: Delegation) => void,
): Promise<Finish> {
  let state = initialDelegation(setup);
  let seq = 0;
  // What earlier attempts did is in the log; only with all of it is the first decision right.
  for (let more = work.attempt > 1; more;) {
    const past = await work.gateway.collect(seq, 0);
    state = past.events.reduce(evolve, state);
    seq = past.seq;
    more = past.events.length > 0;
  }
  for (;;) {
    const commands = decide(state, Date.now());
    const finish = commands.find((command) => command.type === "finish");
    if (finish !== undefined) return finish;
    const asked = commands.filter((command) => command.type === "handoff" || command.type === "spawn");
    if (asked.length > 0) {
      // One go for all: none waits for another (Phase 1).
      const effects = await Promise.all(asked.map((command) => perform(work, command)));
      state = effects.reduce((before, effect) => effect(before), state);
      if (asked.some((command) => command.type === "spawn")) continue;
    }
    const until = commands.find((command) => command.type === "wait")?.until ?? setup.order.deadline;
    const after = seq;
    const news = await work.away(() => newsAfter(work, after, until));
    work.signal.throwIfAborted();
    seq = news.seq;
    state = news.events.reduce(evolve, state);
    if (news.events.length > 0) onNews(state);
  }
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
    if (!(error instanceof FirmError) || ENDS_WORK.has(error.code) || isPassing(error.code)) throw error;
    work.log.warn({ code: error.code, reason: error.message }, `the gateway refused a ${command.type}`);
    return (state) => refused(state, command, { code: error.code, reason: error.message });
  }
}
