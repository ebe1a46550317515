// Pure: the CTO's and CPO's calculations: can it ship in time, what capacity there is, how the roadmap stands.
import { calendarWeeks, capacityWeeks, realisticWeeks } from "../calculators/delivery.ts";
import { addDays, daysBetween, quarterOf, yearAndQuarter, type Period } from "../dates.ts";
import { cannot, type Draft, type TopicInput } from "../draft.ts";
import { percent } from "../format.ts";
import type { CompanyRoadmapItem } from "../schema.ts";

/** Load above which a plan has no room for a surprise. */
const COMFORTABLE = 0.85;
const weeks = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : "no end of");

export function delivery({ figures, q }: TopicInput): Draft {
  const open = (figures.situation.company.product?.roadmap ?? []).filter((entry) => entry.status !== "done");
  const item = q.item ?? open[0];
  if (item === undefined) {
    figures.missing.add("product.roadmap");
    return cannot("Whether it ships", figures);
  }
  if (q.item === undefined) {
    figures.state(
      "question.item",
      `Feature: ${item.name} (the question names none of the roadmap; it is the first open item)`,
    );
  }
  if (item.status === "done") {
    return {
      finding: `${item.name} is done.`,
      data: [`Status of ${item.name}: done`, `Other items open: ${open.length}`],
      confidence: "high",
      caveat: "As the roadmap in company.yaml says.",
      computed: true,
    };
  }
  const until = deadlineOf(item, q.period, q.today);
  const { people, queue } = whoWorks({ figures, q }, item, open);
  const focus = figures.get(["engineering", "focus_pct"]);
  const overrun = figures.get(["engineering", "estimate_overrun_pct"]);
  const left = queue.map((entry) => figures.get(["product", "roadmap", entry.name, "remaining_weeks"]));
  const own = left.at(-1);
  if (!people || !focus || !overrun || !own || left.includes(undefined)) {
    return cannot(`Whether ${item.name} ships by ${until.end}`, figures, [people, own]);
  }
  const estimate = left.reduce((sum, figure) => sum + (figure?.value ?? 0), 0);
  const demand = realisticWeeks(estimate, overrun.value);
  const available = daysBetween(q.today, until.end) / 7;
  const capacity = capacityWeeks(people.value, available, focus.value);
  const calendar = calendarWeeks(demand, people.value, focus.value);
  const done = Number.isFinite(calendar) ? addDays(q.today, Math.min(calendar * 7, 36_500)) : "no date";
  const load = demand <= 0 ? 0 : capacity <= 0 ? Infinity : demand / capacity;
  const verdict = load <= COMFORTABLE ? "Yes" : load <= 1 ? "Barely" : "No";
  const ahead =
    queue.length > 1 ? `, ${queue.length - 1} item${queue.length > 2 ? "s" : ""} before it included` : "";
  return {
    finding: `${verdict}: ${item.name} is done about ${done}, ${done <= until.end ? "before" : "after"} ${until.end} (${until.label}).`,
    data: [
      `Work left: ${weeks(demand)} person-weeks (${weeks(estimate)} estimated × ${(1 + overrun.value / 100).toFixed(2)} for overruns${ahead})`,
      `Capacity until ${until.end}: ${weeks(capacity)} person-weeks (${people.value} people × ${weeks(Math.max(0, available))} weeks × ${percent(focus.value)} on the roadmap)`,
      `Load: ${Number.isFinite(load) ? percent(load * 100) : "beyond any capacity"} (work / capacity); above ${percent(COMFORTABLE * 100)} there is no room for a surprise`,
    ],
    confidence: "medium",
    caveat:
      "Assumes that the scope stays, that the work can be split among all on it, and that nobody leaves or is called away.",
    computed: true,
  };
}

function deadlineOf(item: CompanyRoadmapItem, asked: Period | undefined, today: string): Period {
  if (asked !== undefined) return asked;
  if (item.due !== undefined) return { start: today, end: item.due, label: "as promised" };
  const { year, quarter } = yearAndQuarter(today);
  return { ...quarterOf(year, quarter), label: "this quarter" };
}

/** An item with its own people is theirs alone; all others queue, in the roadmap's order, for the engineers that are left. */
function whoWorks({ figures }: TopicInput, item: CompanyRoadmapItem, open: readonly CompanyRoadmapItem[]) {
  if (item.engineers !== undefined) {
    return { people: figures.get(["product", "roadmap", item.name, "engineers"]), queue: [item] };
  }
  const all = figures.get(["engineering", "engineers"]);
  const taken = open.reduce((sum, entry) => sum + (entry.engineers ?? 0), 0);
  const people = all === undefined ? undefined : { ...all, value: Math.max(0, all.value - taken) };
  const shared = open.filter((entry) => entry.engineers === undefined);
  return { people, queue: shared.slice(0, shared.indexOf(item) + 1) };
}

export function capacity({ figures, q }: TopicInput): Draft {
  const engineers = figures.get(["engineering", "engineers"]);
  const focus = figures.get(["engineering", "focus_pct"]);
  const debt = figures.known(["engineering", "tech_debt_pct"]);
  const velocity = figures.known(["engineering", "velocity_points"]);
  const sprint = figures.known(["engineering", "sprint_weeks"]);
  if (!engineers || !focus) return cannot("Engineering capacity", figures, [engineers, velocity]);
  const end = q.period?.end ?? addDays(q.today, 90);
  const start = q.period !== undefined && q.period.start > q.today ? q.period.start : q.today;
  const span = Math.max(0, daysBetween(start, end) / 7);
  const total = capacityWeeks(engineers.value, span, focus.value);
  const lost = debt === undefined ? undefined : capacityWeeks(engineers.value, span, debt.value);
  return {
    finding: `Engineering has ${weeks(total)} person-weeks for the roadmap from ${start} to ${end}.`,
    data: [
      `Capacity: ${weeks(total)} person-weeks (${engineers.value} engineers × ${weeks(span)} weeks × ${percent(focus.value)} on the roadmap)`,
      debt === undefined || lost === undefined
        ? ""
        : `${figures.point(debt)}; ${weeks(lost)} person-weeks until then`,
      [velocity, sprint]
        .flatMap((figure) => (figure === undefined ? [] : [figures.point(figure)]))
        .join("; "),
      figures.point(focus),
    ],
    confidence: "high",
    caveat:
      "Holidays, leave and incidents are not deducted beyond the share of time that goes into the roadmap.",
    computed: true,
  };
}

export function roadmap({ figures, q }: TopicInput): Draft {
  const items = figures.situation.role === "cpo" ? figures.situation.company.product?.roadmap : undefined;
  const adoption = figures.known(["product", "feature_adoption_pct"]);
  const active = figures.known(["product", "weekly_active_pct"]);
  const nps = figures.known(["product", "nps"]);
  const use = [adoption, active, nps].flatMap((figure) =>
    figure === undefined ? [] : [figures.point(figure)],
  );
  if (items === undefined || items.length === 0) {
    figures.missing.add("product.roadmap");
    return cannot("The state of the roadmap", figures, [adoption, active, nps]);
  }
  const open = items.filter((item) => item.status !== "done");
  const late = open.filter((item) => item.due !== undefined && item.due < q.today);
  const effort = open.reduce((sum, item) => sum + (item.remaining_weeks ?? 0), 0);
  const next = open[0];
  return {
    finding:
      next === undefined
        ? "Every item of the roadmap is done."
        : `Next on the roadmap is ${next.name}${next.due === undefined ? "" : ` (due ${next.due})`}; ${open.length} items are open, ${late.length} of them late.`,
    data: [
      `Open items: ${open.length}, ${weeks(effort)} person-weeks as estimated`,
      late.length === 0
        ? "Late items: 0"
        : `Late items: ${late.length} (${late.map((item) => item.name).join(", ")})`,
      use.join("; "),
    ],
    confidence: open.some((item) => item.remaining_weeks === undefined) ? "medium" : "high",
    caveat: "Estimates of work that has not begun are the least certain.",
    computed: true,
  };
}
