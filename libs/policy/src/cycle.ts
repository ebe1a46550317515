// Pure: no role is asked by those it is answering, through invocations or handoffs alike (seed: agent-protocol, Rule 3; DESIGN, rule 1).
import { compactChain, type Chain } from "@firm/protocol";
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

/**
 * @param path roles the handoff came through, the CEO first; empty outside a run
 * @param chain roles the invocation came through, the asker last
 */
export function checkCycle(path: Chain, chain: Chain, role: string): Verdict {
  const where = chain.includes(role) ? chain : path.includes(role) ? joined(path, chain) : undefined;
  return where === undefined
    ? ALLOWED
    : refuse("circular-call", `circular call detected in chain ${compactChain(where)}`);
}

/** The path, then the chain; the role where they meet stands once. */
function joined(path: Chain, chain: Chain): Chain {
  return path.at(-1) === chain[0] ? [...path, ...chain.slice(1)] : [...path, ...chain];
}
