// Pure: how the CFO, the CRO and the CMO judge a proposal: runway against the floor, coverage of the plan, payback of a customer.
import { cacPaybackMonths } from "../calculators/acquisition.ts";
import { arrAfterPriceChange, coveragePct } from "../calculators/revenue.ts";
import { runwayMonths, runwayWith } from "../calculators/runway.ts";
import { daysBetween, DAYS_PER_MONTH } from "../dates.ts";
import { cash, heads, share, type TopicInput } from "../draft.ts";
import type { Figure } from "../figures.ts";
import { months, percent } from "../format.ts";
import { weightedPipeline } from "../topics/revenue.ts";
import { banded, points, undecided, type Position } from "./position.ts";

/** Months of CAC payback that are good, and that can be borne. */
const PAYBACK = { good: 12, bearable: 24 } as const;
/** Percent of the plan that the pipeline should cover, and at least. */
const COVERAGE = { good: 100, bearable: 60 } as const;

/** The cost of what is proposed, a market or hires; undefined where a number of it cannot be had. */
function costOf({ figures, q }: TopicInput) {
  if (q.market !== undefined) {
    const entry = figures.get(["markets", q.market.name, "entry_cost"]);
    const monthly = figures.get(["markets", q.market.name, "monthly_cost"]);
    return (
      entry &&
      monthly && { addedMonthly: monthly.value, oneOff: entry.value, what: `Entering ${q.market.name}` }
    );
  }
  if (q.quantity !== undefined) {
    const fn = q.fn ?? "engineering";
    const loaded = figures.get(["operations", "loaded_cost_monthly", fn]);
    const once = figures.get(["operations", "onboarding_cost_per_hire"]);
    return (
      loaded &&
      once && {
        addedMonthly: q.quantity * loaded.value,
        oneOff: q.quantity * once.value,
        what: `Hiring ${heads(q.quantity, fn, q.seniority)}`,
      }
    );
  }
  return undefined;
}

export function cfo(input: TopicInput): Position {
  const { figures, q } = input;
  const money = figures.get(["finance", "cash"]);
  const burn = figures.get(["finance", "monthly_burn"]);
  const floor = figures.get(["finance", "runway_floor_months"]);
  const margin = figures.known(["finance", "gross_margin_pct"]);
  const cost = costOf(input);
  const known = points(input, money, burn, floor, margin);
  if (!money || !burn || !floor) return undecided("Runway", known);
  if (q.market === undefined && q.quantity === undefined)
    return headroom(input, { money, burn, floor }, known);
  if (cost === undefined) return undecided("What the proposal costs a month", known);
  const start =
    q.period === undefined ? 0 : Math.max(0, daysBetween(q.today, q.period.start)) / DAYS_PER_MONTH;
  const before = runwayMonths(money.value, burn.value);
  const after = runwayWith({ cash: money.value, monthlyBurn: burn.value, afterMonths: start, ...cost });
  const stays = after >= floor.value;
  return {
    stance: stays ? "for" : "against",
    points: [
      `Runway: ${months(before)} today, ${months(after)} with the proposal (cash / burn, no new revenue counted)`,
      `${figures.point(burn)}, ${cash(figures, burn.value + cost.addedMonthly)} with the proposal; ${cash(figures, cost.oneOff)} once`,
      `${figures.point(money)} on ${figures.situation.company.as_of ?? q.today}`,
      ...points(input, floor, margin),
    ],
    reason: `runway ${stays ? "stays at" : "falls to"} ${months(after)}, ${stays ? "not below" : "below"} the floor of ${months(floor.value)}`,
    wouldChange: stays
      ? `runway below ${months(floor.value)}, e.g. through a cost above the one counted here`
      : `committed funding or a smaller start that keeps runway at ${months(floor.value)}`,
    against: `${cost.what} takes runway from ${months(before)} to ${months(after)} before any new revenue`,
  };
}

/** Of a proposal whose cost is not in the file: what it may add a month, `cash / floor − burn`. */
function headroom(
  { figures }: TopicInput,
  { money, burn, floor }: Readonly<Record<"money" | "burn" | "floor", Figure>>,
  known: readonly string[],
): Position {
  const room = floor.value <= 0 ? Infinity : money.value / floor.value - burn.value;
  const shown = cash(figures, room);
  const today = months(runwayMonths(money.value, burn.value));
  return {
    stance: room > 0 ? "conditional" : "against",
    points: [
      `Room in the budget: ${shown} a month (cash / runway floor − burn)`,
      `Runway: ${today} today (cash / burn)`,
      ...known,
    ],
    reason:
      room > 0
        ? `that keeps runway at the floor of ${months(floor.value)} or above`
        : `runway of ${today} is at or below the floor of ${months(floor.value)} already`,
    condition: `it adds at most ${shown} a month to burn`,
    wouldChange: `a cost estimate ${room > 0 ? "above" : "of nothing, or funding of more than"} ${room > 0 ? shown : "what is missing to the floor"}`,
    against: "what it costs is written down nowhere, and burn is easier to add than to take away",
  };
}

export function cro(input: TopicInput): Position {
  const { figures, q } = input;
  const weighted = weightedPipeline(figures).figure;
  const target = figures.get(["pipeline", "target_90d"]);
  const arr = figures.known(["revenue", "arr"]);
  const churn = figures.known(["revenue", "churn_pct"]);
  const cycle = figures.known(["pipeline", "sales_cycle_days"]);
  const expected =
    q.market === undefined ? undefined : figures.get(["markets", q.market.name, "expected_arr"]);
  const known = points(input, weighted, target, arr, expected, churn, cycle);
  if (weighted === undefined || target === undefined)
    return undecided("Pipeline coverage of the plan", known);
  const covered = coveragePct(weighted.value, target.value);
  const elasticity = q.percents[0] === undefined ? undefined : figures.known(["revenue", "price_elasticity"]);
  const priced =
    elasticity === undefined || arr === undefined || expected !== undefined || q.quantity !== undefined
      ? []
      : [
          `ARR after a price change of ${percent(q.percents[0] ?? 0)}: ${cash(figures, arrAfterPriceChange(arr.value, q.percents[0] ?? 0, elasticity.value))}`,
        ];
  return {
    stance: banded(-covered, -COVERAGE.good, -COVERAGE.bearable),
    points: [
      `Pipeline coverage: ${share(covered)} (weighted ${cash(figures, weighted.value)} / planned ${cash(figures, target.value)}, next 90 days)`,
      ...priced,
      ...points(input, expected, arr, churn, cycle),
    ],
    reason: `the pipeline covers ${share(covered)} of the new ARR planned`,
    condition: `the pipeline reaches ${share(COVERAGE.good)} of the plan`,
    wouldChange: `coverage ${covered >= COVERAGE.good ? "falling below" : "rising above"} ${share(COVERAGE.good)} of the plan`,
    against: `sales has ${cash(figures, target.value)} to bring in 90 days already: every diverted deal is missing there`,
  };
}

export function cmo(input: TopicInput): Position {
  const { figures } = input;
  const cost = figures.get(["marketing", "cac"]);
  const spend = figures.known(["marketing", "monthly_spend"]);
  const leads = figures.known(["marketing", "leads_per_month"]);
  const won = figures.known(["marketing", "lead_to_customer_pct"]);
  const known = points(input, cost, spend, leads, won);
  const arpa = figures.get(["revenue", "arpa"]);
  const margin = figures.get(["finance", "gross_margin_pct"]);
  if (cost === undefined) return undecided("The cost to acquire a customer", known);
  if (arpa === undefined || margin === undefined)
    return undecided("What a customer acquired by marketing brings", known);
  const payback = cacPaybackMonths(cost.value, arpa.value, margin.value);
  return {
    stance: banded(payback, PAYBACK.good, PAYBACK.bearable),
    points: [`CAC payback: ${months(payback)} (CAC / (revenue per account / 12 × gross margin))`, ...known],
    reason: `a customer acquired pays back in ${months(payback)}`,
    condition: `CAC payback comes down to ${months(PAYBACK.good)} in the channels used`,
    wouldChange: `CAC payback ${payback <= PAYBACK.good ? "above" : "at or below"} ${months(PAYBACK.good)} in a test of the channels`,
    against: "demand is unproven: leads in a new direction cost more than today's average",
  };
}
