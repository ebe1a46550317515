import { decodeTime } from "ulid";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runIdOf } from "./ids.ts";
import { parseTraceparent, spans, traceIdOf, traceIdOrNone, traceparentOf } from "./trace.ts";

describe("a run's trace", () => {
  it("is the run's id in other digits: its time stands in front, no two runs share it", () => {
    const run = runIdOf(1_767_225_600_000, "a");
    expect(Number.parseInt(traceIdOf(run).slice(0, 12), 16)).toBe(decodeTime(run));
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const [one, other] = [runIdOf(5, a), runIdOf(5, b)];
        expect(traceIdOf(one)).toMatch(/^[0-9a-f]{32}$/);
        expect(traceIdOf(one) === traceIdOf(other)).toBe(one === other);
      }),
    );
    expect(traceIdOf("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")).toBe("f".repeat(32));
  });

  it("names a span alike wherever it is named, and two spans differently", () => {
    const run = runIdOf(1, "a");
    const ids = [
      spans.run(run),
      spans.handoff(run, "h"),
      spans.attempt(run, "h", 1),
      spans.attempt(run, "h", 2),
      spans.invocation(run, "h"),
    ];
    expect(new Set(ids).size).toBe(5);
    expect(spans.attempt(run, "h", 1)).toBe(ids[2]);
    expect(parseTraceparent(traceparentOf(run, spans.run(run)))).toEqual({
      traceId: traceIdOf(run),
      spanId: ids[0],
    });
  });

  it.each(["", "00-0-0-01", `00-${"0".repeat(32)}-${"1".repeat(16)}-01`, "x".repeat(55)])(
    "%j is no traceparent",
    (text) => {
      expect(parseTraceparent(text)).toBeUndefined();
    },
  );

  it("stands in log lines of runs alone", () => {
    expect(traceIdOrNone("main")).toBeUndefined();
    expect(traceIdOrNone(runIdOf(1, "a"))).toMatch(/^[0-9a-f]{32}$/);
  });
});
