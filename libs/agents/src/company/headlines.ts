// Pure: the numbers a role has at hand for any question, and questions that name numbers of the file outright.
import { cannot, type Draft, type TopicInput } from "./draft.ts";
import type { Figures, NumberPath } from "./figures.ts";
import { listed, oneLine, wordsAt } from "./format.ts";
import { numberInfo, numberKeys, type CsuiteRole } from "./owners.ts";
import { FUNCTIONS, SENIORITIES, type Company } from "./schema.ts";
import { weightedPipeline } from "./topics/revenue.ts";
import { topicsOf } from "./topics.ts";

const HEADLINES: Readonly<Record<CsuiteRole, readonly NumberPath[]>> = {
  ceo: [],
  cfo: [
    ["finance", "cash"],
    ["finance", "monthly_burn"],
    ["finance", "gross_margin_pct"],
  ],
  cro: [
    ["revenue", "arr"],
    ["pipeline", "weighted_90d"],
    ["revenue", "churn_pct"],
  ],
  cmo: [
    ["marketing", "monthly_spend"],
    ["marketing", "leads_per_month"],
    ["marketing", "cac"],
  ],
  cpo: [
    ["product", "weekly_active_pct"],
    ["product", "feature_adoption_pct"],
    ["product", "nps"],
  ],
  cto: [
    ["engineering", "engineers"],
    ["engineering", "focus_pct"],
    ["engineering", "tech_debt_pct"],
  ],
  chro: [
    ["people", "headcount", "engineering"],
    ["people", "time_to_hire_days", "engineering", "senior"],
    ["people", "attrition_pct"],
  ],
  coo: [
    ["operations", "loaded_cost_monthly", "engineering"],
    ["operations", "onboarding_cost_per_hire"],
    ["operations", "onboarding_capacity_per_month"],
  ],
  ciso: [
    ["security", "incidents_90d"],
    ["security", "open_critical_findings"],
    ["security", "uptime_90d_pct"],
  ],
};

/** A role's own main numbers that the file has, as data points. */
export function headlines(figures: Figures): readonly string[] {
  const { role, company } = figures.situation;
  if (role === "ceo")
    return (company.strategy?.priorities ?? []).map((item, index) => `Priority ${index + 1}: ${item}`);
  return HEADLINES[role].flatMap((path) => {
    const figure = figures.known(path);
    return figure === undefined ? [] : [figures.point(figure)];
  });
}

/** Data points of last resort: there are two in every answer. */
export function lastResort(figures: Figures): readonly string[] {
  const { company } = figures.situation;
  return [
    `Figures of: ${company.name ?? "the company"}${company.as_of === undefined ? ", date not given" : `, ${company.as_of}`}`,
    "Source: company.yaml",
  ];
}

/** What is said where no calculation fits. */
export function overview({ figures, q }: TopicInput): Draft {
  const own = headlines(figures);
  const { role } = figures.situation;
  if (own.length === 0 && role !== "ceo") for (const path of HEADLINES[role]) figures.get(path);
  const missing =
    figures.missing.size === 0 ? "" : ` Missing in company.yaml: ${listed([...figures.missing])}.`;
  return {
    finding: `No calculation fits "${oneLine(q.text, 160)}"; these are the ${role.toUpperCase()}'s own numbers.`,
    data: own,
    confidence: "low",
    caveat: `The question was not understood as one of the topics that can be calculated.${missing}`,
    computed: false,
  };
}

/** Every number of the file by its label; names come from the file. */
function labelled(company: Company): readonly { readonly path: NumberPath; readonly label: string }[] {
  return numberKeys().flatMap((key) => {
    const parts = key.split(".");
    const names =
      parts[0] === "markets"
        ? (company.markets ?? []).map((entry) => entry.name)
        : parts[1] === "roadmap"
          ? (company.product?.roadmap ?? []).map((entry) => entry.name)
          : FUNCTIONS;
    const first = parts.indexOf("*");
    const once = first < 0 ? [parts] : names.map((name) => parts.with(first, name));
    const paths = once.flatMap((path) => {
      const second = path.indexOf("*");
      return second < 0 ? [path] : SENIORITIES.map((level) => path.with(second, level));
    });
    return paths.map((path) => ({ path, label: numberInfo(path).label.toLowerCase() }));
  });
}

const ASKS_NUMBERS = /^\s*what(?:'s| is| are)\b(?: our)?/i;
const NEEDED_FOR = /\(needed for [^()]*(?:\([^()]*\)[^()]*)*\)/i;

/** The question one role asks another for numbers: each is named by its label. */
export function askForNumbers(labels: readonly string[], subject: string): string {
  const names = listed(
    labels.map((label) =>
      /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label,
    ),
  );
  return oneLine(
    `What ${labels.length === 1 ? "is" : "are"} our ${names}${subject === "" ? "" : ` (needed for ${subject})`}?`,
    1_000,
  );
}

/** The numbers a question names and asks for and nothing else; none where it is about a topic besides. */
export function numbersNamed(text: string, company: Company): readonly NumberPath[] {
  if (!ASKS_NUMBERS.test(text)) return [];
  let rest = ` ${text.toLowerCase().replace(NEEDED_FOR, "").replaceAll("[", "(").replaceAll("]", ")").replace(/\s+/g, " ")} `;
  const found: { readonly path: NumberPath; readonly at: number }[] = [];
  // Longer labels first: "ARR growth" is not "ARR".
  for (const { path, label } of labelled(company).toSorted((a, b) => b.label.length - a.label.length)) {
    const phrase = oneLine(label);
    const at = wordsAt(rest, phrase);
    if (at < 0) continue;
    found.push({ path, at });
    rest = rest.slice(0, at) + "·".repeat(phrase.length) + rest.slice(at + phrase.length);
  }
  if (topicsOf(rest).length > 0) return [];
  return found.toSorted((a, b) => a.at - b.at).map(({ path }) => path);
}

/** The answer to a question that names numbers. */
export function numbersAsked(paths: readonly NumberPath[]): (input: TopicInput) => Draft {
  return ({ figures }) => {
    const got = paths.map((path) =>
      // The stages say it where the sum is not written down.
      path.join(".") === "pipeline.weighted_90d" ? weightedPipeline(figures).figure : figures.get(path),
    );
    const have = got.flatMap((figure) => (figure === undefined ? [] : [figure]));
    if (have.length === 0) return cannot(listed(paths.map((path) => numberInfo(path).label)), figures);
    const lacking = paths.filter((_, index) => got[index] === undefined).map((path) => path.join("."));
    const points = have.map((figure) => figures.point(figure));
    // At most three data points: the last holds what is left.
    const data = points.length <= 3 ? points : [...points.slice(0, 2), points.slice(2).join("; ")];
    const own = have.every((figure) => figure.from === "file");
    return {
      finding: `${points.join("; ")}${lacking.length === 0 ? "" : `; missing in company.yaml: ${listed(lacking)}`}.`,
      data,
      confidence: lacking.length > 0 || !own ? "low" : "high",
      caveat: `As recorded in company.yaml${figures.situation.company.as_of === undefined ? "" : ` on ${figures.situation.company.as_of}`}.`,
      computed: lacking.length === 0 && own,
    };
  };
}
