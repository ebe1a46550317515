// Pure: no role invokes itself (seed: agent-protocol, Rule 1).
import { compactChain, type Chain } from "@firm/protocol";
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

/** @param chain the asker stands last */
export function checkSelf(chain: Chain, role: string): Verdict {
  if (chain.at(-1) !== role) return ALLOWED;
  // The seed's own example of a refusal is of a role that asks itself further down a chain, and calls it circular.
  const reason =
    chain.length === 1 ? "self-invocation" : `circular call detected in chain ${compactChain(chain)}`;
  return refuse("self-invocation", reason);
}
