import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Horizon } from "./horizon.ts";

describe("the horizon", () => {
  it("moves with this process's own events while nobody else writes", () => {
    const horizon = new Horizon();
    horizon.begin(7);
    horizon.settled("a", 8);
    horizon.settled("b", 9);
    expect(horizon.seq).toBe(9);
  });

  it("stays before what another has stored in between, until the feed brings it", () => {
    const horizon = new Horizon();
    horizon.begin(7);
    horizon.settled("a", 9);
    expect(horizon.seq).toBe(7);
    horizon.fed(8);
    expect(horizon.seq).toBe(9);
  });

  it("stays before an event that the feed passed over, until its append is acknowledged", () => {
    const horizon = new Horizon();
    horizon.begin(7);
    horizon.fed(8, "a");
    horizon.fed(9);
    expect(horizon.seq).toBe(7);
    horizon.settled("a", 8);
    expect(horizon.seq).toBe(9);
  });

  it("never passes an event that is not applied, and passes all in the end, in whatever order they come", () => {
    const order = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }).chain((own) =>
      fc.tuple(
        fc.constant(own),
        fc.shuffledSubarray(
          own.flatMap((mine, i) => (mine ? [i + 1] : [])),
          { minLength: own.filter(Boolean).length },
        ),
        fc.infiniteStream(fc.boolean()),
      ),
    );
    fc.assert(
      fc.property(order, ([own, acknowledged, feedFirst]) => {
        const horizon = new Horizon();
        const applied = new Set<number>();
        const acks = [...acknowledged];
        const holds = (): void => {
          const { seq } = horizon;
          for (let one = 1; one <= seq; one++) expect(applied.has(one)).toBe(true);
        };
        let next = 1;
        while (next <= own.length || acks.length > 0) {
          const feeds = next <= own.length && (acks.length === 0 || feedFirst.next().value === true);
          if (feeds) {
            const mine = own[next - 1] === true;
            const isApplied = !mine || applied.has(next);
            if (!mine) applied.add(next);
            horizon.fed(next, isApplied ? undefined : `s${next}`);
            next++;
          } else {
            const seq = acks.shift() ?? 0;
            applied.add(seq);
            horizon.settled(`s${seq}`, seq);
          }
          holds();
        }
        expect(horizon.seq).toBe(own.length);
      }),
    );
  });
});
