// Pure: the CFO's calculations: runway, what hires and markets do to it, and the ARR that pays for them.
import { costToLaunch, marketPaybackMonths, monthlyContribution } from "../calculators/market.ts";
import { coveragePct } from "../calculators/revenue.ts";
import { arrToOffset, runwayMonths, runwayWith } from "../calculators/runway.ts";
import { addDays, daysBetween, DAYS_PER_MONTH } from "../dates.ts";
import { cannot, cash, hiresOf, share, when, type Draft, type TopicInput } from "../draft.ts";
import { mayAsk, type Figure, type Figures } from "../figures.ts";
import { months, percent } from "../format.ts";
import { weightedPipeline } from "./revenue.ts";

/** The label under which others find the ARR in a CFO's answer, as in the seed's example. */
export const ARR_NEEDED = "ARR needed to offset";

export function runway({ figures, q }: TopicInput): Draft {
  const money = figures.get(["finance", "cash"]);
  const burn = figures.get(["finance", "monthly_burn"]);
  const floor = figures.known(["finance", "runway_floor_months"]);
  if (money === undefined || burn === undefined) return cannot("Runway", figures, [money, burn]);
  const length = runwayMonths(money.value, burn.value);
  const from = figures.situation.company.as_of ?? q.today;
  const end = Number.isFinite(length) ? addDays(from, length * DAYS_PER_MONTH) : undefined;
  return {
    finding:
      end === undefined
        ? "More comes in than goes out: runway has no limit at current burn."
        : `Runway is ${months(length)} at current burn, until ${end}.`,
    data: [
      `${figures.point(money)} on ${from}`,
      figures.point(burn),
      `Runway: ${months(length)} (cash / monthly burn)${floor === undefined ? "" : `; ${figures.point(floor)}`}`,
    ],
    confidence: "high",
    caveat: "Holds while burn stays as it is: no new hires, no change in revenue.",
    computed: true,
  };
}

/** Months from today until a plan starts; 0 where its period has begun or none is named. */
function startsIn({ figures, q }: TopicInput): number {
  if (q.period === undefined) figures.state("question.period", "Start: today (the question names no period)");
  return q.period === undefined ? 0 : Math.max(0, daysBetween(q.today, q.period.start)) / DAYS_PER_MONTH;
}

/** The pipeline, where its owner can be heard; left out where it is only the asker's own or out of reach. */
function pipelineIfHad(figures: Figures): Figure | undefined {
  const { situation } = figures;
  const had = situation.role === "cro" || figures.heard("cro") !== undefined || figures.refused("cro");
  return had || mayAsk(situation, "cro") ? weightedPipeline(figures).figure : undefined;
}

export function hiringRunway(input: TopicInput): Draft {
  const { figures } = input;
  const { count, fn, text } = hiresOf(input);
  const money = figures.get(["finance", "cash"]);
  const burn = figures.get(["finance", "monthly_burn"]);
  const margin = figures.get(["finance", "gross_margin_pct"]);
  const loaded = figures.get(["operations", "loaded_cost_monthly", fn]);
  const onboarding = figures.get(["operations", "onboarding_cost_per_hire"]);
  const ramp = figures.get(["operations", "ramp_months", fn]);
  const pipeline = pipelineIfHad(figures);
  const afterMonths = startsIn(input);
  if (!money || !burn || !margin || !loaded || !onboarding) {
    return cannot(`The effect of ${text} on runway`, figures, [money, burn, loaded]);
  }
  const added = count * loaded.value;
  const oneOff = count * onboarding.value;
  const before = runwayMonths(money.value, burn.value);
  const plan = { cash: money.value, monthlyBurn: burn.value, addedMonthly: added, oneOff, afterMonths };
  const after = runwayWith(plan);
  const needed = arrToOffset(added, margin.value);
  const floor = figures.known(["finance", "runway_floor_months"]);
  const below =
    floor !== undefined && after < floor.value ? `, below the floor of ${months(floor.value)}` : "";
  const covered =
    pipeline === undefined
      ? ""
      : `; weighted 90-day pipeline of ${cash(figures, pipeline.value)} covers ${share(coveragePct(pipeline.value, needed))} of that`;
  const began =
    afterMonths > 0
      ? `${months(afterMonths)} + (${cash(figures, money.value)} − ${months(afterMonths)} × ${cash(figures, burn.value)} − ${cash(figures, oneOff)} onboarding) / ${cash(figures, burn.value + added)}`
      : `(${cash(figures, money.value)} − ${cash(figures, oneOff)} onboarding) / ${cash(figures, burn.value + added)}`;
  return {
    finding: `${capital(text)} ${after.toFixed(1) === before.toFixed(1) ? `leaves runway at ${months(after)}` : `shortens runway from ${before === Infinity ? months(before) : before.toFixed(1)} to ${months(after)}`} at current burn${below}.`,
    data: [
      `Current monthly burn: ${cash(figures, burn.value)} → increases to ${cash(figures, burn.value + added)} (+${cash(figures, added)} fully loaded, ${count} × ${figures.show(loaded)})`,
      `${ARR_NEEDED}: ${cash(figures, needed)} additional within 12 months (12 × ${cash(figures, added)} / ${percent(margin.value)} gross margin)${covered}`,
      `Runway: ${months(after)}${Number.isFinite(after) && before > afterMonths ? ` = ${began}` : ""}`,
    ],
    confidence: "medium",
    caveat: `Assumes ${ramp === undefined ? "no ramp" : `a ramp of ${months(ramp.value)}`} and no change in revenue trajectory.`,
    computed: true,
  };
}

export function offset(input: TopicInput): Draft {
  const { figures, q } = input;
  const margin = figures.get(["finance", "gross_margin_pct"]);
  const hires = q.quantity === undefined && q.fn === undefined ? undefined : hiresOf(input);
  const cost = hires
    ? figures.get(["operations", "loaded_cost_monthly", hires.fn])
    : figures.get(["finance", "monthly_burn"]);
  const pipeline = pipelineIfHad(figures);
  const what = hires?.text ?? "current burn";
  if (!margin || !cost) return cannot(`The ARR that pays for ${what}`, figures, [margin, cost]);
  const monthly = (hires?.count ?? 1) * cost.value;
  const needed = arrToOffset(monthly, margin.value);
  const data = [
    `${ARR_NEEDED}: ${cash(figures, needed)} within 12 months (12 × ${cash(figures, monthly)} / gross margin)`,
    hires === undefined
      ? figures.point(cost)
      : `Added monthly cost: ${cash(figures, monthly)} (${hires.count} × ${figures.show(cost)})`,
    pipeline === undefined
      ? figures.point(margin)
      : `Weighted 90-day pipeline of ${cash(figures, pipeline.value)} covers ${share(coveragePct(pipeline.value, needed))} of that; ${figures.point(margin)}`,
  ];
  return {
    finding: `${capital(what)} needs ${cash(figures, needed)} of ${hires === undefined ? "additional " : ""}ARR to pay for itself.`,
    data,
    confidence: "medium",
    caveat: "Assumes that new revenue has today's gross margin.",
    computed: true,
  };
}

export function market(input: TopicInput): Draft {
  const { figures, q } = input;
  const { markets } = figures.situation.company;
  if (q.market === undefined) {
    figures.missing.add("markets");
    const names = (markets ?? []).map((entry) => entry.name);
    const draft = cannot("The expansion", figures);
    return {
      ...draft,
      finding: `The expansion cannot be computed: the question names no market that company.yaml has under markets.`,
      data: [
        names.length === 0 ? "Markets in company.yaml: none" : `Markets in company.yaml: ${names.join(", ")}`,
        ...draft.data,
      ],
    };
  }
  const { name } = q.market;
  const of = (key: string) => figures.get(["markets", name, key]);
  const [entry, monthly, launch, arr] = [
    of("entry_cost"),
    of("monthly_cost"),
    of("launch_months"),
    of("expected_arr"),
  ];
  const margin = figures.get(["finance", "gross_margin_pct"]);
  const money = figures.get(["finance", "cash"]);
  const burn = figures.get(["finance", "monthly_burn"]);
  const afterMonths = startsIn(input);
  if (!entry || !monthly || !launch || !arr || !margin) {
    return cannot(`The expansion to ${name}`, figures, [entry, monthly, arr]);
  }
  const plan = {
    entryCost: entry.value,
    monthlyCost: monthly.value,
    launchMonths: launch.value,
    expectedArr: arr.value,
    grossMarginPct: margin.value,
  };
  const payback = marketPaybackMonths(plan);
  const spent = costToLaunch(plan);
  const effect =
    money === undefined || burn === undefined
      ? undefined
      : `${months(runwayMonths(money.value, burn.value))} → ${months(
          runwayWith({
            cash: money.value,
            monthlyBurn: burn.value,
            addedMonthly: monthly.value,
            oneOff: entry.value,
            afterMonths,
          }),
        )}`;
  return {
    finding: `Entering ${name}${when(q)} costs ${cash(figures, spent)} before the first sale and ${
      Number.isFinite(payback)
        ? `pays back after ${months(payback)}`
        : "does not pay back at the expected ARR"
    }${effect === undefined ? "" : `; runway without its revenue: ${effect}`}.`,
    data: [
      `Cost to the first sale: ${cash(figures, spent)} (${figures.show(entry)} once + ${months(launch.value)} × ${figures.show(monthly)})`,
      `Contribution a year after launch: ${cash(figures, monthlyContribution(plan))} a month (${figures.show(arr)} / 12 × ${figures.show(margin)} gross margin − ${cash(figures, monthly.value)})`,
      effect === undefined
        ? figures.point(arr)
        : `Runway: ${effect}, entry cost and monthly cost added, no revenue from ${name} counted`,
    ],
    confidence: "medium",
    caveat: `Assumes that ARR in ${name} rises evenly to what is expected in the twelve months after launch.`,
    computed: true,
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
