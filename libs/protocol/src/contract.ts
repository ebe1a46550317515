// Pure: the handoff contract (seed: firm-orchestration, "Handoff contract"), field for field.
import * as z from "zod";
import { Role } from "./roles.ts";

const line = (max: number) =>
  z.string().trim().min(1, "must not be empty").max(max, `must be at most ${max} characters`);

/** Who may hand work to the firm from outside. */
export const USER = "user";

/** `memory:<path>`: what a context reference may name. */
export const ContextRef = z.string().regex(/^memory:[a-z0-9][a-zA-Z0-9_/-]{0,199}$/, {
  error: (issue) =>
    `"${String(issue.input)}" is not a context reference: use memory:<path>, e.g. memory:delivery/latest`,
});

/** One delegation down one edge of the org chart. */
export const HandoffContract = z.strictObject({
  from: z.union([Role, z.literal(USER)]),
  to: Role,
  objective: line(32_768),
  constraints: z.array(line(2_000)).max(50).default([]),
  definition_of_done: line(4_000),
  context_ref: ContextRef,
  /** All calls answer to the originating session, so that none is orphaned (seed: firm-orchestration, "Security"). */
  reply_session: z
    .string()
    .regex(/^[A-Za-z0-9_:.+-]{1,128}$/)
    .default("main"),
});
export type HandoffContract = z.infer<typeof HandoffContract>;
