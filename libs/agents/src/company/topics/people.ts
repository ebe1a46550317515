// Pure: the COO's cost of a hire and the CHRO's calculations: time to hire and head count.
import { addDays } from "../dates.ts";
import { cannot, cash, heads, hiresOf, type Draft, type TopicInput } from "../draft.ts";
import { listed, months } from "../format.ts";
import { FUNCTIONS, SENIORITIES } from "../schema.ts";

export function hiringCost(input: TopicInput): Draft {
  const { figures } = input;
  const { count, fn, text } = hiresOf(input);
  const loaded = figures.get(["operations", "loaded_cost_monthly", fn]);
  const onboarding = figures.get(["operations", "onboarding_cost_per_hire"]);
  const ramp = figures.get(["operations", "ramp_months", fn]);
  const capacity = figures.known(["operations", "onboarding_capacity_per_month"]);
  if (!loaded || !onboarding || !ramp)
    return cannot(`The cost of ${text}`, figures, [loaded, onboarding, ramp]);
  const monthly = count * loaded.value;
  const slow = capacity !== undefined && capacity.value > 0 && count > capacity.value;
  return {
    finding: `${heads(count, fn, input.q.seniority)} cost ${cash(figures, monthly)} a month fully loaded, and ${cash(figures, count * onboarding.value)} once for onboarding.`,
    data: [
      `${figures.point(loaded)} (${count} × ${cash(figures, loaded.value)} = ${cash(figures, monthly)})`,
      `${figures.point(onboarding)}; ${figures.point(ramp)}`,
      capacity === undefined
        ? `First-year cost: ${cash(figures, 12 * monthly + count * onboarding.value)} (12 × monthly + onboarding)`
        : `${figures.point(capacity)}; onboarding ${count} takes ${capacity.value > 0 ? months(count / capacity.value) : "more than there is"}`,
    ],
    confidence: "high",
    caveat: slow
      ? "More hires at once than can be onboarded in a month: the last ones start later."
      : "Salaries in new offers may differ from the average of the function.",
    computed: true,
  };
}

export function timeToHire(input: TopicInput): Draft {
  const { figures, q } = input;
  const { fn } = hiresOf({ figures, q: { ...q, quantity: q.quantity ?? 1 } });
  const table =
    figures.situation.role === "chro" ? figures.situation.company.people?.time_to_hire_days?.[fn] : undefined;
  const levels = SENIORITIES.filter((level) => typeof table === "object" && typeof table[level] === "number");
  const seniority = q.seniority ?? (levels.includes("senior") ? "senior" : levels[0]);
  if (q.seniority === undefined && levels.length > 0) {
    figures.state("question.seniority", `Seniority: ${seniority ?? "any"} (the question names none)`);
  }
  const time = figures.get([
    "people",
    "time_to_hire_days",
    fn,
    ...(seniority === undefined ? [] : [seniority]),
  ]);
  const open = figures.known(["people", "open_positions", fn]);
  const accepted = figures.known(["people", "offer_acceptance_pct"]);
  const whom = heads(2, fn, seniority).replace(/^2 /, "");
  if (time === undefined) return cannot(`Time to hire ${whom}`, figures, [open, accepted]);
  const by = addDays(q.today, time.value);
  const others = levels.flatMap((level) => {
    const days = typeof table === "object" ? table[level] : undefined;
    return typeof days === "number" ? [`${level} ${days}`] : [];
  });
  return {
    finding: `Typical time to hire ${whom} is ${figures.show(time)}: who is sought today starts about ${by}.`,
    data: [
      figures.point(time),
      ...(others.length > 1 ? [`Days by seniority: ${others.join(", ")}`] : []),
      [open, accepted].flatMap((figure) => (figure === undefined ? [] : [figures.point(figure)])).join("; "),
      `Earliest start: ${by} (${q.today} + ${time.value} days)`,
    ],
    confidence: time.from === "assumption" ? "low" : "high",
    caveat: "An average of past searches; a narrow profile or a refused offer takes longer.",
    computed: time.from !== "assumption",
  };
}

export function headcount({ figures, q }: TopicInput): Draft {
  const attrition = figures.known(["people", "attrition_pct"]);
  const of = (group: string) =>
    FUNCTIONS.flatMap((fn) => {
      const figure = figures.known(["people", group, fn]);
      return figure === undefined || (q.fn !== undefined && q.fn !== fn) ? [] : [{ fn, value: figure.value }];
    });
  const employed = of("headcount");
  const open = of("open_positions");
  if (employed.length === 0) {
    figures.get(["people", "headcount", q.fn ?? "engineering"]);
    return cannot("Headcount", figures, [attrition]);
  }
  const sum = (rows: readonly { readonly value: number }[]) =>
    rows.reduce((total, row) => total + row.value, 0);
  const named = (rows: readonly { readonly fn: string; readonly value: number }[]) =>
    rows.map((row) => `${row.fn} ${row.value}`).join(", ");
  const leave = attrition === undefined ? undefined : (sum(employed) * attrition.value) / 100;
  return {
    finding: `Headcount${q.fn === undefined ? "" : ` in ${q.fn}`} is ${sum(employed)}, with ${sum(open)} positions open.`,
    data: [
      `Headcount: ${sum(employed)} (${named(employed)})`,
      open.length === 0 ? "" : `Open positions: ${sum(open)} (${named(open)})`,
      attrition === undefined || leave === undefined
        ? ""
        : `${figures.point(attrition)}; about ${leave.toFixed(1)} people leave a year (headcount × attrition)`,
    ],
    confidence: "high",
    caveat: `Counts people employed, not contractors; ${listed(["leave", "part time"])} is not deducted.`,
    computed: true,
  };
}
