// Pure: may this role be asked, here and now; and what the asker is told if not (seed: agent-protocol, "Loop Prevention", "Isolation Rules").
import { INVOCABLE_ROLES, type Chain } from "@firm/protocol";
import { checkCycle } from "./cycle.ts";
import { checkDepth } from "./depth.ts";
import { checkIsolation } from "./isolation.ts";
import { checkSelf } from "./self.ts";
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

/** What the asker's token says, and whom it asks. */
export interface Invocation {
  /** Roles the asker's handoff came through, the CEO first; empty outside a run. */
  readonly path: Chain;
  /** Roles the invocation came through, the asker last; users do not stand in it. */
  readonly chain: Chain;
  /** The role asked. */
  readonly role: string;
  /** Board meeting phase, 0 outside one. */
  readonly phase: number;
}

/** The first rule that refuses decides: isolation, who may be invoked at all, self, cycle, depth. */
export function checkInvocation({ path, chain, role, phase }: Invocation): Verdict {
  const rules = [
    () => checkIsolation(phase),
    () => checkInvocable(role),
    () => checkSelf(chain, role),
    () => checkCycle(path, chain, role),
    () => checkDepth(chain),
  ];
  for (const rule of rules) {
    const verdict = rule();
    if (!verdict.ok) return verdict;
  }
  return ALLOWED;
}

function checkInvocable(role: string): Verdict {
  if ((INVOCABLE_ROLES as readonly string[]).includes(role)) return ALLOWED;
  return refuse("unknown-role", `not a role that can be invoked; valid roles: ${INVOCABLE_ROLES.join(", ")}`);
}

/** `[BLOCKED: cannot invoke cfo — circular call detected in chain cro→cfo]`; always one line with one closing bracket. */
export function blockedText({ role, reason }: { readonly role: string; readonly reason: string }): string {
  return `[BLOCKED: cannot invoke ${inLine(role)} — ${inLine(reason)}]`;
}

/** A role's name may be anything an agent wrote: it must not end the envelope or start another. */
function inLine(text: string): string {
  return text.replace(/[[\]\s]+/g, " ").trim();
}
