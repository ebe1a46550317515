// The invariants S1 to S6 of slots.ts, by properties over random schedules and by the deadlocks they exclude.
import { expect, test } from "vitest";
import * as fc from "fast-check";
import { Slots, type Lease } from "./slots.ts";

const never = new AbortController().signal;

/** Lets every promise that can go on do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One step of a schedule; `which` chooses among the leases it can apply to. */
const step = fc.record({
  act: fc.constantFrom("pull", "empty", "work", "leave", "return", "abort", "end"),
  which: fc.nat(20),
});

interface Running {
  readonly lease: Lease;
  readonly back: PromiseWithResolvers<void>;
  readonly abort: AbortController;
  away: boolean;
  dead: boolean;
}

test("S1 to S6 hold in every schedule, and nothing is stuck at its end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { maxLength: 40 }),
      async (size, steps) => {
        let reported = 0;
        const slots = new Slots(size, (inUse) => {
          reported = inUse;
        });
        let granted = 0;
        const running: Running[] = [];
        const pick = (list: readonly Running[], which: number): Running | undefined =>
          list[which % Math.max(1, list.length)];
        for (const { act, which } of steps) {
          if (act === "pull") {
            void slots.acquire().then((yes) => {
              if (yes) granted++;
            });
          } else if (act === "empty" && granted > 0) {
            granted--;
            slots.release();
          } else if (act === "work" && granted > 0) {
            granted--;
            const one: Running = {
              lease: slots.lease(),
              back: Promise.withResolvers(),
              abort: new AbortController(),
              away: false,
              dead: false,
            };
            running.push(one);
            one.lease.ready(one.abort.signal).catch(() => {
              one.dead = true;
            });
          } else if (act === "leave") {
            const one = pick(
              running.filter((r) => r.lease.held && !r.away),
              which,
            );
            if (one !== undefined) {
              one.away = true;
              void one.lease
                .away(one.abort.signal, () => one.back.promise)
                .catch(() => {
                  one.dead = true;
                });
              expect(one.lease.held).toBe(false); // S3
            }
          } else if (act === "return") {
            pick(
              running.filter((r) => r.away),
              which,
            )?.back.resolve();
          } else if (act === "abort") {
            pick(running, which)?.abort.abort(new Error("stopped"));
          } else if (act === "end") {
            const one = pick(running, which);
            one?.lease.end();
            one?.lease.end(); // S2: twice is once
          }
          await settle();
          expect(running.filter((r) => r.lease.held).length).toBe(slots.inUse);
          expect(slots.inUse).toBeLessThanOrEqual(size); // S1
          expect(reported).toBe(slots.inUse);
        }
        // S4: all that is in hand gets its turn although pulls hold what they reserved.
        for (let left = running.length; left >= 0; left--) {
          for (const one of running) {
            one.back.resolve();
            if (one.lease.held) one.lease.end();
          }
          await settle();
        }
        expect(slots.inUse).toBe(0); // S2, S6
        expect(running.filter((r) => r.lease.held)).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});

test("S3: with one slot, work that waits for other work lets that other work in", async () => {
  const slots = new Slots(1);
  expect(await slots.acquire()).toBe(true);
  const parent = slots.lease();
  const child = Promise.withResolvers<void>();
  const waiting = parent.away(never, () => child.promise);
  expect(await slots.acquire()).toBe(true);
  const other = slots.lease();
  expect(other.held).toBe(true);
  other.end();
  child.resolve();
  await waiting;
  expect(parent.held).toBe(true);
});

test("S4: work that comes back does not wait for a pull that may bring nothing", async () => {
  const slots = new Slots(1);
  await slots.acquire();
  const work = slots.lease();
  const answer = Promise.withResolvers<void>();
  const waiting = work.away(never, () => answer.promise);
  await slots.acquire(); // the only slot is reserved by an outstanding pull
  answer.resolve();
  await waiting;
  expect(work.held).toBe(true);
  const late = slots.lease(); // the pull brought work after all
  expect(late.held).toBe(false);
  const ready = late.ready(never);
  work.end();
  await ready;
  expect(late.held).toBe(true);
});

test("S5: after close no pull is granted, and work in hand still gets its slot back", async () => {
  const slots = new Slots(1);
  await slots.acquire();
  const work = slots.lease();
  const queued = slots.acquire();
  slots.close();
  expect(await queued).toBe(false);
  expect(await slots.acquire()).toBe(false);
  await work.away(never, () => Promise.resolve());
  expect(work.held).toBe(true);
});

test("S6: a return that is aborted takes no slot", async () => {
  const slots = new Slots(1);
  await slots.acquire();
  const first = slots.lease();
  const stop = new AbortController();
  const answer = Promise.withResolvers<void>();
  const waiting = first.away(stop.signal, () => answer.promise);
  await slots.acquire();
  const second = slots.lease();
  answer.resolve();
  await settle();
  stop.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  expect(first.held).toBe(false);
  second.end();
  expect(slots.inUse).toBe(0);
});

test("a slot that nobody reserved cannot be given back", () => {
  expect(() => new Slots(1).release()).toThrow(RangeError);
});
