// Pure: the particulars of a question: how many, in which function, how senior, by when, which amounts. By keyword, the same for the same text and day.
import { amountIn, wordsAt } from "./format.ts";
import { addDays, monthOf, quarterOf, yearAndQuarter, type Period } from "./dates.ts";
import type { Company, CompanyFunction, CompanyMarket, CompanyRoadmapItem, Seniority } from "./schema.ts";

export interface Particulars {
  readonly text: string;
  readonly today: string;
  /** Hires asked about: the 5 of "hiring 5 engineers". */
  readonly quantity: number | undefined;
  readonly fn: CompanyFunction | undefined;
  readonly seniority: Seniority | undefined;
  readonly period: Period | undefined;
  /** Percentages named, in order. */
  readonly percents: readonly number[];
  /** Amounts of money named, in the company's currency, in order. */
  readonly amounts: readonly number[];
  /** The market of the file that is named. */
  readonly market: CompanyMarket | undefined;
  /** The roadmap item of the file that is named. */
  readonly item: CompanyRoadmapItem | undefined;
  /** Asked for a rough answer: an assumption will do (seed: "When to Invoke vs When to Assume"). */
  readonly rough: boolean;
}

const WORDS = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
];

/** Word → function; the first that matches counts. */
const FUNCTION_WORDS: readonly (readonly [RegExp, CompanyFunction])[] = [
  [/\b(?:security|infosec|appsec)\s+(?:engineers?|analysts?|people|hires?)\b/, "security"],
  [/\b(?:engineers?|engineering|developers?|devs?|programmers?|sres?)\b/, "engineering"],
  [/\b(?:sales|sellers?|reps?|representatives?|account executives?|aes?|sdrs?)\b/, "sales"],
  [/\b(?:marketers?|marketing)\b/, "marketing"],
  [/\b(?:product managers?|designers?|pms?)\b/, "product"],
  [/\b(?:support|customer success|csms?)\b/, "support"],
  [/\b(?:operations|ops)\b/, "operations"],
  [/\b(?:accountants?|controllers?|finance (?:people|hires?|managers?))\b/, "finance"],
  [/\b(?:recruiters?|hr (?:people|hires?|managers?))\b/, "people"],
];

const SENIORITY_WORDS: readonly (readonly [RegExp, Seniority])[] = [
  [/\b(?:lead|staff|principal|head)\b/, "lead"],
  [/\bsenior\b/, "senior"],
  [/\b(?:mid|mid-level|intermediate)\b/, "mid"],
  [/\b(?:junior|entry-level|graduate)\b/, "junior"],
];

const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];

/** What a head count is of. */
const COUNTED =
  "(?:engineers?|developers?|devs?|people|hires?|employees?|ftes?|reps?|representatives?|account executives?|aes|sdrs?|sellers?|salespeople|marketers?|designers?|product managers?|csms?|recruiters?|positions?|roles?|heads?|analysts?|managers?)";
const QUANTITY = new RegExp(
  `\\b(\\d{1,4}|${WORDS.slice(1).join("|")}|an?)\\s+(?:(?:more|new|extra|additional|senior|junior|mid|mid-level|staff|lead|principal|sales|security|backend|frontend|software|support|marketing|engineering|product)\\s+){0,3}${COUNTED}\\b`,
);

/** Characters of a question that are read for what it is about; the rest is kept out of the search for keywords. */
const READ = 2_000;

/** Reads a question; `today` is an ISO date. */
export function particularsOf(question: string, company: Company, today: string): Particulars {
  const text = question.slice(0, READ);
  const lower = text.toLowerCase();
  return {
    text,
    today,
    quantity: quantityIn(lower),
    fn: FUNCTION_WORDS.find(([word]) => word.test(lower))?.[1],
    seniority: SENIORITY_WORDS.find(([word]) => word.test(lower))?.[1],
    period: periodIn(lower, today),
    percents: [...lower.matchAll(/(\d+(?:\.\d+)?)\s*(?:%|percent|points?\b)/g)].map((match) =>
      Number(match[1]),
    ),
    amounts: [...text.matchAll(/(?:[$€£¥]|\b[A-Z]{3} )\d[\d,.]*\d?\s?[kKmMbB]?\b/g)].flatMap(
      (match) => amountIn(match[0]) ?? [],
    ),
    market: company.markets?.find((market) => wordsAt(lower, market.name.toLowerCase()) >= 0),
    item: company.product?.roadmap?.find((item) => wordsAt(lower, item.name.toLowerCase()) >= 0),
    rough:
      /\b(?:roughly|ballpark|directional(?:ly)?|rough|order of magnitude|precision is(?:n't| not))\b/.test(
        lower,
      ),
  };
}

function quantityIn(lower: string): number | undefined {
  const word = QUANTITY.exec(lower)?.[1];
  if (word === undefined) return undefined;
  if (word === "a" || word === "an") return 1;
  const index = WORDS.indexOf(word);
  return index >= 0 ? index : Number(word);
}

/** `Q3`, `Q3 2027`, `this quarter`, `end of quarter`, `next quarter`, `end of year`, `in March`, `next 90 days`, `in 6 months`. */
function periodIn(lower: string, today: string): Period | undefined {
  const now = yearAndQuarter(today);
  const named = /\bq([1-4])(?:\s*(?:of\s+)?'?(20\d\d))?\b/.exec(lower);
  if (named !== null) {
    const quarter = Number(named[1]);
    // A quarter without a year is the next one that is not over.
    const year =
      named[2] === undefined ? (quarter < now.quarter ? now.year + 1 : now.year) : Number(named[2]);
    return {
      ...quarterOf(year, quarter),
      label: named[2] === undefined ? `Q${quarter}` : `Q${quarter} ${year}`,
    };
  }
  if (/\bnext quarter\b/.test(lower)) {
    const [year, quarter] = now.quarter === 4 ? [now.year + 1, 1] : [now.year, now.quarter + 1];
    return { ...quarterOf(year, quarter), label: "next quarter" };
  }
  if (/\b(?:this|the|of) quarter\b|\bquarter[- ]end\b|\bend of (?:the )?q\b/.test(lower)) {
    return { ...quarterOf(now.year, now.quarter), label: "this quarter" };
  }
  const ahead = /\b(?:next|in|within|coming)\s+(\d{1,3})\s+(days?|weeks?|months?)\b/.exec(lower);
  if (ahead !== null) {
    const count = Number(ahead[1]);
    const unit = ahead[2] ?? "days";
    const days = unit.startsWith("day") ? count : unit.startsWith("week") ? count * 7 : count * (365.25 / 12);
    return { start: today, end: addDays(today, days), label: `the next ${count} ${unit}` };
  }
  if (/\b(?:this year|end of (?:the )?year|year[- ]end)\b/.test(lower)) {
    return { start: `${now.year}-01-01`, end: `${now.year}-12-31`, label: "this year" };
  }
  const month =
    /\b(?:in|by|until|end of|from)\s+(january|february|march|april|may|june|july|august|september|october|november|december)(?:\s+(20\d\d))?\b/.exec(
      lower,
    );
  if (month !== null) {
    const index = MONTHS.indexOf(month[1] ?? "");
    const year =
      month[2] === undefined
        ? index < Number(today.slice(5, 7)) - 1
          ? now.year + 1
          : now.year
        : Number(month[2]);
    const label = (month[1] ?? "").replace(/^./, (letter) => letter.toUpperCase());
    return { ...monthOf(year, index), label: month[2] === undefined ? label : `${label} ${year}` };
  }
  return undefined;
}
