// Pure: what .firm/company.yaml may say; every field is optional, has its unit, and a name that is not listed is an error that names it.
import { parseWith } from "@firm/protocol";
import * as z from "zod";
import { isNumberKey, numberKeys } from "./owners.ts";

/** Functions of a company that head counts, costs and times to hire are kept by. */
export const FUNCTIONS = [
  "engineering",
  "sales",
  "marketing",
  "product",
  "support",
  "security",
  "operations",
  "finance",
  "people",
] as const;
export type CompanyFunction = (typeof FUNCTIONS)[number];

/** Levels that times to hire may be kept by. */
export const SENIORITIES = ["junior", "mid", "senior", "lead"] as const;
export type Seniority = (typeof SENIORITIES)[number];

const MAX_AMOUNT = 1e13;
const money = z.number().min(0).max(MAX_AMOUNT);
const percent = z.number().min(0).max(100);
const count = z.int().min(0).max(10_000_000);
const days = z.number().min(0).max(3_650);
const months = z.number().min(0).max(240);
const name = z.string().min(1).max(120);
const date = z.iso.date();
const byFunction = <T extends z.ZodType>(value: T) => z.partialRecord(z.enum(FUNCTIONS), value);

const Finance = z.strictObject({
  /** Money in the bank on `as_of`. */
  cash: money.optional(),
  /** Money a month: paid out less received. Negative when more comes in than goes out. */
  monthly_burn: z.number().min(-MAX_AMOUNT).max(MAX_AMOUNT).optional(),
  /** Percent of revenue left after the cost of delivering it. */
  gross_margin_pct: percent.optional(),
  /** Months of runway below which the company does not take on new cost. */
  runway_floor_months: months.optional(),
});

const Revenue = z.strictObject({
  /** Money a year: recurring revenue under contract on `as_of`. */
  arr: money.optional(),
  /** Percent a year. */
  arr_growth_pct: z.number().min(-100).max(10_000).optional(),
  /** Percent: net revenue retention over twelve months. */
  nrr_pct: z.number().min(0).max(1_000).optional(),
  /** Percent of ARR lost to cancellations a year. */
  churn_pct: percent.optional(),
  /** Paying accounts. */
  customers: count.optional(),
  /** Money a year: average revenue of one account. */
  arpa: money.optional(),
  /** Money a year: new ARR one fully ramped sales representative is to bring. */
  quota_per_rep: money.optional(),
  /** Percent of customers lost for each percent of a price increase. */
  price_elasticity: z.number().min(0).max(100).optional(),
});

const Stage = z.strictObject({
  name,
  /** Money a year: ARR of the deals in this stage. */
  value: money,
  /** Percent of that value expected to be won. */
  probability_pct: percent,
});

const Pipeline = z.strictObject({
  /** Money a year: ARR of all deals that could close in the next 90 days. */
  open_90d: money.optional(),
  /** Money a year: the same, weighted by the probability of each deal; reckoned from `stages` where absent. */
  weighted_90d: money.optional(),
  /** Money a year: new ARR planned for the next 90 days. */
  target_90d: money.optional(),
  /** Percent of opportunities won. */
  win_rate_pct: percent.optional(),
  /** Days from opportunity to signature. */
  sales_cycle_days: days.optional(),
  /** The stage table. */
  stages: z.array(Stage).max(50).optional(),
});

const People = z.strictObject({
  /** People employed, by function. */
  headcount: byFunction(count).optional(),
  /** Positions being hired for, by function. */
  open_positions: byFunction(count).optional(),
  /** Days from opening a position to the first day of work, by function: one number, or one a seniority. */
  time_to_hire_days: byFunction(
    z.union([days, z.strictObject(Object.fromEntries(SENIORITIES.map((level) => [level, days.optional()])))]),
  ).optional(),
  /** Percent of people who leave a year. */
  attrition_pct: percent.optional(),
  /** Percent of offers accepted. */
  offer_acceptance_pct: percent.optional(),
});

const Operations = z.strictObject({
  /** Money a month for one person, by function: salary, employer's contributions, tools, space. */
  loaded_cost_monthly: byFunction(money).optional(),
  /** Money, once for each hire: recruiting, equipment, onboarding. */
  onboarding_cost_per_hire: money.optional(),
  /** Months until a new hire is fully productive, by function. */
  ramp_months: byFunction(months).optional(),
  /** New hires the company can onboard a month. */
  onboarding_capacity_per_month: count.optional(),
});

const Engineering = z.strictObject({
  /** People who build. */
  engineers: count.optional(),
  /** Percent of their time that goes into roadmap work. */
  focus_pct: percent.optional(),
  /** Percent of their time that goes into technical debt. */
  tech_debt_pct: percent.optional(),
  /** Percent by which work has exceeded its estimates. */
  estimate_overrun_pct: z.number().min(0).max(1_000).optional(),
  /** Points finished a sprint, average of the last five. */
  velocity_points: z.number().min(0).max(100_000).optional(),
  /** Weeks. */
  sprint_weeks: z.number().min(0.5).max(12).optional(),
});

const RoadmapItem = z.strictObject({
  name,
  /** Person-weeks of work left, as estimated. */
  remaining_weeks: z.number().min(0).max(100_000).optional(),
  /** Date promised. */
  due: date.optional(),
  /** People who work on it; where absent all engineers may. */
  engineers: count.optional(),
  status: z.enum(["planned", "in_progress", "done"]).optional(),
});

const Product = z.strictObject({
  /** Percent of accounts that use the product every week. */
  weekly_active_pct: percent.optional(),
  /** Percent of accounts that use what was shipped last. */
  feature_adoption_pct: percent.optional(),
  /** Net promoter score, −100 to 100. */
  nps: z.number().min(-100).max(100).optional(),
  /** In order of priority. */
  roadmap: z.array(RoadmapItem).max(200).optional(),
});

const Marketing = z.strictObject({
  /** Money a month. */
  monthly_spend: money.optional(),
  leads_per_month: count.optional(),
  /** Percent of leads that become customers. */
  lead_to_customer_pct: percent.optional(),
  /** Money: all sales and marketing cost to win one customer. */
  cac: money.optional(),
});

const Compliance = z.strictObject({
  name,
  status: z.enum(["certified", "in_progress", "planned", "expired"]),
  /** Date when it is to be reached, or when it expires. */
  due: date.optional(),
});

const Security = z.strictObject({
  /** Security incidents and outages in the last 90 days. */
  incidents_90d: count.optional(),
  /** Money: average cost of one. */
  cost_per_incident: money.optional(),
  /** Hours from detection to recovery, average. */
  mttr_hours: z.number().min(0).max(10_000).optional(),
  /** Percent of the last 90 days in which the service was up. */
  uptime_90d_pct: percent.optional(),
  /** Findings not yet fixed. */
  open_critical_findings: count.optional(),
  open_high_findings: count.optional(),
  compliance: z.array(Compliance).max(50).optional(),
});

const Market = z.strictObject({
  /** As questions name it, e.g. Germany. */
  name,
  /** Money, once: entity, localisation, launch. */
  entry_cost: money.optional(),
  /** Money a month, from the start. */
  monthly_cost: money.optional(),
  /** Months from the start to the first sale. */
  launch_months: months.optional(),
  /** Money a year: ARR expected twelve months after the launch. */
  expected_arr: money.optional(),
  /** Names in `security.compliance` that customers there ask for. */
  requires: z.array(name).max(20).optional(),
});

const Strategy = z.strictObject({
  /** This year's priorities, the first counts most. */
  priorities: z.array(z.string().min(1).max(300)).max(10).optional(),
});

/** `operations.ramp_months.engineering: 3`: what a role may assume when it cannot ask the owner. */
const Assumptions = z.record(z.string(), z.number()).superRefine((record, context) => {
  for (const key of Object.keys(record)) {
    if (isNumberKey(key)) continue;
    context.addIssue({
      code: "custom",
      path: [key],
      message: `no such number; one of ${numberKeys().join(", ")}`,
    });
  }
});

/** .firm/company.yaml. Percentages are percent (78, not 0.78), money is in `currency`. */
export const Company = z.strictObject({
  name: name.optional(),
  /** ISO 4217. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, { error: 'three capital letters of ISO 4217, e.g. "USD"' })
    .default("USD"),
  /** Date the figures are of. */
  as_of: date.optional(),
  finance: Finance.optional(),
  revenue: Revenue.optional(),
  pipeline: Pipeline.optional(),
  people: People.optional(),
  operations: Operations.optional(),
  engineering: Engineering.optional(),
  product: Product.optional(),
  marketing: Marketing.optional(),
  security: Security.optional(),
  markets: z.array(Market).max(50).optional(),
  strategy: Strategy.optional(),
  assumptions: Assumptions.optional(),
});
export type Company = z.infer<typeof Company>;
export type CompanyMarket = z.infer<typeof Market>;
export type CompanyRoadmapItem = z.infer<typeof RoadmapItem>;

/**
 * Checks what was read from company.yaml; nothing (an empty file) is a company of which nothing is known.
 * @throws FirmError `invalid-config` naming the field.
 */
export function parseCompany(input: unknown): Company {
  return parseWith(Company, input ?? {}, "company.yaml", "invalid-config");
}
