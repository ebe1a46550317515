// Pure: the chain of an invocation, as people read it (seed: agent-protocol, "Rule 4: Chain Tracking").

/** Roles an invocation came through, first asker first. */
export type Chain = readonly string[];

/** `[CHAIN: cro → cfo → coo]`. */
export function printChain(chain: Chain): string {
  return `[CHAIN: ${chain.join(" → ")}]`;
}

/** `cro→cfo`, as in a refusal. */
export function compactChain(chain: Chain): string {
  return chain.join("→");
}
