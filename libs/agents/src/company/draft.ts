// Pure: what a topic's calculation yields before it becomes an answer; 2–3 data points always (seed: agent-protocol, "Response Format").
import { listed, money, oneLine, percent } from "./format.ts";
import type { Figure, Figures } from "./figures.ts";
import type { Particulars } from "./question.ts";
import type { CompanyFunction } from "./schema.ts";

export type Confidence = "high" | "medium" | "low";

/** An answer in the making: lines may be long, numbers are final. */
export interface Draft {
  readonly finding: string;
  /** The most telling first. */
  readonly data: readonly string[];
  readonly confidence: Confidence;
  /** What could make it wrong, apart from assumptions and missing numbers, which are added. */
  readonly caveat: string;
  /** False where numbers are missing that it cannot do without. */
  readonly computed: boolean;
}

/** What a topic's calculation is given. */
export interface TopicInput {
  readonly figures: Figures;
  readonly q: Particulars;
}

export type TopicCalculation = (input: TopicInput) => Draft;

/** A draft that says which numbers are missing. */
export function cannot(what: string, figures: Figures, known: readonly (Figure | undefined)[] = []): Draft {
  const missing = [...figures.missing];
  const keys = missing.length === 0 ? "a number" : listed(missing);
  return {
    finding: `${what} cannot be computed: ${keys} ${missing.length > 1 ? "are" : "is"} missing in company.yaml.`,
    data: [
      `Missing: ${keys}`,
      ...known.flatMap((figure) => (figure === undefined ? [] : [figures.point(figure)])),
      `What would settle it: ${missing.length > 1 ? "these keys" : "this key"} in company.yaml (or, for a number, an entry under assumptions)`,
    ],
    confidence: "low",
    caveat: "No number was put in place of what is missing.",
    computed: false,
  };
}

/** Money in the company's currency. */
export function cash(figures: Figures, amount: number): string {
  return Number.isFinite(amount) ? money(amount, figures.situation.company.currency) : "without limit";
}

/** Percent, or words where there is no end. */
export function share(value: number): string {
  return Number.isFinite(value) ? percent(value) : "all";
}

const PEOPLE: Readonly<Record<CompanyFunction, readonly [string, string]>> = {
  engineering: ["engineer", "engineers"],
  sales: ["sales representative", "sales representatives"],
  marketing: ["marketer", "marketers"],
  product: ["product manager", "product managers"],
  support: ["support hire", "support hires"],
  security: ["security engineer", "security engineers"],
  operations: ["operations hire", "operations hires"],
  finance: ["finance hire", "finance hires"],
  people: ["recruiter", "recruiters"],
};

/** `5 senior engineers`. */
export function heads(count: number, fn: CompanyFunction, seniority?: string): string {
  const noun = PEOPLE[fn][count === 1 ? 0 : 1];
  return `${count} ${seniority === undefined ? "" : `${seniority} `}${noun}`;
}

/** How many and of what function; what the question leaves open is assumed and said. */
export function hiresOf({ figures, q }: TopicInput): {
  readonly count: number;
  readonly fn: CompanyFunction;
  readonly text: string;
} {
  const count = q.quantity ?? 1;
  const fn = q.fn ?? "engineering";
  if (q.quantity === undefined) figures.state("question.quantity", "Hires: 1 (the question names no number)");
  if (q.fn === undefined)
    figures.state("question.function", "Function: engineering (the question names none)");
  return { count, fn, text: `hiring ${heads(count, fn, q.seniority)}${when(q)}` };
}

/** ` in Q3`, or nothing. */
export function when(q: Particulars): string {
  if (q.period === undefined) return "";
  return /^(?:the next|this|next)/.test(q.period.label)
    ? ` ${q.period.label.replace(/^the next/, "within")}`
    : ` in ${q.period.label}`;
}

/** Trims a draft to the format: one line each, at most three data points, at least two: the spare ones fill up. */
export function fitted(draft: Draft, spare: readonly string[]): Draft {
  const lines = (texts: readonly string[]) =>
    texts.map((text) => oneLine(text)).filter((text) => text !== "");
  const own = [...new Set(lines(draft.data))];
  const all = own.length >= 2 ? own : [...new Set([...own, ...lines(spare)])].slice(0, 2);
  return {
    ...draft,
    finding: oneLine(draft.finding),
    data: all.slice(0, 3),
    caveat: oneLine(draft.caveat, 1_200),
  };
}
