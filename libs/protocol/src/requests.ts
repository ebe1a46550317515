// Pure: what goes over `firm.from.…`, `firm.work.…` and `firm.control.…`, both ways.
import * as z from "zod";
import { ContextRef, HandoffContract } from "./contract.ts";
import { RunEvent } from "./events.ts";
import { Objective } from "./objective.ts";
import { Deliverable, Result } from "./result.ts";
import { Role } from "./roles.ts";

/** What a context reference named. */
export const ResolvedContext = z.object({ ref: ContextRef, text: z.string() });
export type ResolvedContext = z.infer<typeof ResolvedContext>;

/** A session's message, as `sessions_history` and a work message carry it. */
export const HistoryEntry = z.object({
  at: z.number(),
  from: z.string(),
  kind: z.string(),
  text: z.string(),
});
export type HistoryEntry = z.infer<typeof HistoryEntry>;

/** Body of a message on `firm.work.<role>`. */
export const WorkOrder = z.object({
  run: z.string(),
  handoff: z.string(),
  parent: z.string(),
  contract: HandoffContract,
  objective_key: z.string(),
  cycle: z.int().min(0),
  session: z.string(),
  /** What the run's user asked for: workspace, format, permissions. */
  objective: Objective,
  context: ResolvedContext,
  history: z.array(HistoryEntry),
  /** Board meeting phase, 0 outside one. */
  phase: z.int().min(0).max(6).optional(),
  /** Of a decided board meeting: what the founder said to its draft. */
  decision: z.object({ verb: z.string(), text: z.string(), draft: Deliverable }).optional(),
  /** Entitles to attempt 1. */
  token: z.string(),
  deadline: z.number(),
});
export type WorkOrder = z.infer<typeof WorkOrder>;

export const HandoffRequest = z.strictObject({
  contract: z.unknown(),
  objective_key: z.string().min(1).max(200),
  cycle: z.int().min(0).max(2).default(0),
  /** A joint session opened by `spawn`; default: the role's own session in this run. */
  session: z.string().max(200).optional(),
  /** Board meeting phase of the work, in board runs alone. */
  phase: z.union([z.literal(0), z.literal(2), z.literal(3)]).default(0),
});
export type HandoffRequest = z.input<typeof HandoffRequest>;
export const HandoffReply = z.object({
  handoff: z.string(),
  session: z.string(),
  spawned: z.boolean(),
  spawns_left: z.int(),
  deadline: z.number(),
  seq: z.int(),
});
export type HandoffReply = z.infer<typeof HandoffReply>;

/** Waits for events about the caller's own children. */
export const CollectRequest = z.strictObject({
  /** Only events after this sequence. */
  after: z.int().min(0).default(0),
  /** How long to wait for the first, ms; the gateway waits at most 5000. */
  wait_ms: z.int().min(0).max(60_000).default(0),
  /** Leave out that handoffs were issued: a worker that issued them itself knows. */
  skip_issued: z.boolean().default(false),
});
export type CollectRequest = z.input<typeof CollectRequest>;
export const CollectReply = z.object({
  events: z.array(z.object({ seq: z.int(), event: RunEvent })),
  /** Ask again with this. */
  seq: z.int(),
});
export type CollectReply = z.infer<typeof CollectReply>;

/** A worker's result; the CEO's own, for the root handoff, is the deliverable. */
export const ResultRequest = z.union([z.strictObject({ deliverable: Deliverable }), Result]);
export const ResultReply = z.object({ seq: z.int() });
export type ResultReply = z.infer<typeof ResultReply>;

export const CheckpointRequest = z.strictObject({
  note: z.string().max(500).default(""),
  started: z.string().max(200).optional(),
  result: Result.optional(),
});
export type CheckpointRequest = z.input<typeof CheckpointRequest>;

/** A redelivered handoff is claimed under a new attempt before anything else. */
export const ClaimRequest = z.strictObject({ attempt: z.int().min(2), worker: z.string().max(200) });
export const ClaimReply = z.object({
  /** Absent where the handoff has ended and the work is only to be acknowledged. */
  token: z.string().optional(),
  ended: z.boolean(),
  attempt: z.int(),
  /** The latest checkpoint of earlier attempts. */
  checkpoint: Result.optional(),
});
export type ClaimReply = z.infer<typeof ClaimReply>;

/** A question to a C-suite role. */
export const InvokeRequest = z.strictObject({
  role: z.string().min(1).max(64),
  question: z.string().min(1).max(32_768),
});
export type InvokeRequest = z.infer<typeof InvokeRequest>;
export const InvokeReply = z.object({ invocation: z.string(), role: z.string(), text: z.string() });
export type InvokeReply = z.infer<typeof InvokeReply>;

/** What an asker goes on with instead of an answer; stands in the run's report. */
export const AssumeRequest = z.strictObject({
  invocation: z.string().max(64).optional(),
  role: z.string().max(64),
  assumption: z.string().min(1).max(4_000),
});
export type AssumeRequest = z.infer<typeof AssumeRequest>;

/** Body of `firm.to.<role>.ask`. */
export const AskOrder = z.object({
  run: z.string(),
  invocation: z.string(),
  role: Role,
  question: z.string(),
  /** Roles it came through, this one last. */
  chain: z.array(z.string()),
  path: z.array(z.string()),
  phase: z.int(),
  session: z.string(),
  token: z.string(),
  deadline: z.number(),
  /** An answer of this role that was not well-formed, and what is wrong with it: to be said again, once. */
  complaint: z.object({ text: z.string(), problems: z.array(z.string()) }).optional(),
});
export type AskOrder = z.infer<typeof AskOrder>;

/** Answer to a user's question. */
export const AskReply = z.object({ run: z.string(), role: z.string(), text: z.string() });
export type AskReply = z.infer<typeof AskReply>;

/** Opens a session between roles (seed: firm-orchestration, Phase 2). */
export const SpawnRequest = z.strictObject({
  participants: z.array(Role).min(1).max(10),
  objective: z.string().min(1).max(32_768),
  label: z.string().max(200).optional(),
});
export type SpawnRequest = z.input<typeof SpawnRequest>;
export const SpawnReply = z.object({
  session: z.string(),
  spawned: z.boolean(),
  spawns_left: z.int(),
  seq: z.int(),
});
export type SpawnReply = z.infer<typeof SpawnReply>;

export const SessionsListRequest = z.strictObject({
  kinds: z.array(z.string()).optional(),
  limit: z.int().min(1).max(1_000).default(50),
  active_minutes: z.number().positive().optional(),
  message_limit: z.int().min(0).max(100).default(0),
});
export const SessionEntry = z.object({
  session: z.string(),
  run: z.string(),
  kind: z.enum(["main", "role", "joint"]),
  participants: z.array(z.string()),
  status: z.string(),
  created_at: z.number(),
  updated_at: z.number(),
  messages: z.array(HistoryEntry).default([]),
});
export type SessionEntry = z.infer<typeof SessionEntry>;
export const SessionsListReply = z.object({ sessions: z.array(SessionEntry) });
export type SessionsListReply = z.infer<typeof SessionsListReply>;
export const SessionsHistoryRequest = z.strictObject({
  session: z.string(),
  limit: z.int().min(1).max(1_000).default(100),
  include_tools: z.boolean().default(false),
});
export const SessionsHistoryReply = z.object({ session: z.string(), messages: z.array(HistoryEntry) });
export type SessionsHistoryReply = z.infer<typeof SessionsHistoryReply>;
export const SessionsSendRequest = z.strictObject({
  session: z.string(),
  message: z.string().min(1).max(32_768),
  /** 0: do not wait. */
  timeout_seconds: z.number().min(0).max(3_600).default(0),
});
export const SessionsSendReply = z.object({
  status: z.enum(["ok", "accepted", "timeout", "error"]),
  handoff: z.string().optional(),
  reply: z.string().optional(),
  error: z.string().optional(),
});
export type SessionsSendReply = z.infer<typeof SessionsSendReply>;
export const SessionsSpawnRequest = z.strictObject({
  task: z.string().min(1).max(32_768),
  label: z.string().max(200).optional(),
  role: Role,
  model: z.string().max(200).optional(),
  run_timeout_seconds: z.number().positive().optional(),
  cleanup: z.enum(["keep", "delete"]).default("keep"),
});
export const SessionsSpawnReply = z.object({
  status: z.enum(["accepted", "refused"]),
  run: z.string(),
  session: z.string().optional(),
  handoff: z.string().optional(),
  reason: z.string().optional(),
});
export type SessionsSpawnReply = z.infer<typeof SessionsSpawnReply>;

/** Answer to a request on `firm.objective`; also what a JetStream publisher reads as its acknowledgement. */
export const ObjectiveReply = z.object({
  run: z.string(),
  status: z.literal("accepted"),
  deadline: z.number(),
  stream: z.string(),
  seq: z.int(),
  duplicate: z.boolean().optional(),
});
export type ObjectiveReply = z.infer<typeof ObjectiveReply>;

export const ControlRequest = z.strictObject({
  reason: z.string().max(2_000).optional(),
  text: z.string().max(32_768).optional(),
});
export const ControlReply = z.object({ run: z.string(), verb: z.string(), status: z.string() });
export type ControlReply = z.infer<typeof ControlReply>;

/** The record of a run in KV `firm-runs`, changed by compare-and-set. */
export const RunRecord = z.object({
  run: z.string(),
  status: z.enum([
    "running",
    "awaiting-decision",
    "pending-review",
    "delivered",
    "timeout",
    "cancelled",
    "failed",
  ]),
  kind: z.enum(["run", "board", "ask"]).optional(),
  objective: z.string(),
  accepted_at: z.number(),
  deadline: z.number(),
  /** Session keys in the order they were spawned; its length is the count of rule 6. */
  spawned: z.array(z.string()).max(20),
  ended_at: z.number().optional(),
  open_items: z.int().optional(),
});
export type RunRecord = z.infer<typeof RunRecord>;

/** An error on the wire, beside the headers. */
export const WireError = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    hint: z.string().optional(),
  }),
});
export type WireError = z.infer<typeof WireError>;
