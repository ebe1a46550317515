// Pure: what a role brings back, and what a run delivers.
import * as z from "zod";
import { DeliveryFormat } from "./objective.ts";
import { Role } from "./roles.ts";

export const SEVERITIES = ["critical", "high", "medium", "low", "info"] as const;

/** One thing found, with the place where it is. */
export const Finding = z.object({
  /** Findings with the same key are the same finding. */
  objective_key: z.string().min(1).max(200),
  title: z.string().min(1).max(500),
  severity: z.enum(SEVERITIES).default("info"),
  detail: z.string().max(8_000).default(""),
  /** Path relative to the workspace. */
  file: z.string().max(1_000).optional(),
  /** 1-based. */
  line: z.int().positive().optional(),
  recommendation: z.string().max(4_000).optional(),
  /** CVSS 3.1 base score, 0 to 10. */
  cvss: z.number().min(0).max(10).optional(),
});
export type Finding = z.infer<typeof Finding>;

/** Tokens and money an agent used. */
export const Usage = z.object({
  input_tokens: z.int().nonnegative().default(0),
  cached_tokens: z.int().nonnegative().default(0),
  output_tokens: z.int().nonnegative().default(0),
  usd: z.number().nonnegative().default(0),
});
export type Usage = z.infer<typeof Usage>;

/** A commit made for one sub-task (seed: firm-orchestration, Phase 6). */
export const Commit = z.object({ sha: z.string(), branch: z.string(), subject: z.string() });
export type Commit = z.infer<typeof Commit>;

/** A pull request, which must be a draft labelled needs-review (seed: firm-orchestration, Phase 6). */
export const PullRequest = z.object({
  title: z.string().min(1),
  body: z.string(),
  branch: z.string().min(1),
  base: z.string().min(1),
  draft: z.boolean(),
  labels: z.array(z.string()),
  /** Set once it is on a forge. */
  url: z.string().optional(),
  /** Absolute paths of the patch and body where no forge could be reached. */
  files: z.array(z.string()).default([]),
});
export type PullRequest = z.infer<typeof PullRequest>;

/** What a worker reports for its handoff. */
export const RESULT_STATUSES = ["ok", "partial", "blocked", "failed"] as const;
export const Result = z.object({
  status: z.enum(RESULT_STATUSES),
  objective_key: z.string().min(1).max(200),
  summary: z.string().max(4_000),
  /** The part itself, Markdown. */
  output: z.string().default(""),
  findings: z.array(Finding).max(2_000).default([]),
  decisions: z.array(z.string().max(2_000)).max(200).default([]),
  assumptions: z.array(z.string().max(2_000)).max(200).default([]),
  suggestions: z.array(z.string().max(2_000)).max(200).default([]),
  open_items: z.array(z.string().max(2_000)).max(500).default([]),
  /** Whether the definition of done is met, judged by the parent (seed: firm-orchestration, Phase 4). */
  quality: z.enum(["full", "partial"]).default("full"),
  /** Which parts of the definition of done are not met. */
  unmet: z.array(z.string()).default([]),
  blocked_by: Role.optional(),
  blocker: z.string().max(4_000).optional(),
  commits: z.array(Commit).default([]),
  pull_request: PullRequest.optional(),
  /** Which agent played the role. */
  agent: z.object({ name: z.string(), model: z.string().optional() }).optional(),
  usage: Usage.optional(),
});
export type Result = z.infer<typeof Result>;
/** What a worker may leave out of a result. */
export type ResultInput = z.input<typeof Result>;

/** How a handoff ended. `timeout` and `cancelled` are written by the gateway alone. */
export const END_STATUSES = [...RESULT_STATUSES, "timeout", "cancelled"] as const;
export const EndStatus = z.enum(END_STATUSES);
export type EndStatus = z.infer<typeof EndStatus>;

/** How a department fared in a run. */
export const DepartmentOutcome = z.object({
  role: Role,
  status: EndStatus,
  quality: z.enum(["full", "partial"]),
  summary: z.string(),
  unmet: z.array(z.string()).default([]),
  duration_ms: z.number().nonnegative().optional(),
  agent: z.string().optional(),
});
export type DepartmentOutcome = z.infer<typeof DepartmentOutcome>;

/** The seed's mandatory last line, to the letter. */
export const DISCLAIMER =
  "⚠️ Contenu généré par IA — validation humaine requise avant utilisation en production.";

/** What the user gets. */
export const Deliverable = z.object({
  run: z.string(),
  objective: z.string(),
  format: DeliveryFormat,
  /** Exit state: every department in full, or something named in `open_items`. */
  status: z.enum(["complete", "open_items"]),
  /** The document in its format: Markdown, JSON text or the pull request's body. */
  body: z.string(),
  summary: z.string(),
  departments: z.array(DepartmentOutcome),
  open_items: z.array(z.string()),
  decisions: z.array(z.string()),
  assumptions: z.array(z.string()),
  suggestions: z.array(z.string()),
  findings: z.array(Finding),
  pull_request: PullRequest.optional(),
  usage: Usage,
  disclaimer: z.literal(DISCLAIMER),
});
export type Deliverable = z.infer<typeof Deliverable>;
