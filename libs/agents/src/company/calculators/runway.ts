// Pure: months of cash, now and with new cost from a later month on.

/** Months until the cash is spent; Infinity where burn is nought or less. */
export function runwayMonths(cash: number, monthlyBurn: number): number {
  return monthlyBurn <= 0 ? Infinity : Math.max(0, cash) / monthlyBurn;
}

export interface AddedCost {
  readonly cash: number;
  readonly monthlyBurn: number;
  /** Money a month from `afterMonths` on. */
  readonly addedMonthly: number;
  /** Money once, at that time. */
  readonly oneOff: number;
  /** Months from now until the cost begins; 0 = now. */
  readonly afterMonths: number;
}

/**
 * Months until the cash is spent when new cost begins later:
 * `after + (cash − burn × after − one-off) / (burn + added)`, or `cash / burn` where the cash does not last until then.
 */
export function runwayWith({ cash, monthlyBurn, addedMonthly, oneOff, afterMonths }: AddedCost): number {
  const before = runwayMonths(cash, monthlyBurn);
  if (before <= afterMonths) return before;
  const left = cash - monthlyBurn * afterMonths - oneOff;
  if (left <= 0) return afterMonths;
  return afterMonths + runwayMonths(left, monthlyBurn + addedMonthly);
}

/** ARR whose gross profit pays for a cost: `12 × added monthly cost / gross margin`. Infinity at a margin of nought. */
export function arrToOffset(addedMonthly: number, grossMarginPct: number): number {
  if (addedMonthly <= 0) return 0;
  return grossMarginPct <= 0 ? Infinity : (12 * addedMonthly) / (grossMarginPct / 100);
}
