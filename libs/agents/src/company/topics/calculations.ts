// Pure: which function answers which topic, and what its owner is asked in words that its own reader of questions understands.
import { heads, when, type TopicCalculation } from "../draft.ts";
import { percent } from "../format.ts";
import type { Particulars } from "../question.ts";
import type { TopicName } from "../topics.ts";
import { hiringRunway, market, offset, runway } from "./finance.ts";
import { cac, ltv, marketing } from "./marketing.ts";
import { headcount, hiringCost, timeToHire } from "./people.ts";
import { capacity, delivery, roadmap } from "./product.ts";
import { churn, pipeline, pricing, revenue } from "./revenue.ts";
import { compliance, security } from "./security.ts";
import { priorities } from "./strategy.ts";

export const CALCULATIONS: Readonly<Record<TopicName, TopicCalculation>> = {
  "hiring-cost": hiringCost,
  "time-to-hire": timeToHire,
  "hiring-runway": hiringRunway,
  runway,
  offset,
  market,
  pricing,
  ltv,
  cac,
  churn,
  pipeline,
  revenue,
  delivery,
  roadmap,
  capacity,
  marketing,
  compliance,
  security,
  headcount,
  priorities,
};

/** What the question is about, in few words: `hiring 5 engineers in Q3`. */
export function subjectOf(q: Particulars): string {
  if (q.quantity !== undefined)
    return `hiring ${heads(q.quantity, q.fn ?? "engineering", q.seniority)}${when(q)}`;
  if (q.market !== undefined) return `entering ${q.market.name}${when(q)}`;
  if (q.item !== undefined) return `shipping ${q.item.name}`;
  return "";
}

/** The precise question to a topic's owner. */
export function questionTo(topic: TopicName, q: Particulars): string {
  const hires = `hiring ${heads(q.quantity ?? 1, q.fn ?? "engineering", q.seniority)}${when(q)}`;
  switch (topic) {
    case "hiring-runway":
      return `What does ${hires} do to our runway?`;
    case "hiring-cost":
      return `What is the fully loaded and onboarding cost of ${hires}?`;
    case "offset":
      return q.quantity === undefined && q.fn === undefined
        ? "How much ARR is needed to offset our burn?"
        : `How much ARR is needed to offset ${hires}?`;
    case "time-to-hire":
      return `What's our typical time-to-hire for ${heads(2, q.fn ?? "engineering", q.seniority).replace(/^2 /, "")}?`;
    case "runway":
      return "How long is our runway at current burn?";
    case "market":
      return q.market === undefined
        ? q.text
        : `What would expanding to ${q.market.name}${when(q)} cost us, and what is left of our runway?`;
    case "pricing":
      return q.percents[0] === undefined
        ? q.text
        : `What does a price ${/\b(?:cut|lower|reduc\w*|decreas\w*|drop|discounts?)\b/i.test(q.text) ? "cut" : "increase"} of ${percent(q.percents[0])} do to our revenue?`;
    case "pipeline":
      return "What does our pipeline look like for the next 90 days?";
    case "ltv":
      return "How does our LTV compare with our CAC?";
    case "cac":
      return "How long is our CAC payback?";
    case "churn":
      return q.percents.length === 0 ? "What does churn cost us a year?" : q.text;
    case "delivery":
      return q.item === undefined
        ? q.text
        : `Can we realistically ship ${q.item.name}${q.period === undefined ? "" : ` by the end of ${q.period.label}`}?`;
    case "revenue":
    case "roadmap":
    case "capacity":
    case "marketing":
    case "compliance":
    case "security":
    case "headcount":
    case "priorities":
      return q.text;
  }
}
