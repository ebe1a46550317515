// Pure: incidents and downtime.

/** Money incidents will cost in the next 90 days at the rate of the last: `incidents × cost`. */
export function incidentCost90d(incidents: number, costPerIncident: number): number {
  return incidents * costPerIncident;
}

/** Hours down in 90 days: `(1 − uptime) × 90 × 24`. */
export function downtimeHours90d(uptimePct: number): number {
  return (1 - uptimePct / 100) * 90 * 24;
}
