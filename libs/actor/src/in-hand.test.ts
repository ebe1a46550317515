// The invariants H1 to H3 of in-hand.ts, with a clock that is turned by hand.
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { InHand } from "./in-hand.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ACK_WAIT = 1_000;

test("H1: whenever it is taken, no delivery is silent for longer than half of ack_wait", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(600), { minLength: 1, maxLength: 6 }), async (gaps) => {
      const inHand = new InHand(ACK_WAIT);
      const lasts: { last: number; worst: number; working(): void }[] = [];
      for (const gap of gaps) {
        await vi.advanceTimersByTimeAsync(gap);
        const one = {
          last: performance.now(),
          worst: 0,
          working(): void {
            one.worst = Math.max(one.worst, performance.now() - one.last);
            one.last = performance.now();
          },
        };
        lasts.push(one);
        inHand.add(one);
      }
      await vi.advanceTimersByTimeAsync(5_000);
      for (const one of lasts) {
        expect(one.worst).toBeGreaterThan(0);
        expect(one.worst).toBeLessThanOrEqual(ACK_WAIT / 2);
        inHand.remove(one);
      }
    }),
    { numRuns: 100 },
  );
});

test("H2 and H3: what has ended is left alone, and the timer goes with the last", async () => {
  const inHand = new InHand(ACK_WAIT);
  const working = vi.fn<() => void>();
  const delivery = { working };
  inHand.add(delivery);
  const idle = inHand.idle();
  inHand.remove(delivery);
  await idle;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(working).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
