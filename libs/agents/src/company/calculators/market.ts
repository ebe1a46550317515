// Pure: what entering a market costs, and when it has paid for itself.

export interface MarketPlan {
  readonly entryCost: number;
  readonly monthlyCost: number;
  readonly launchMonths: number;
  /** ARR a year after the launch. */
  readonly expectedArr: number;
  readonly grossMarginPct: number;
}

/** Money spent before the first sale: `entry cost + monthly cost × months to launch`. */
export function costToLaunch(plan: MarketPlan): number {
  return plan.entryCost + plan.monthlyCost * plan.launchMonths;
}

/** Money a month once the expected ARR is there: `ARR / 12 × gross margin − monthly cost`. */
export function monthlyContribution(plan: MarketPlan): number {
  return ((plan.expectedArr / 12) * plan.grossMarginPct) / 100 - plan.monthlyCost;
}

/**
 * Months from the start until the money is back. ARR rises evenly from nought to what is expected over the twelve months after the launch
 * and stays there; Infinity where the contribution then is not positive.
 */
export function marketPaybackMonths(plan: MarketPlan): number {
  const contribution = monthlyContribution(plan);
  if (contribution <= 0) return Infinity;
  // In the first year after launch half of the full gross profit comes in.
  const full = contribution + plan.monthlyCost;
  const owed = costToLaunch(plan) + 12 * plan.monthlyCost - 6 * full;
  if (owed > 0) return plan.launchMonths + 12 + owed / contribution;
  // Within the year: cost + monthly × t = full × t² / 24; the larger root.
  const root = plan.monthlyCost ** 2 + (full * costToLaunch(plan)) / 6;
  return plan.launchMonths + (12 * (plan.monthlyCost + Math.sqrt(root))) / full;
}
