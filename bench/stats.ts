// Pure: what a series of measurements says.

/** Latencies in ms. */
export interface Latency {
  readonly n: number;
  readonly p50: number;
  readonly p99: number;
}

/** @param samples ms, in any order */
export function latencyOf(samples: readonly number[]): Latency {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { n: sorted.length, p50: at(0.5), p99: at(0.99) };
}

/** A table of text columns, the first left-aligned. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  "),
    )
    .join("\n");
}

export const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
export const rate = (value: number): string => Math.round(value).toString();
