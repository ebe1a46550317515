// The formulas against simulations and sums worked out by hand.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cacPaybackMonths, costPerLead, lifetimeValue } from "./acquisition.ts";
import { calendarWeeks, capacityWeeks, realisticWeeks } from "./delivery.ts";
import { marketPaybackMonths, type MarketPlan } from "./market.ts";
import {
  arrAfterPriceChange,
  breakEvenLossPct,
  churnLoss,
  coveragePct,
  lifetimeYears,
  weightedByStages,
} from "./revenue.ts";
import { downtimeHours90d, incidentCost90d } from "./risk.ts";
import { arrToOffset, runwayMonths, runwayWith } from "./runway.ts";

const amount = fc.integer({ min: 1, max: 50_000_000 });
const cost = fc.integer({ min: 0, max: 2_000_000 });

/** Spends the cash in steps of a thousandth of a month. */
function simulated({
  cash,
  burn,
  added,
  oneOff,
  after,
}: Record<"cash" | "burn" | "added" | "oneOff" | "after", number>): number {
  let left = cash;
  let paid = false;
  for (let step = 0; step < 200_000; step += 1) {
    const started = step / 1000 >= after;
    if (started && !paid) {
      left -= oneOff;
      paid = true;
    }
    left -= (burn + (started ? added : 0)) / 1000;
    if (left < 0) return step / 1000;
  }
  return Infinity;
}

describe("runway", () => {
  it("is cash by burn", () => {
    expect(runwayMonths(3_920_000, 280_000)).toBe(14);
    expect(runwayMonths(100, 0)).toBe(Infinity);
    expect(runwayMonths(0, 5)).toBe(0);
  });

  it.each([
    [{ cash: 3_920_000, burn: 280_000, added: 100_000, oneOff: 150_000, after: 7 }],
    [{ cash: 3_920_000, burn: 280_000, added: 100_000, oneOff: 0, after: 0 }],
    [{ cash: 1_000_000, burn: 250_000, added: 900_000, oneOff: 0, after: 6 }],
    [{ cash: 1_000_000, burn: 100_000, added: 50_000, oneOff: 2_000_000, after: 3 }],
    [{ cash: 500_000, burn: -10_000, added: 60_000, oneOff: 20_000, after: 2 }],
  ])("with new cost is what spending month by month gives: %o", (plan) => {
    const closed = runwayWith({
      cash: plan.cash,
      monthlyBurn: plan.burn,
      addedMonthly: plan.added,
      oneOff: plan.oneOff,
      afterMonths: plan.after,
    });
    expect(closed).toBeCloseTo(simulated(plan), 1);
  });

  it("is never longer with more cost", () => {
    fc.assert(
      fc.property(
        amount,
        fc.integer({ min: -500_000, max: 2_000_000 }),
        cost,
        cost,
        cost,
        fc.integer({ min: 0, max: 24 }),
        (cash, monthlyBurn, addedMonthly, oneOff, more, afterMonths) => {
          const plan = { cash, monthlyBurn, addedMonthly, oneOff, afterMonths };
          const base = runwayWith(plan);
          expect(base).toBeLessThanOrEqual(runwayMonths(cash, monthlyBurn) + 1e-9);
          expect(runwayWith({ ...plan, addedMonthly: addedMonthly + more })).toBeLessThanOrEqual(base + 1e-9);
          expect(runwayWith({ ...plan, oneOff: oneOff + more })).toBeLessThanOrEqual(base + 1e-9);
        },
      ),
    );
  });

  it("ARR that pays for a cost", () => {
    expect(arrToOffset(100_000, 80)).toBe(1_500_000);
    expect(arrToOffset(0, 80)).toBe(0);
    expect(arrToOffset(1, 0)).toBe(Infinity);
  });
});

describe("revenue", () => {
  it("by hand", () => {
    const stages = [
      { name: "a", value: 1_200_000, probability_pct: 10 },
      { name: "b", value: 900_000, probability_pct: 40 },
      { name: "c", value: 600_000, probability_pct: 70 },
    ];
    expect(weightedByStages(stages)).toBe(120_000 + 360_000 + 420_000);
    expect(coveragePct(900_000, 1_500_000)).toBe(60);
    expect(coveragePct(1, 0)).toBe(Infinity);
    expect(churnLoss(4_200_000, 9)).toBe(378_000);
    expect(lifetimeYears(9)).toBeCloseTo(11.11, 2);
    expect(arrAfterPriceChange(4_200_000, 10, 0.6)).toBeCloseTo(4_200_000 * 1.1 * 0.94, 3);
    expect(arrAfterPriceChange(1_000, -20, 0.6)).toBeCloseTo(800, 6);
  });

  it("losing exactly the break-even share leaves ARR as it was", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (change) => {
        expect((1 + change / 100) * (1 - breakEvenLossPct(change) / 100)).toBeCloseTo(1, 9);
      }),
    );
  });
});

describe("delivery, acquisition, risk", () => {
  it("by hand", () => {
    expect(capacityWeeks(14, 10, 60)).toBe(84);
    expect(realisticWeeks(10, 25)).toBe(12.5);
    expect(calendarWeeks(84, 14, 60)).toBeCloseTo(10, 9);
    expect(calendarWeeks(1, 0, 60)).toBe(Infinity);
    expect(cacPaybackMonths(24_000, 30_000, 80)).toBe(12);
    expect(cacPaybackMonths(1, 0, 80)).toBe(Infinity);
    expect(lifetimeValue(30_000, 80, 10)).toBe(240_000);
    expect(costPerLead(60_000, 300)).toBe(200);
    expect(incidentCost90d(2, 15_000)).toBe(30_000);
    expect(downtimeHours90d(99.5)).toBeCloseTo(10.8, 9);
  });
});

describe("market payback", () => {
  /** Adds up days until the money is back. */
  function simulatedPayback(plan: MarketPlan): number {
    let balance = -plan.entryCost;
    const step = 1 / 200;
    for (let month = 0; month < 400; month += step) {
      const since = month - plan.launchMonths;
      const arr = since <= 0 ? 0 : plan.expectedArr * Math.min(1, since / 12);
      balance += step * ((arr / 12) * (plan.grossMarginPct / 100) - plan.monthlyCost);
      if (balance >= 0 && since > 0) return month;
    }
    return Infinity;
  }

  it.each([
    [
      {
        entryCost: 250_000,
        monthlyCost: 45_000,
        launchMonths: 5,
        expectedArr: 1_500_000,
        grossMarginPct: 80,
      },
    ],
    [{ entryCost: 50_000, monthlyCost: 10_000, launchMonths: 2, expectedArr: 3_000_000, grossMarginPct: 75 }],
    [
      {
        entryCost: 250_000,
        monthlyCost: 90_000,
        launchMonths: 5,
        expectedArr: 1_000_000,
        grossMarginPct: 80,
      },
    ],
  ])("%o", (plan) => {
    const simulation = simulatedPayback(plan);
    const closed = marketPaybackMonths(plan);
    expect(Number.isFinite(closed)).toBe(Number.isFinite(simulation));
    if (Number.isFinite(closed)) expect(Math.abs(closed - simulation)).toBeLessThan(0.1);
  });
});
