// Pure: budgets over the whole tree of a run; a spent one refuses the next (DESIGN, rule 7).
import type { Budget } from "@firm/protocol";
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

/** What a run has used so far, over all its roles. */
export interface Spent {
  readonly usd: number;
  readonly tokens: number;
  readonly invocations: number;
  readonly spawns: number;
  /** Epoch ms. */
  readonly startedAt: number;
}

/** What is asked for now. */
export type Spending = "handoff" | "invocation" | "spawn";

/** Share of a budget from which on it is worth a warning. */
export const WARNING_SHARE = 0.8;

interface Use {
  readonly name: keyof Budget;
  readonly spent: number;
  readonly limit: number;
}

function usesOf(budget: Budget, spent: Spent, now: number): Use[] {
  const used = {
    usd: spent.usd,
    tokens: spent.tokens,
    invocations: spent.invocations,
    spawns: spent.spawns,
    seconds: (now - spent.startedAt) / 1000,
  };
  const names = ["usd", "tokens", "seconds", "invocations", "spawns"] as const;
  return names.flatMap((name) => {
    const limit = budget[name];
    return limit === undefined ? [] : [{ name, spent: used[name], limit }];
  });
}

/**
 * Money, tokens and time bound everything; the counts bound only what they count, so that `invocations: 0` still lets work be handed down.
 * @param now epoch ms
 */
export function checkBudget(
  budget: Budget,
  spent: Spent,
  now: number,
  spending: Spending = "handoff",
): Verdict {
  for (const use of usesOf(budget, spent, now)) {
    const counts =
      (use.name !== "invocations" || spending === "invocation") &&
      (use.name !== "spawns" || spending === "spawn");
    if (counts && use.spent >= use.limit) {
      return refuse(
        "budget-spent",
        `the run's budget of ${use.limit} ${use.name} is spent (${Number(use.spent.toFixed(4))})`,
      );
    }
  }
  return ALLOWED;
}

/** True where any budget is used to 80 % or more. */
export function isWarning(budget: Budget, spent: Spent, now: number): boolean {
  return usesOf(budget, spent, now).some((use) => use.limit > 0 && use.spent >= WARNING_SHARE * use.limit);
}
