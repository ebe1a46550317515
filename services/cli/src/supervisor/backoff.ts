// Pure: when a crashed process starts again, and when its crashes are a loop.

/** What happened to one process so far. */
export interface CrashHistory {
  /** Crashes since it last ran long enough to count as well. */
  readonly crashes: number;
}

export const NO_CRASHES: CrashHistory = { crashes: 0 };

/** The first restart comes fast: a run's 30 seconds go on. */
const FIRST_MS = 100;
/** One try in ten seconds costs little and still heals what heals itself, such as a full disk. */
const LONGEST_MS = 10_000;
/** Who ran this long was well; what comes next is a new trouble. */
const WELL_AFTER_MS = 20_000;
/** So many crashes in a row are no accident. */
export const LOOP_AT = 5;

/** What to do after a crash. */
export interface Restart {
  readonly history: CrashHistory;
  readonly delayMs: number;
  /** True for the crash that makes it a loop: to be reported, once. */
  readonly loop: boolean;
}

/** @param ranMs how long the process ran before it crashed */
export function afterCrash(history: CrashHistory, ranMs: number): Restart {
  const crashes = ranMs >= WELL_AFTER_MS ? 1 : history.crashes + 1;
  return {
    history: { crashes },
    delayMs: Math.min(FIRST_MS * 2 ** (crashes - 1), LONGEST_MS),
    loop: crashes === LOOP_AT,
  };
}
