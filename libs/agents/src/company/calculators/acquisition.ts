// Pure: what a customer costs and brings.

/** Months until a customer's gross profit has paid for winning it: `CAC / (ARPA / 12 × gross margin)`. */
export function cacPaybackMonths(cac: number, arpa: number, grossMarginPct: number): number {
  const monthly = (arpa / 12) * (grossMarginPct / 100);
  return monthly <= 0 ? Infinity : cac / monthly;
}

/** Gross profit of a customer over its life: `ARPA × gross margin / annual churn`. */
export function lifetimeValue(arpa: number, grossMarginPct: number, churnPct: number): number {
  return churnPct <= 0 ? Infinity : (arpa * grossMarginPct) / churnPct;
}

/** Money a lead costs: `spend / leads`. */
export function costPerLead(monthlySpend: number, leadsPerMonth: number): number {
  return leadsPerMonth <= 0 ? Infinity : monthlySpend / leadsPerMonth;
}
