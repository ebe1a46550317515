// Pure: calendar arithmetic on ISO dates (YYYY-MM-DD), in UTC.

const DAY = 86_400_000;
/** Days of an average month. */
export const DAYS_PER_MONTH = 365.25 / 12;

function epoch(date: string): number {
  return Date.parse(`${date.slice(0, 10)}T00:00:00Z`);
}

/** Whole days from one date to another; negative where the second is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((epoch(to) - epoch(from)) / DAY);
}

/** The date so many days later, rounded to whole days. */
export function addDays(date: string, days: number): string {
  return new Date(epoch(date) + Math.round(days) * DAY).toISOString().slice(0, 10);
}

/** The date, or the Monday after where it falls on a weekend. */
export function workday(date: string): string {
  const weekday = new Date(epoch(date)).getUTCDay();
  return addDays(date, weekday === 6 ? 2 : weekday === 0 ? 1 : 0);
}

/** A stretch of days, both ends included. */
export interface Period {
  readonly start: string;
  readonly end: string;
  /** As people say it: `Q3`, `Q3 2027`, `the next 90 days`. */
  readonly label: string;
}

const iso = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** A calendar quarter, 1 to 4. */
export function quarterOf(year: number, quarter: number): Omit<Period, "label"> {
  return { start: iso(year, (quarter - 1) * 3, 1), end: iso(year, quarter * 3, 0) };
}

/** A calendar month, 0 to 11. */
export function monthOf(year: number, month: number): Omit<Period, "label"> {
  return { start: iso(year, month, 1), end: iso(year, month + 1, 0) };
}

/** Year and quarter (1 to 4) of a date. */
export function yearAndQuarter(date: string): { readonly year: number; readonly quarter: number } {
  const day = new Date(epoch(date));
  return { year: day.getUTCFullYear(), quarter: Math.floor(day.getUTCMonth() / 3) + 1 };
}
