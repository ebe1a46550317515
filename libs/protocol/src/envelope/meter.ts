// Pure: counts the work of the reader, so that a test can show that it grows as its input does.

/** Characters looked at, each time they are looked at. */
export interface Meter {
  steps: number;
}
