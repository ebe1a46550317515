// Pure: can the engineers do the work in time.

/** Person-weeks for roadmap work: `engineers × weeks × focus`. */
export function capacityWeeks(engineers: number, weeks: number, focusPct: number): number {
  return (engineers * Math.max(0, weeks) * focusPct) / 100;
}

/** Person-weeks that estimates really take: `estimate × (1 + overrun)`. */
export function realisticWeeks(estimate: number, overrunPct: number): number {
  return estimate * (1 + overrunPct / 100);
}

/** Weeks on the calendar: `person-weeks / (engineers × focus)`. Infinity where nobody works on it. */
export function calendarWeeks(personWeeks: number, engineers: number, focusPct: number): number {
  if (personWeeks <= 0) return 0;
  const rate = (engineers * focusPct) / 100;
  return rate <= 0 ? Infinity : personWeeks / rate;
}
