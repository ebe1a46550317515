// Pure: the lines that the firm and a program that plays a role exchange: JSON, one a line (docs/agents.md).
import * as z from "zod";
import { HandoffContract } from "./contract.ts";
import { Result, Usage } from "./result.ts";
import { Role } from "./roles.ts";

const History = z.object({ at: z.number(), from: z.string(), kind: z.string(), text: z.string() });

/** The first line to the program: all that an agent is told. */
export const ExecWork = z.object({
  type: z.literal("work"),
  run: z.string(),
  handoff: z.string(),
  role: Role,
  /** 1 at first; higher where an earlier process was lost. */
  attempt: z.int(),
  contract: HandoffContract,
  objective_key: z.string(),
  delivery_format: z.string(),
  /** What `context_ref` names. */
  context: z.string(),
  history: z.array(History),
  /** Reports from below, to be condensed; empty for employees. */
  children: z.array(
    z.object({ role: Role, status: z.string(), result: Result.optional(), reason: z.string().optional() }),
  ),
  /** Absolute path; absent where the run has none. It is the program's working directory as well. */
  workspace: z.string().optional(),
  /** The workspace's own checks may be run. */
  allow_run: z.boolean(),
  expertise: z.string(),
  /** Epoch ms; the program is ended before it. */
  deadline: z.number(),
  /** Partial output of an earlier attempt. */
  checkpoint: Result.optional(),
  /** Set where it answers a question: the result's `output` is the reply, word for word. */
  ask: z
    .object({
      question: z.string(),
      chain: z.array(z.string()),
      complaint: z.object({ text: z.string(), problems: z.array(z.string()) }).optional(),
    })
    .optional(),
  /** How to work with others. */
  instructions: z.string().optional(),
});
export type ExecWork = z.infer<typeof ExecWork>;

/** A later line to the program: what came back for its `invocation`. */
export const ExecAnswer = z.object({ type: z.literal("answer"), role: z.string(), text: z.string() });
export type ExecAnswer = z.infer<typeof ExecAnswer>;

const Partial = Result.partial().omit({ objective_key: true, agent: true });
/** What a program says of its result; what it leaves out is filled in. */
const ProgramResult = Result.partial()
  .omit({ objective_key: true, agent: true, status: true })
  .extend({
    status: z.enum(["ok", "partial", "failed"]).default("ok"),
  });

/** A line from the program; `result` or `blocked` is the last. */
export const ExecEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("checkpoint"), note: z.string().max(500), partial: Partial.optional() }),
  z.object({ type: z.literal("usage"), usage: Usage }),
  /** Asks a C-suite role; the program reads the answer from its next line of input. */
  z.object({ type: z.literal("invocation"), role: z.string(), question: z.string().min(1).max(32_768) }),
  z.object({
    type: z.literal("blocked"),
    by: Role.optional(),
    reason: z.string().min(1),
    partial: Partial.optional(),
  }),
  z.object({ type: z.literal("result"), result: ProgramResult }),
]);
export type ExecEvent = z.infer<typeof ExecEvent>;
