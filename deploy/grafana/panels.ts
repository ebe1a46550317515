// Pure: what a dashboard is made of.

/** One query of a panel. */
export interface Query {
  readonly expr: string;
  readonly legend: string;
}
export interface Panel {
  readonly title: string;
  readonly unit: "short" | "s" | "percentunit" | "reqps" | "bytes" | "currencyUSD" | "none";
  readonly kind: "timeseries" | "stat";
  readonly queries: readonly Query[];
}
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly panels: readonly Panel[];
}

export const q = (expr: string, legend = ""): Query => ({ expr, legend });

/** Lines over time. */
export const lines = (title: string, unit: Panel["unit"], ...queries: Query[]): Panel => ({
  title,
  unit,
  kind: "timeseries",
  queries,
});

/** One figure. */
export const stat = (title: string, unit: Panel["unit"], query: Query): Panel => ({
  title,
  unit,
  kind: "stat",
  queries: [query],
});

/** A percentile of a histogram. @param by labels to keep, e.g. `role` */
export const p = (share: number, histogram: string, by = ""): string =>
  `histogram_quantile(${share}, sum by (le${by === "" ? "" : `, ${by}`}) (rate(${histogram}_bucket[$__rate_interval])))`;
