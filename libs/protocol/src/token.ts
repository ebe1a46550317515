// Pure: what a signed token says; the gateway alone signs and checks (DESIGN, rule 2).
import * as z from "zod";

/** What a piece of work entitles its worker to. */
export const TokenClaims = z.object({
  run: z.string(),
  /** The handoff the worker works on. */
  handoff: z.string(),
  /** Fencing number of that handoff. */
  attempt: z.int().positive(),
  /** Roles the handoff came through, the CEO first, the bearer last; empty for an invocation from outside a run. */
  path: z.array(z.string()),
  /** Roles the invocation came through, the bearer last. */
  chain: z.array(z.string()).min(1),
  /** Board meeting phase, 0 outside one. */
  phase: z.int().min(0).max(6),
  session: z.string(),
  /** Epoch ms. */
  deadline: z.number(),
});
export type TokenClaims = z.infer<typeof TokenClaims>;
