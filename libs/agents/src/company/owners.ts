// Pure: which role owns which number of company.yaml, what it is called, and what may be assumed where it cannot be had.

import type { INVOCABLE_ROLES } from "@firm/protocol";

/** C-suite roles, as the seed lists them (agent-protocol, "Valid roles"). */
export type CsuiteRole = (typeof INVOCABLE_ROLES)[number];

/** How a number is written: money in the company's currency, percent, months, days … */
export type Unit =
  | "money"
  | "money/month"
  | "money/year"
  | "percent"
  | "months"
  | "days"
  | "weeks"
  | "hours"
  | "count"
  | "ratio";

/** One number of the file. */
export interface NumberInfo {
  /** The first is asked for it; each of them may read it. */
  readonly owners: readonly [CsuiteRole, ...CsuiteRole[]];
  /** As it stands in data points, before the colon; `*` stands for what the key's `*` stands for. */
  readonly label: string;
  readonly unit: Unit;
  /** What is assumed where neither the owner nor the file's `assumptions` can say, and why that is fair. */
  readonly fallback?: { readonly value: number; readonly why: string };
}

const number = (
  owners: NumberInfo["owners"],
  label: string,
  unit: Unit,
  fallback?: NumberInfo["fallback"],
): NumberInfo => (fallback === undefined ? { owners, label, unit } : { owners, label, unit, fallback });

/**
 * Key → owner, label, unit, fallback. `*` is a function, a seniority, or the name of a market or roadmap item.
 * Amounts of money have no fallback except nothing: what is neutral in one company is absurd in another.
 */
export const NUMBERS: Readonly<Record<string, NumberInfo>> = {
  "finance.cash": number(["cfo"], "Cash", "money"),
  "finance.monthly_burn": number(["cfo"], "Current monthly burn", "money/month"),
  "finance.gross_margin_pct": number(["cfo"], "Gross margin", "percent", {
    value: 70,
    why: "usual for software sold as a service",
  }),
  "finance.runway_floor_months": number(["cfo"], "Runway floor", "months", {
    value: 12,
    why: "a round of funding takes six to nine months",
  }),
  "revenue.arr": number(["cro"], "ARR", "money/year"),
  "revenue.arr_growth_pct": number(["cro"], "ARR growth", "percent"),
  "revenue.nrr_pct": number(["cro"], "Net revenue retention", "percent", {
    value: 100,
    why: "accounts neither grow nor shrink",
  }),
  "revenue.churn_pct": number(["cro"], "Annual churn", "percent", {
    value: 12,
    why: "one percent a month",
  }),
  "revenue.customers": number(["cro"], "Customers", "count"),
  "revenue.arpa": number(["cro"], "Average revenue per account", "money/year"),
  "revenue.quota_per_rep": number(["cro"], "Quota per representative", "money/year"),
  "revenue.price_elasticity": number(["cro", "cpo"], "Customers lost per 1% of price", "ratio", {
    value: 0.5,
    why: "half as many percent leave as the price rises",
  }),
  "pipeline.open_90d": number(["cro"], "Open pipeline, next 90 days", "money"),
  "pipeline.weighted_90d": number(["cro"], "Weighted pipeline, next 90 days", "money", {
    value: 0,
    why: "nothing is counted that nobody has confirmed",
  }),
  "pipeline.target_90d": number(["cro"], "New ARR planned, next 90 days", "money"),
  "pipeline.win_rate_pct": number(["cro"], "Win rate", "percent"),
  "pipeline.sales_cycle_days": number(["cro"], "Sales cycle", "days"),
  "people.headcount.*": number(["chro"], "Headcount in *", "count"),
  "people.open_positions.*": number(["chro"], "Open positions in *", "count"),
  "people.time_to_hire_days.*": number(["chro"], "Time to hire in *", "days", {
    value: 60,
    why: "two months, search and notice together",
  }),
  "people.time_to_hire_days.*.*": number(["chro"], "Time to hire in *", "days", {
    value: 60,
    why: "two months, search and notice together",
  }),
  "people.attrition_pct": number(["chro"], "Annual attrition", "percent", {
    value: 15,
    why: "one in seven a year",
  }),
  "people.offer_acceptance_pct": number(["chro"], "Offers accepted", "percent"),
  "operations.loaded_cost_monthly.*": number(["coo"], "Fully loaded cost per * hire", "money/month"),
  "operations.onboarding_cost_per_hire": number(["coo"], "Onboarding cost per hire", "money", {
    value: 0,
    why: "only the monthly cost is counted",
  }),
  "operations.ramp_months.*": number(["coo"], "Ramp in *", "months", {
    value: 3,
    why: "one quarter until a hire is fully productive",
  }),
  "operations.onboarding_capacity_per_month": number(["coo"], "Hires we can onboard a month", "count"),
  "engineering.engineers": number(["cto"], "Engineers", "count"),
  "engineering.focus_pct": number(["cto"], "Time on roadmap work", "percent", {
    value: 60,
    why: "the rest is support, debt and meetings",
  }),
  "engineering.tech_debt_pct": number(["cto"], "Time on technical debt", "percent"),
  "engineering.estimate_overrun_pct": number(["cto"], "Overrun of estimates", "percent", {
    value: 30,
    why: "work takes a third longer than estimated",
  }),
  "engineering.velocity_points": number(["cto"], "Velocity per sprint in points", "count"),
  "engineering.sprint_weeks": number(["cto"], "Sprint length", "weeks"),
  "product.weekly_active_pct": number(["cpo"], "Accounts active every week", "percent"),
  "product.feature_adoption_pct": number(["cpo"], "Adoption of the last release", "percent"),
  "product.nps": number(["cpo"], "Net promoter score", "count"),
  "product.roadmap.*.remaining_weeks": number(["cpo", "cto"], "Person-weeks left on *", "weeks"),
  "product.roadmap.*.engineers": number(["cpo", "cto"], "People on *", "count"),
  "marketing.monthly_spend": number(["cmo"], "Marketing spend", "money/month"),
  "marketing.leads_per_month": number(["cmo"], "Leads per month", "count"),
  "marketing.lead_to_customer_pct": number(["cmo"], "Leads that become customers", "percent"),
  "marketing.cac": number(["cmo"], "Cost to acquire a customer", "money"),
  "security.incidents_90d": number(["ciso"], "Incidents in the last 90 days", "count"),
  "security.cost_per_incident": number(["ciso"], "Cost per incident", "money"),
  "security.mttr_hours": number(["ciso"], "Time to recover", "hours"),
  "security.uptime_90d_pct": number(["ciso"], "Uptime in the last 90 days", "percent"),
  "security.open_critical_findings": number(["ciso"], "Open critical findings", "count"),
  "security.open_high_findings": number(["ciso"], "Open high findings", "count"),
  "markets.*.entry_cost": number(["coo"], "One-off cost to enter *", "money"),
  "markets.*.monthly_cost": number(["coo"], "Monthly cost in *", "money/month"),
  "markets.*.launch_months": number(["coo"], "Months to the first sale in *", "months", {
    value: 6,
    why: "entity, localisation and first hires",
  }),
  "markets.*.expected_arr": number(["cro"], "ARR expected in * a year after launch", "money/year"),
};

/** Every key of the table, for messages. */
export function numberKeys(): readonly string[] {
  return Object.keys(NUMBERS);
}

/** True for a key that the table has, with names in place of `*`. */
export function isNumberKey(key: string): boolean {
  return patternOf(key.split(".")) !== undefined;
}

/**
 * What the table says of a number; the label carries its names, e.g. `Ramp in engineering`.
 * @throws RangeError for a path that the table does not have: a slip in this program.
 */
export function numberInfo(path: readonly string[]): NumberInfo {
  const pattern = patternOf(path);
  const info = pattern === undefined ? undefined : NUMBERS[pattern];
  if (pattern === undefined || info === undefined) throw new RangeError(`no number ${path.join(".")}`);
  const names = path.filter((_, index) => pattern.split(".")[index] === "*");
  const [first = "", second] = names;
  const subject = second === undefined ? first : `${first} (${second})`;
  return { ...info, label: info.label.replace("*", subject) };
}

/**
 * The role to ask for a number, e.g. `cfo` for `finance.cash`.
 * @throws RangeError for a key that the table does not have.
 */
export function ownerOf(key: string): CsuiteRole {
  return numberInfo(key.split(".")).owners[0];
}

function patternOf(path: readonly string[]): string | undefined {
  return Object.keys(NUMBERS).find((pattern) => {
    const parts = pattern.split(".");
    return (
      parts.length === path.length &&
      parts.every((part, index) => (part === "*" ? path[index] !== "" : part === path[index]))
    );
  });
}
