// Pure: the CISO's calculations: incidents, downtime, findings and compliance.
import { downtimeHours90d, incidentCost90d } from "../calculators/risk.ts";
import { addDays, daysBetween } from "../dates.ts";
import { cannot, cash, type Draft, type TopicInput } from "../draft.ts";
import type { CompanyMarket } from "../schema.ts";

export function security({ figures }: TopicInput): Draft {
  const incidents = figures.get(["security", "incidents_90d"]);
  const cost = figures.known(["security", "cost_per_incident"]);
  const critical = figures.known(["security", "open_critical_findings"]);
  const high = figures.known(["security", "open_high_findings"]);
  const uptime = figures.known(["security", "uptime_90d_pct"]);
  const recover = figures.known(["security", "mttr_hours"]);
  if (incidents === undefined) return cannot("Incident risk", figures, [critical, high, uptime]);
  const expected = cost === undefined ? undefined : incidentCost90d(incidents.value, cost.value);
  const risk =
    (critical?.value ?? 0) > 0
      ? "High"
      : incidents.value > 3 || (high?.value ?? 0) > 5
        ? "Elevated"
        : "Normal";
  return {
    finding: `${risk} risk: ${incidents.value} incidents in the last 90 days, ${critical?.value ?? "an unknown number of"} critical findings open${expected === undefined ? "" : `; about ${cash(figures, expected)} in the next 90 days at that rate`}.`,
    data: [
      expected === undefined || cost === undefined
        ? figures.point(incidents)
        : `${figures.point(incidents)}; expected cost of the next 90 days: ${cash(figures, expected)} (incidents × ${cash(figures, cost.value)})`,
      [critical, high].flatMap((figure) => (figure === undefined ? [] : [figures.point(figure)])).join("; "),
      [
        ...(uptime === undefined
          ? []
          : [`${figures.point(uptime)} (${downtimeHours90d(uptime.value).toFixed(1)} hours down)`]),
        ...(recover === undefined ? [] : [figures.point(recover)]),
      ].join("; "),
    ],
    confidence: critical === undefined ? "medium" : "high",
    caveat: "The past 90 days are no bound for the next: a single breach can cost many times the average.",
    computed: true,
  };
}

/** Certificates a market asks for that the company does not hold. */
export function notHeld(
  market: CompanyMarket | undefined,
  held: readonly { readonly name: string; readonly status: string }[],
) {
  return (market?.requires ?? []).filter(
    (name) =>
      !held.some((entry) => entry.name.toLowerCase() === name.toLowerCase() && entry.status === "certified"),
  );
}

export function compliance({ figures, q }: TopicInput): Draft {
  const items =
    figures.situation.role === "ciso" ? figures.situation.company.security?.compliance : undefined;
  if (items === undefined || items.length === 0) {
    figures.missing.add("security.compliance");
    return cannot("The state of compliance", figures, [
      figures.known(["security", "open_critical_findings"]),
    ]);
  }
  const named = items.filter((item) => q.text.toLowerCase().includes(item.name.toLowerCase()));
  const about = named.length > 0 ? named : items;
  const held = about.filter((item) => item.status === "certified");
  const late = about.filter(
    (item) => item.due !== undefined && item.due < q.today && item.status !== "certified",
  );
  const soon = about.filter(
    (item) => item.due !== undefined && item.due >= q.today && item.due <= addDays(q.today, 90),
  );
  const lacking = notHeld(q.market, items);
  return {
    finding: `${held.length} of ${about.length} certified (${about.map((item) => `${item.name}: ${item.status.replace("_", " ")}`).join(", ")})${
      lacking.length === 0 ? "" : `; ${q.market?.name ?? "the market"} also asks for ${lacking.join(", ")}`
    }.`,
    data: [
      `Certified: ${held.length === 0 ? "none" : held.map((item) => item.name).join(", ")}`,
      late.length === 0
        ? "Overdue: none"
        : `Overdue: ${late.map((item) => `${item.name} (${daysBetween(item.due ?? q.today, q.today)} days)`).join(", ")}`,
      soon.length === 0
        ? "Due within 90 days: none"
        : `Due within 90 days: ${soon.map((item) => `${item.name} (${item.due ?? ""})`).join(", ")}`,
    ],
    confidence: "high",
    caveat: "Dates depend on auditors; open findings can delay them.",
    computed: true,
  };
}
