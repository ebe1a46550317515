// Pure: how the CTO, the CPO, the CISO and the CEO judge a proposal: room in the roadmap, use of what is there, certificates, priorities.
import { capacityWeeks, realisticWeeks } from "../calculators/delivery.ts";
import { addDays, daysBetween } from "../dates.ts";
import type { TopicInput } from "../draft.ts";
import { listed, percent } from "../format.ts";
import { notHeld } from "../topics/security.ts";
import { priorityOf } from "../topics/strategy.ts";
import { banded, points, undecided, type Position } from "./position.ts";

/** Load of engineering that leaves room for a surprise, and that is just possible, in percent. */
const LOAD = { good: 85, bearable: 100 } as const;
/** Percent of accounts that use the last release, below which more of it is doubtful. */
const LOW_ADOPTION = 30;
/** Open high findings from which they come first. */
const MANY_HIGH = 5;

export function cto(input: TopicInput): Position {
  const { figures, q } = input;
  const engineers = figures.get(["engineering", "engineers"]);
  const focus = figures.get(["engineering", "focus_pct"]);
  const overrun = figures.get(["engineering", "estimate_overrun_pct"]);
  const debt = figures.known(["engineering", "tech_debt_pct"]);
  const known = points(input, engineers, focus, overrun, debt);
  const items = figures.situation.company.product?.roadmap ?? [];
  const open = items.filter((item) => item.status !== "done");
  if (!engineers || !focus || !overrun || items.length === 0)
    return undecided("The load of engineering", known);
  const end = q.period?.end ?? addDays(q.today, 90);
  const estimate = open
    .filter((item) => (item.due ?? end) <= end)
    .reduce((sum, item) => sum + (item.remaining_weeks ?? 0), 0);
  const demand = realisticWeeks(estimate, overrun.value);
  const capacity = capacityWeeks(engineers.value, daysBetween(q.today, end) / 7, focus.value);
  const load = capacity <= 0 ? (demand > 0 ? Infinity : 0) : (100 * demand) / capacity;
  const shown = Number.isFinite(load) ? percent(load) : "beyond capacity";
  return {
    stance: banded(load, LOAD.good, LOAD.bearable),
    points: [
      `Engineering load until ${end}: ${shown} (${demand.toFixed(1)} person-weeks promised / ${capacity.toFixed(1)} of capacity)`,
      ...known,
    ],
    reason: `engineering is loaded to ${shown} until ${end}`,
    condition: `engineering load comes down to ${percent(LOAD.good)}`,
    wouldChange: `engineering load ${load <= LOAD.good ? "above" : "at or below"} ${percent(LOAD.good)} once the proposal's own work is estimated`,
    against: "the engineering work of the proposal is not estimated, and estimates have been exceeded before",
  };
}

export function cpo(input: TopicInput): Position {
  const { figures, q } = input;
  const adoption = figures.known(["product", "feature_adoption_pct"]);
  const active = figures.known(["product", "weekly_active_pct"]);
  const nps = figures.known(["product", "nps"]);
  const items = figures.situation.company.product?.roadmap;
  if (items === undefined || items.length === 0) {
    figures.missing.add("product.roadmap");
    return undecided("The roadmap", points(input, adoption, active, nps));
  }
  const open = items.filter((item) => item.status !== "done");
  const late = open.filter((item) => item.due !== undefined && item.due < q.today);
  const unused = adoption !== undefined && adoption.value < LOW_ADOPTION;
  const worries = [
    ...(late.length > 0 ? [`${late.length} roadmap items are late`] : []),
    ...(unused ? ["adoption is low"] : []),
  ];
  const next = open[0];
  return {
    stance: worries.length === 0 ? "for" : worries.length === 1 ? "conditional" : "against",
    points: [
      `Roadmap: ${open.length} items open, ${late.length} late${next === undefined ? "" : `; next is ${next.name}`}`,
      ...points(input, adoption, active, nps),
    ],
    reason: worries.length === 0 ? "the roadmap is on time and what was shipped is used" : listed(worries),
    condition: "nothing promised on the roadmap moves",
    wouldChange: "a roadmap date that slips, or adoption that turns",
    against: `the roadmap has ${open.length} items open: each new promise moves one of them`,
  };
}

export function ciso(input: TopicInput): Position {
  const { figures, q } = input;
  const critical = figures.known(["security", "open_critical_findings"]);
  const high = figures.known(["security", "open_high_findings"]);
  const incidents = figures.get(["security", "incidents_90d"]);
  const held = figures.situation.company.security?.compliance ?? [];
  const known = points(input, incidents, critical, high);
  if (incidents === undefined && critical === undefined) return undecided("The state of security", known);
  const lacking = notHeld(q.market, held);
  const certificates = held.map((entry) => `${entry.name} ${entry.status.replace("_", " ")}`).join(", ");
  const stance =
    (critical?.value ?? 0) > 0
      ? "against"
      : lacking.length > 0 || (high?.value ?? 0) > MANY_HIGH
        ? "conditional"
        : "for";
  return {
    stance,
    points: [
      ...(lacking.length === 0
        ? []
        : [
            `Compliance that ${q.market?.name ?? "the market"} asks for and we do not hold: ${lacking.join(", ")}`,
          ]),
      ...(certificates === "" ? [] : [`Compliance: ${certificates}`]),
      ...known,
    ],
    reason:
      stance === "against"
        ? `${critical?.value ?? 0} critical findings are open`
        : lacking.length > 0
          ? `compliance lacks ${lacking.join(", ")}`
          : `security shows ${incidents?.value ?? "an unknown number of"} incidents in 90 days and ${critical?.value ?? "an unknown number of"} critical findings`,
    condition:
      lacking.length > 0
        ? `${lacking.join(", ")} is certified before the launch`
        : `open high findings fall to ${MANY_HIGH}`,
    wouldChange: "a new critical finding, or a certificate that slips",
    against: "every new system, market and person widens what security has to watch",
  };
}

export function ceo(input: TopicInput): Position {
  const { figures, q } = input;
  const list = figures.situation.company.strategy?.priorities ?? [];
  if (list.length === 0) {
    figures.missing.add("strategy.priorities");
    return undecided("The order of priorities", []);
  }
  const match = priorityOf(q.text, list);
  const rank = match?.rank ?? Infinity;
  return {
    // That no priority names it is no argument against it, only a reason to say what it replaces.
    stance: rank <= 2 ? "for" : "conditional",
    atMost: "medium",
    points: [
      match === undefined
        ? "None of the priorities is about this"
        : `Priority ${match.rank} of ${list.length} is about this: ${match.priority}`,
      ...list
        .slice(0, 3)
        .map((priority, index) => `Priority ${index + 1}: ${priority}`)
        .filter((_, index) => index + 1 !== rank),
    ],
    reason:
      match === undefined
        ? "no priority of the year names it"
        : `it serves priority ${match.rank} of ${list.length}`,
    condition:
      match === undefined
        ? "it is put in the place of one of the priorities"
        : "the priorities before it are on track",
    wouldChange:
      match === undefined
        ? "a decision to make it a priority, and which one it replaces"
        : "a priority above it falling behind",
    against: `it takes attention from "${list.find((_, index) => index + 1 !== rank) ?? list[0] ?? ""}"`,
  };
}
