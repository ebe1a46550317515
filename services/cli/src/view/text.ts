// Pure: small texts that several views share.
import cliTruncate from "cli-truncate";
import stringWidth from "string-width";

/** `0.4s`, `12s`, `3m05s`. @param ms may be negative: then 0 */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(Math.floor(seconds % 60)).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`;
}

/** One line of at most `width` columns; control characters, which could move the cursor, become spaces. */
export function oneLine(text: string, width: number): string {
  const flat = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return cliTruncate(flat, Math.max(1, width));
}

/** Columns of a table, padded to their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, stringWidth(cell));
  }
  const pad = (cell: string, i: number): string => cell + " ".repeat((widths[i] ?? 0) - stringWidth(cell));
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}
