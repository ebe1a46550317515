// Pure: an invocation goes at most two hops: A→B→C, never C→D (seed: agent-protocol, Rule 2).
import { compactChain, type Chain } from "@firm/protocol";
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

/** Hops an invocation may go. */
export const MAX_DEPTH = 2;

/** @param chain roles the invocation came through, the asker last */
export function checkDepth(chain: Chain): Verdict {
  const hops = chain.length - 1;
  if (hops < MAX_DEPTH) return ALLOWED;
  return refuse("depth-exceeded", `maximum depth ${MAX_DEPTH} reached in chain ${compactChain(chain)}`);
}
