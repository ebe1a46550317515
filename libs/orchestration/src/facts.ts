// Pure: what a delegating role knows from the log: a set of facts keyed by derived ids (D2 of delegation.ts).
import type {
  ErrorCode,
  HandoffContract,
  HandoffEnded,
  HandoffRequest,
  LoggedEvent,
  Result,
  Role,
  WorkOrder,
} from "@firm/protocol";
import type { BlockerReport, ChildOutcome } from "./outcome.ts";

/** What the delegating role was given and may do; fixed for the life of the handoff. */
export interface DelegationSetup {
  readonly self: Role;
  readonly order: Pick<
    WorkOrder,
    "run" | "handoff" | "contract" | "objective" | "objective_key" | "deadline"
  >;
  /** Direct reports that get a part. */
  readonly targets: readonly Role[];
  /** Direct reports that may be asked to resolve a blocker. */
  readonly allReports: readonly Role[];
  /** Every role of the firm, to tell a wrong name from a role out of reach. */
  readonly knownRoles: readonly Role[];
  /** Re-delegations after a blocker, 0 to 2. */
  readonly blockerCycles: number;
  readonly contractFor: (role: Role) => HandoffContract;
}

/** A request the gateway refused for good. */
export interface Refused {
  readonly code: ErrorCode;
  readonly reason: string;
}

/** A handoff the log shows. */
export interface Issued {
  readonly at: number;
  readonly deadline: number;
}

/** The facts so far (D2). */
export interface Delegation {
  readonly setup: DelegationSetup;
  readonly issued: ReadonlyMap<string, Issued>;
  readonly ends: ReadonlyMap<string, HandoffEnded>;
  /** The latest of each handoff. */
  readonly checkpoints: ReadonlyMap<string, { readonly seq: number; readonly result: Result }>;
  readonly sessions: ReadonlySet<string>;
  /** By handoff id or joint session key. */
  readonly refused: ReadonlyMap<string, Refused>;
}

/** The body of a `spawn` request. */
export interface JointSession {
  readonly participants: Role[];
  readonly objective: string;
  readonly label: string;
}

export type HandoffCommand = {
  readonly type: "handoff";
  readonly handoff: string;
  readonly request: HandoffRequest;
};
export type SpawnCommand = {
  readonly type: "spawn";
  readonly session: string;
  readonly request: JointSession;
};
/** What to do; requests of one decision are sent together. */
export type DelegationCommand =
  | HandoffCommand
  | SpawnCommand
  /** Collect events, at the latest until then (epoch ms). */
  | { readonly type: "wait"; readonly until: number }
  | {
      readonly type: "finish";
      readonly children: readonly ChildOutcome[];
      /** Escalated ones. */
      readonly blockers: readonly BlockerReport[];
      /** Blockers that a joint session settled. */
      readonly resolved: readonly BlockerReport[];
    };

/** The state before any event. */
export function initialDelegation(setup: DelegationSetup): Delegation {
  return {
    setup,
    issued: new Map(),
    ends: new Map(),
    checkpoints: new Map(),
    sessions: new Set(),
    refused: new Map(),
  };
}

/** Folds one event in; an event of another run or another role's child changes nothing. */
export function evolve(state: Delegation, { seq, event }: LoggedEvent): Delegation {
  if (event.run !== state.setup.order.run) return state;
  switch (event.type) {
    case "handoff":
      if (event.parent !== state.setup.order.handoff || state.issued.has(event.handoff)) return state;
      return {
        ...state,
        issued: withEntry(state.issued, event.handoff, { at: event.at, deadline: event.deadline }),
      };
    case "end":
      return state.ends.has(event.handoff)
        ? state
        : { ...state, ends: withEntry(state.ends, event.handoff, event) };
    case "checkpoint":
      if (event.result === undefined || (state.checkpoints.get(event.handoff)?.seq ?? 0) >= seq) return state;
      return {
        ...state,
        checkpoints: withEntry(state.checkpoints, event.handoff, { seq, result: event.result }),
      };
    case "session":
      return state.sessions.has(event.session)
        ? state
        : { ...state, sessions: new Set([...state.sessions, event.session]) };
    default:
      return state;
  }
}

/** What is known after the gateway refused a command for good: the others go on without it. */
export function refused(
  state: Delegation,
  command: HandoffCommand | SpawnCommand,
  refusal: Refused,
): Delegation {
  const id = command.type === "handoff" ? command.handoff : command.session;
  return { ...state, refused: withEntry(state.refused, id, refusal) };
}

function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}
