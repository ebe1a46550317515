// The invariants C1 to C3 of checkpoints.ts, with a clock that is turned by hand.
import { FirmError, Result, type CheckpointRequest } from "@firm/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Checkpoints } from "./checkpoints.ts";
import { memoryLog } from "./testing/fakes.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const partial = (summary: string): Result => Result.parse({ status: "partial", objective_key: "k", summary });

function checkpoints(answer: () => Promise<void> = () => Promise.resolve()) {
  const sent: CheckpointRequest[] = [];
  const refused: FirmError[] = [];
  const subject = new Checkpoints({
    send: (request) => {
      sent.push(request);
      return answer();
    },
    worker: "host/1",
    log: memoryLog().log,
    onRefused: (error) => refused.push(error),
    quietMs: 50,
    everyMs: 250,
  });
  return { subject, sent, refused };
}

test("C1: instant work sends nothing", async () => {
  const { subject, sent } = checkpoints();
  subject.save("half", partial("half"));
  await vi.advanceTimersByTimeAsync(49);
  await subject.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent).toEqual([]);
  expect(subject.latest?.summary).toBe("half");
});

test("C1: work that lasts says so once, then what it has", async () => {
  const { subject, sent } = checkpoints();
  subject.save("half", partial("half"));
  await vi.advanceTimersByTimeAsync(51);
  expect(sent).toEqual([
    { note: "", started: "host/1" },
    { note: "half", result: partial("half") },
  ]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent).toHaveLength(2);
});

test("C2: between two lies the pause, and the latest state wins", async () => {
  const { subject, sent } = checkpoints();
  await vi.advanceTimersByTimeAsync(51);
  for (const summary of ["a", "b", "c"]) subject.save(summary, partial(summary));
  subject.save("a note without a result");
  await vi.advanceTimersByTimeAsync(249);
  expect(sent.map(({ note }) => note)).toEqual(["", "a"]);
  await vi.advanceTimersByTimeAsync(2);
  expect(sent.at(-1)).toEqual({ note: "a note without a result", result: partial("c") });
});

test("C2: one at a time, however long it takes", async () => {
  const slow = Promise.withResolvers<void>();
  const { subject, sent } = checkpoints(() => slow.promise);
  await vi.advanceTimersByTimeAsync(51);
  subject.save("a");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toHaveLength(1);
  slow.resolve();
  await vi.advanceTimersByTimeAsync(1);
  expect(sent.map(({ note }) => note)).toEqual(["", "a"]);
});

test("a partial result is made when it is due, not before", async () => {
  const { subject, sent } = checkpoints();
  const make = vi.fn<() => Result>(() => partial("made"));
  subject.save("x", make);
  expect(make).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(51);
  expect(sent.at(-1)?.result?.summary).toBe("made");
});

test("C3: close waits for the request under way, and nothing follows it", async () => {
  const slow = Promise.withResolvers<void>();
  const { subject, sent } = checkpoints(() => slow.promise);
  await vi.advanceTimersByTimeAsync(51);
  let closed = false;
  const closing = subject.close().then(() => {
    closed = true;
  });
  await vi.advanceTimersByTimeAsync(1);
  expect(closed).toBe(false);
  slow.resolve();
  await closing;
  subject.save("late");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent).toHaveLength(1);
});

test("a refusal is told to the work", async () => {
  const { refused } = checkpoints(() =>
    Promise.reject(new FirmError("stale-attempt", "attempt 2 works on it")),
  );
  await vi.advanceTimersByTimeAsync(51);
  expect(refused.map(({ code }) => code)).toEqual(["stale-attempt"]);
});
