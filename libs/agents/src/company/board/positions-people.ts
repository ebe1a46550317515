// Pure: how the COO and the CHRO judge a proposal: can it be onboarded and run, can the people be had in time.
import { addDays } from "../dates.ts";
import type { TopicInput } from "../draft.ts";
import { months } from "../format.ts";
import { banded, points, undecided, type Position } from "./position.ts";

/** Months of onboarding that are comfortable, and that can be borne. */
const ONBOARDING = { good: 1, bearable: 3 } as const;
/** Months to a launch within which operations can plan without a dedicated team. */
const LAUNCH_MONTHS = 6;
/** Attrition a year, in percent, from which hiring fills a leaking bucket. */
const HIGH_ATTRITION = 20;

export function coo(input: TopicInput): Position {
  const { figures, q } = input;
  const capacity = figures.get(["operations", "onboarding_capacity_per_month"]);
  const once = figures.known(["operations", "onboarding_cost_per_hire"]);
  const loaded = figures.known(["operations", "loaded_cost_monthly", q.fn ?? "engineering"]);
  const ramp = figures.known(["operations", "ramp_months", q.fn ?? "engineering"]);
  if (q.market !== undefined) {
    const of = (key: string) => figures.get(["markets", q.market?.name ?? "", key]);
    const [launch, entry, monthly] = [of("launch_months"), of("entry_cost"), of("monthly_cost")];
    if (launch === undefined) return undecided("The operational launch time", points(input, entry, monthly));
    return {
      stance: launch.value <= LAUNCH_MONTHS ? "for" : "conditional",
      points: points(input, launch, entry, monthly, capacity),
      reason: `operations can launch ${q.market.name} in ${months(launch.value)}`,
      condition: "one person leads the launch and nothing else",
      wouldChange: `a launch that takes longer than ${months(LAUNCH_MONTHS)}, e.g. through the entity or local contracts`,
      against: "operations runs two countries with the processes and people of one",
    };
  }
  const known = points(input, capacity, loaded, once, ramp);
  if (capacity === undefined) return undecided("The onboarding capacity", known);
  const count = q.quantity ?? 0;
  const needed = capacity.value <= 0 ? (count > 0 ? Infinity : 0) : count / capacity.value;
  return {
    stance: banded(needed, ONBOARDING.good, ONBOARDING.bearable),
    points: [`Onboarding: ${months(needed)} for ${count} hires (hires / capacity a month)`, ...known],
    reason: `onboarding takes ${months(needed)} at ${capacity.value} hires a month`,
    condition: `starts are spread over ${months(Math.ceil(needed))}`,
    wouldChange: `onboarding ${needed <= ONBOARDING.good ? "that takes more than" : "within"} ${months(ONBOARDING.good)}`,
    against: "onboarding takes time from those whose output the plan counts on",
  };
}

export function chro(input: TopicInput): Position {
  const { figures, q } = input;
  const fn = q.fn ?? "engineering";
  const time = figures.get(["people", "time_to_hire_days", fn, q.seniority ?? "senior"]);
  const attrition = figures.known(["people", "attrition_pct"]);
  const open = figures.known(["people", "open_positions", fn]);
  const heads = figures.known(["people", "headcount", fn]);
  const accepted = figures.known(["people", "offer_acceptance_pct"]);
  const known = points(input, time, open, heads, attrition, accepted);
  if (time === undefined) return undecided("Time to hire", known);
  const ready = addDays(q.today, time.value);
  const start = q.period?.start ?? ready;
  const leaking = (attrition?.value ?? 0) > HIGH_ATTRITION;
  return {
    stance: leaking ? "against" : ready <= start ? "for" : "conditional",
    points: [
      `Earliest start of a hire sought today: ${ready} (time to hire ${time.value} days)`,
      ...known.slice(1),
      ...known.slice(0, 1),
    ],
    reason: leaking
      ? `attrition of ${attrition?.value ?? 0}% a year has to come down before hiring more`
      : `hires sought today start about ${ready}${q.period === undefined ? "" : `, ${ready <= start ? "in time for" : "after the beginning of"} ${q.period.label}`}`,
    condition: `the plan counts on hires from ${ready} on, not before`,
    wouldChange: "a time to hire that proves longer than the average, or attrition that rises",
    against: `headcount is the slowest thing to undo, and hiring takes ${time.value} days to begin with`,
  };
}
