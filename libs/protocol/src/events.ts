// Pure: the events of a run's log, the source of truth (DESIGN, `firm.run.<run>.…`).
import * as z from "zod";
import { HandoffContract } from "./contract.ts";
import { ERROR_CODES } from "./errors.ts";
import { Objective } from "./objective.ts";
import { Deliverable, EndStatus, Result } from "./result.ts";
import { Role } from "./roles.ts";

const base = {
  run: z.string(),
  /** When the gateway wrote it, epoch ms. */
  at: z.number(),
};

/** The run exists: its objective is valid and stored. */
export const RunAccepted = z.object({
  ...base,
  type: z.literal("accepted"),
  /** Absent: `run`. `ask`: a user's question to a C-suite role; its answer is in `finished`. */
  kind: z.enum(["run", "board", "ask"]).optional(),
  objective: Objective,
  /** Sequence of the objective in FIRM_OBJECTIVES. */
  objective_seq: z.int(),
  /** Digest of the objective's message, by which a waiting request finds its run. */
  objective_digest: z.string(),
  /** The span that the user's request belongs to, where it named one. */
  traceparent: z.string().optional(),
  /** Absolute, epoch ms. */
  deadline: z.number(),
  /** Roles the run is expected to need, top down, so that missing ones can be started at once. */
  roles: z.array(Role),
});

/** Work was handed down one edge. */
export const HandoffIssued = z.object({
  ...base,
  type: z.literal("handoff"),
  handoff: z.string(),
  parent: z.string(),
  contract: HandoffContract,
  objective_key: z.string(),
  /** 0 for the first delegation, 1 and 2 for re-delegations after a blocker. */
  cycle: z.int().min(0),
  session: z.string(),
  /** True where the session was not there before and counted as a spawn. */
  spawned: z.boolean(),
  deadline: z.number(),
  /** Board meeting phase, 0 outside one. */
  phase: z.int().min(0).max(6).optional(),
  /** `delete`: the session leaves the list once this ends (`sessions_spawn`). */
  cleanup: z.enum(["keep", "delete"]).optional(),
});

/** An attempt at a handoff began. */
export const HandoffStarted = z.object({
  ...base,
  type: z.literal("started"),
  handoff: z.string(),
  role: Role,
  attempt: z.int().positive(),
  /** Who works: host and process. */
  worker: z.string(),
});

/** Partial output, kept for the deadline. */
export const HandoffCheckpoint = z.object({
  ...base,
  type: z.literal("checkpoint"),
  handoff: z.string(),
  role: Role,
  attempt: z.int().positive(),
  /** One line for those who watch. */
  note: z.string().max(500).default(""),
  result: Result.optional(),
});

/** A handoff's one end. */
export const HandoffEnded = z.object({
  ...base,
  type: z.literal("end"),
  handoff: z.string(),
  parent: z.string(),
  role: Role,
  attempt: z.int().nonnegative(),
  status: EndStatus,
  /** Absent where nothing was checkpointed before a timeout or cancel. */
  result: Result.optional(),
  reason: z.string().optional(),
});

/** A result that came after the end: recorded, never merged. */
export const HandoffLate = z.object({
  ...base,
  type: z.literal("late"),
  handoff: z.string(),
  role: Role,
  attempt: z.int().nonnegative(),
  code: z.enum(Object.keys(ERROR_CODES)),
  result: Result,
});

/** A session other than a handoff's own was opened, e.g. a joint one. */
export const SessionOpened = z.object({
  ...base,
  type: z.literal("session"),
  session: z.string(),
  participants: z.array(Role).min(1),
  objective: z.string(),
  label: z.string().optional(),
  /** The handoff whose worker opened it. */
  by: z.string(),
});

/** A message into a session by `sessions_send`, or its reply. */
export const SessionMessage = z.object({
  ...base,
  type: z.literal("message"),
  session: z.string(),
  from: z.string(),
  text: z.string(),
});

/** The gateway said no. */
export const RequestRefused = z.object({
  ...base,
  type: z.literal("refused"),
  from: z.string(),
  verb: z.string(),
  code: z.enum(Object.keys(ERROR_CODES)),
  reason: z.string(),
  handoff: z.string().optional(),
});

/** A user steered the run. */
export const RunControlled = z.object({
  ...base,
  type: z.literal("control"),
  verb: z.string(),
  reason: z.string().optional(),
  /** A decision on a board's draft carries the deadline of what follows it. */
  deadline: z.number().optional(),
});

/** How an invocation ended; each ends in exactly one way. */
export const INVOCATION_OUTCOMES = ["answered", "blocked", "timeout", "cancelled", "failed"] as const;

const invocationBase = { id: z.string(), at: z.number(), role: z.string() };
/** One invocation asked or ended. */
export const InvocationItem = z.discriminatedUnion("state", [
  z.object({
    ...invocationBase,
    state: z.literal("asked"),
    /** Who asks, the asked role last. */
    chain: z.array(z.string()),
    question: z.string(),
    handoff: z.string(),
    phase: z.int(),
  }),
  z.object({
    ...invocationBase,
    state: z.literal("ended"),
    outcome: z.enum(INVOCATION_OUTCOMES),
    /** The answer; of one that is not well-formed, the raw text. */
    text: z.string().optional(),
    reason: z.string().optional(),
  }),
  z.object({
    ...invocationBase,
    state: z.literal("assumed"),
    /** What the asker goes on with instead of an answer, in its own words. */
    assumption: z.string(),
  }),
]);
export type InvocationItem = z.infer<typeof InvocationItem>;

/** What happened to invocations in one moment: many are stored as one event. */
export const RunInvocations = z.object({
  ...base,
  type: z.literal("invocations"),
  items: z.array(InvocationItem).min(1),
});

/** A board meeting reached a phase; 5 carries the draft that the founder decides on (DESIGN, rule 4). */
export const BoardPhase = z.object({
  ...base,
  type: z.literal("board"),
  phase: z.int().min(1).max(6),
  state: z.enum(["open", "awaiting-decision", "pending-review"]),
  draft: Deliverable.optional(),
  /** Epoch ms until which the founder may decide before the meeting closes as pending review. */
  decide_by: z.number().optional(),
});

/** The run's one end. */
export const RUN_END_STATUSES = ["delivered", "timeout", "cancelled", "failed"] as const;
export const RunFinished = z.object({
  ...base,
  type: z.literal("finished"),
  status: z.enum(RUN_END_STATUSES),
  deliverable: Deliverable.optional(),
  /** Of an `ask`: the answer's text. */
  answer: z.string().optional(),
  reason: z.string().optional(),
});

/** Any event of a run's log. */
export const RunEvent = z.discriminatedUnion("type", [
  RunAccepted,
  HandoffIssued,
  HandoffStarted,
  HandoffCheckpoint,
  HandoffEnded,
  HandoffLate,
  SessionOpened,
  SessionMessage,
  RequestRefused,
  RunControlled,
  RunInvocations,
  BoardPhase,
  RunFinished,
]);
export type RunEvent = z.infer<typeof RunEvent>;
export type RunAccepted = z.infer<typeof RunAccepted>;
export type HandoffIssued = z.infer<typeof HandoffIssued>;
export type HandoffEnded = z.infer<typeof HandoffEnded>;
export type RunFinished = z.infer<typeof RunFinished>;

/** An event with its place in the log. */
export interface LoggedEvent {
  /** Stream sequence, rising. */
  readonly seq: number;
  readonly event: RunEvent;
}
