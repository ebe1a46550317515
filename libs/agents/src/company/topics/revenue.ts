// Pure: the CRO's calculations: pipeline coverage, growth, churn and price.
import {
  arrAfterPriceChange,
  breakEvenLossPct,
  churnLoss,
  coveragePct,
  lifetimeYears,
  weightedByStages,
} from "../calculators/revenue.ts";
import { cannot, cash, share, type Draft, type TopicInput } from "../draft.ts";
import type { Figure, Figures } from "../figures.ts";
import { percent } from "../format.ts";

const WEIGHTED = ["pipeline", "weighted_90d"] as const;

/** The weighted pipeline: as the file says; else by its stages; else open × win rate; else as the owner says or as assumed. */
export function weightedPipeline(figures: Figures): {
  readonly figure: Figure | undefined;
  readonly formula: string;
} {
  const said = figures.known(WEIGHTED);
  if (said !== undefined || figures.situation.role !== "cro") {
    return { figure: said ?? figures.get(WEIGHTED), formula: "as recorded" };
  }
  const { pipeline } = figures.situation.company;
  const reckoned = (value: number): Figure => ({
    key: WEIGHTED.join("."),
    label: "Weighted pipeline, next 90 days",
    unit: "money",
    value,
    from: "file",
  });
  if (pipeline?.stages !== undefined && pipeline.stages.length > 0) {
    return {
      figure: reckoned(weightedByStages(pipeline.stages)),
      formula: "sum of stage value × probability",
    };
  }
  if (pipeline?.open_90d !== undefined && pipeline.win_rate_pct !== undefined) {
    return {
      figure: reckoned((pipeline.open_90d * pipeline.win_rate_pct) / 100),
      formula: "open pipeline × win rate",
    };
  }
  return { figure: figures.get(WEIGHTED), formula: "assumed" };
}

export function pipeline({ figures, q }: TopicInput): Draft {
  const { figure: weighted, formula } = weightedPipeline(figures);
  const open = figures.known(["pipeline", "open_90d"]);
  const target = figures.known(["pipeline", "target_90d"]);
  const winRate = figures.known(["pipeline", "win_rate_pct"]);
  const cycle = figures.known(["pipeline", "sales_cycle_days"]);
  if (weighted === undefined) return cannot("Pipeline coverage", figures, [open, target]);
  const counted = weighted.from !== "assumption";
  const covered = target === undefined ? undefined : coveragePct(weighted.value, target.value);
  const days =
    q.period === undefined || /90 days/.test(q.period.label) ? "" : "; the file has the next 90 days only";
  return {
    finding: `Weighted pipeline for the next 90 days is ${cash(figures, weighted.value)} of ARR${
      target === undefined || covered === undefined
        ? ""
        : `, ${share(covered)} of the ${cash(figures, target.value)} planned`
    }.`,
    data: [
      `${figures.point(weighted)} (${formula})`,
      ...(target === undefined
        ? []
        : [`${figures.point(target)}; coverage ${share(covered ?? 0)} (weighted / planned)`]),
      [open, winRate, cycle]
        .flatMap((figure) => (figure === undefined ? [] : [figures.point(figure)]))
        .join("; "),
    ],
    confidence: !counted ? "low" : target === undefined ? "medium" : "high",
    caveat: `Deals slip: weighted value is an average over many deals, not a promise${days}.`,
    computed: counted,
  };
}

export function revenue({ figures }: TopicInput): Draft {
  const arr = figures.get(["revenue", "arr"]);
  const growth = figures.known(["revenue", "arr_growth_pct"]);
  const nrr = figures.known(["revenue", "nrr_pct"]);
  const quota = figures.known(["revenue", "quota_per_rep"]);
  const customers = figures.known(["revenue", "customers"]);
  if (arr === undefined) return cannot("ARR", figures, [growth, nrr]);
  const next = growth === undefined ? undefined : arr.value * (1 + growth.value / 100);
  return {
    finding: `ARR is ${cash(figures, arr.value)}${next === undefined ? "" : `, and ${cash(figures, next)} in twelve months at ${percent(growth?.value ?? 0)} growth`}.`,
    data: [
      figures.point(arr),
      ...(growth === undefined
        ? []
        : [`${figures.point(growth)} a year (ARR × (1 + growth) = ${cash(figures, next ?? 0)})`]),
      [nrr, quota, customers]
        .flatMap((figure) => (figure === undefined ? [] : [figures.point(figure)]))
        .join("; "),
    ],
    confidence: growth === undefined ? "medium" : "high",
    caveat: "Assumes that growth goes on as in the last twelve months.",
    computed: true,
  };
}

export function churn({ figures, q }: TopicInput): Draft {
  const arr = figures.get(["revenue", "arr"]);
  const rate = figures.get(["revenue", "churn_pct"]);
  const nrr = figures.known(["revenue", "nrr_pct"]);
  if (arr === undefined || rate === undefined) return cannot("What churn costs", figures, [arr, rate]);
  const loss = churnLoss(arr.value, rate.value);
  // "from 9% to 6%" names today's and the new rate; "to 6%" the new one alone.
  const wanted = q.percents.length > 0 && !/\bnrr\b/i.test(q.text) ? q.percents.at(-1) : undefined;
  const changed = wanted === undefined ? undefined : churnLoss(arr.value, wanted);
  const years = lifetimeYears(rate.value);
  return {
    finding:
      changed === undefined
        ? `Churn of ${percent(rate.value)} a year costs ${cash(figures, loss)} of ARR.`
        : `At ${percent(wanted ?? 0)} churn ${cash(figures, changed)} of ARR is lost a year, ${cash(figures, Math.abs(changed - loss))} ${changed <= loss ? "less" : "more"} than at ${percent(rate.value)}.`,
    data: [
      `${figures.point(rate)}; ARR lost a year: ${cash(figures, loss)} (${cash(figures, arr.value)} × churn)`,
      `One point of churn: ${cash(figures, arr.value / 100)} of ARR a year`,
      `Customer lifetime: ${Number.isFinite(years) ? `${years.toFixed(1)} years` : "no limit"} (1 / churn)${nrr === undefined ? "" : `; ${figures.point(nrr)}`}`,
    ],
    confidence: changed === undefined ? "high" : "medium",
    caveat: "Takes churn as even over the year and over accounts of all sizes.",
    computed: true,
  };
}

export function pricing({ figures, q }: TopicInput): Draft {
  const arr = figures.get(["revenue", "arr"]);
  const elasticity = figures.get(["revenue", "price_elasticity"]);
  if (arr === undefined || elasticity === undefined)
    return cannot("The effect on ARR", figures, [arr, elasticity]);
  const size = q.percents[0] ?? 10;
  if (q.percents.length === 0)
    figures.state("question.percent", "Price change: +10% (the question names none)");
  const down = /\b(?:cut|lower|reduc\w*|decreas\w*|drop|discounts?|cheaper)\b/i.test(q.text);
  const change = down ? -Math.min(size, 100) : size;
  const after = arrAfterPriceChange(arr.value, change, elasticity.value);
  const lost = Math.min(100, Math.max(0, elasticity.value * change));
  return {
    finding: `${down ? "Lowering" : "Raising"} prices by ${percent(size)} moves ARR from ${cash(figures, arr.value)} to ${cash(figures, after)}.`,
    data: [
      `ARR after the change: ${cash(figures, after)} (${cash(figures, arr.value)} × ${(1 + change / 100).toFixed(2)} × ${(1 - lost / 100).toFixed(3)} of customers kept)`,
      `${figures.point(elasticity)} percent; customers lost: ${percent(lost)}`,
      down
        ? `New customers needed to make up for it: ${change <= -100 ? "no number is enough" : percent((100 * -change) / (100 + change))} more (p / (1 − p))`
        : `Break-even: ARR falls only if more than ${percent(breakEvenLossPct(change))} of customers leave (p / (1 + p))`,
    ],
    confidence: "medium",
    caveat:
      "Assumes that every account takes the new price, and that nobody leaves or comes because of a lower one.",
    computed: true,
  };
}
