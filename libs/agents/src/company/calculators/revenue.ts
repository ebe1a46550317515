// Pure: pipeline, churn and price.
import type { Company } from "../schema.ts";

/** Weighted pipeline from the stage table: the sum of `value × probability`. */
export function weightedByStages(stages: NonNullable<NonNullable<Company["pipeline"]>["stages"]>): number {
  return stages.reduce((sum, stage) => sum + (stage.value * stage.probability_pct) / 100, 0);
}

/** Percent of a target that the weighted pipeline covers: `weighted / target`. Infinity for no target. */
export function coveragePct(weighted: number, target: number): number {
  return target <= 0 ? Infinity : (100 * weighted) / target;
}

/** ARR lost in a year: `ARR × churn`. */
export function churnLoss(arr: number, churnPct: number): number {
  return (arr * churnPct) / 100;
}

/** Years an account stays: `1 / churn`. Infinity without churn. */
export function lifetimeYears(churnPct: number): number {
  return churnPct <= 0 ? Infinity : 100 / churnPct;
}

/** ARR after a price change of p percent: `ARR × (1 + p) × (1 − elasticity × p)`; nobody comes back for a lower price, nor leaves. */
export function arrAfterPriceChange(arr: number, changePct: number, elasticity: number): number {
  const lost = Math.min(100, Math.max(0, elasticity * changePct));
  return arr * (1 + changePct / 100) * (1 - lost / 100);
}

/** Percent of customers that a price increase may lose before ARR falls: `p / (1 + p)`. */
export function breakEvenLossPct(changePct: number): number {
  return (100 * changePct) / (100 + changePct);
}
