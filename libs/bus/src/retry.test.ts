import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pauseOf } from "./retry.ts";

describe("pauseOf", () => {
  it("grows, never exceeds half a second, and never falls below half of its step", () => {
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const step = Math.min(500, 20 * 2 ** attempt);
          const pause = pauseOf(attempt, () => random);
          expect(pause).toBeGreaterThanOrEqual(step / 2);
          expect(pause).toBeLessThanOrEqual(step);
        },
      ),
    );
  });
});
