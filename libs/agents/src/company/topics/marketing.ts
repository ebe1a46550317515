// Pure: the CMO's calculations: what a lead and a customer cost, and what a customer brings.
import { cacPaybackMonths, costPerLead, lifetimeValue } from "../calculators/acquisition.ts";
import { cannot, cash, type Draft, type TopicInput } from "../draft.ts";
import { months, percent } from "../format.ts";

/** Ratio of LTV to CAC from which growth is held to be healthy. */
const HEALTHY_RATIO = 3;

/** CAC as the file says; else spend / (leads × conversion), which leaves out the cost of sales. */
function cacOf({ figures }: TopicInput) {
  const said = figures.known(["marketing", "cac"]);
  if (said !== undefined || figures.situation.role !== "cmo")
    return said ?? figures.get(["marketing", "cac"]);
  const spend = figures.known(["marketing", "monthly_spend"]);
  const leads = figures.known(["marketing", "leads_per_month"]);
  const won = figures.known(["marketing", "lead_to_customer_pct"]);
  const customers = ((leads?.value ?? 0) * (won?.value ?? 0)) / 100;
  if (spend === undefined || customers <= 0) return figures.get(["marketing", "cac"]);
  figures.missing.add("marketing.cac");
  figures.state(
    "marketing.cac",
    `Cost to acquire a customer: marketing spend / (leads × conversion), without the cost of sales`,
  );
  return {
    ...spend,
    key: "marketing.cac",
    label: "Cost to acquire a customer",
    unit: "money" as const,
    value: spend.value / customers,
    from: "assumption" as const,
  };
}

export function cac(input: TopicInput): Draft {
  const { figures } = input;
  const cost = cacOf(input);
  const arpa = figures.get(["revenue", "arpa"]);
  const margin = figures.get(["finance", "gross_margin_pct"]);
  if (!cost || !arpa || !margin) return cannot("CAC payback", figures, [cost, arpa]);
  const payback = cacPaybackMonths(cost.value, arpa.value, margin.value);
  return {
    finding: `A customer costs ${cash(figures, cost.value)} to win and ${Number.isFinite(payback) ? `pays that back in ${months(payback)}` : "never pays it back"}.`,
    data: [
      figures.point(cost),
      `${figures.point(arpa)}; ${figures.point(margin)}`,
      `CAC payback: ${months(payback)} (CAC / (revenue per account / 12 × gross margin))`,
    ],
    confidence: "high",
    caveat: "An average over all channels; the last customers won cost more than the first.",
    computed: true,
  };
}

export function ltv(input: TopicInput): Draft {
  const { figures } = input;
  const cost = cacOf(input);
  const arpa = figures.get(["revenue", "arpa"]);
  const margin = figures.get(["finance", "gross_margin_pct"]);
  const rate = figures.get(["revenue", "churn_pct"]);
  if (!cost || !arpa || !margin || !rate) return cannot("LTV to CAC", figures, [cost, arpa, rate]);
  const value = lifetimeValue(arpa.value, margin.value, rate.value);
  const ratio = cost.value <= 0 ? Infinity : value / cost.value;
  return {
    finding: `LTV to CAC is ${Number.isFinite(ratio) ? ratio.toFixed(1) : "without limit"}, ${ratio >= HEALTHY_RATIO ? "at or above" : "below"} the ${HEALTHY_RATIO.toFixed(1)} held to be healthy.`,
    data: [
      `LTV: ${cash(figures, value)} (${cash(figures, arpa.value)} × ${percent(margin.value)} gross margin / ${percent(rate.value)} churn)`,
      figures.point(cost),
      `${figures.point(rate)}; ${figures.point(arpa)}`,
    ],
    confidence: "medium",
    caveat: "Assumes that churn stays as it is for as long as a customer stays.",
    computed: true,
  };
}

export function marketing({ figures, q }: TopicInput): Draft {
  const spend = figures.get(["marketing", "monthly_spend"]);
  const leads = figures.get(["marketing", "leads_per_month"]);
  const won = figures.known(["marketing", "lead_to_customer_pct"]);
  if (!spend || !leads) return cannot("What marketing brings", figures, [spend, leads, won]);
  const lead = costPerLead(spend.value, leads.value);
  const more = q.amounts[0];
  const customers = won === undefined ? undefined : (leads.value * won.value) / 100;
  return {
    finding:
      more === undefined
        ? `Marketing spends ${figures.show(spend)} for ${leads.value} leads, ${cash(figures, lead)} each.`
        : `${cash(figures, more)} more brings about ${Math.round(more / lead)} leads at today's ${cash(figures, lead)} each.`,
    data: [
      `${figures.point(spend)}; ${figures.point(leads)}`,
      `Cost per lead: ${cash(figures, lead)} (spend / leads)`,
      won === undefined || customers === undefined
        ? ""
        : `${figures.point(won)}; ${customers.toFixed(1)} customers a month (leads × conversion)`,
    ],
    confidence: more === undefined ? "high" : "medium",
    caveat: "Leads cost more as spend grows: channels that work best are used up first.",
    computed: true,
  };
}
