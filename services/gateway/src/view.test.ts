import {
  Objective,
  ROOT_HANDOFF,
  type HandoffContract,
  type LoggedEvent,
  type RunAccepted,
  type RunEvent,
} from "@firm/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evolveView, openHandoffs, pathOf, viewOf } from "./view.ts";

const run = "01HZZZZZZZZZZZZZZZZZZZZZZZ";
const accepted: RunAccepted = {
  type: "accepted",
  run,
  at: 0,
  objective: Objective.parse({ objective: "x" }),
  objective_seq: 1,
  objective_digest: "d",
  deadline: 30_000,
  roles: ["ceo", "department:engineering"],
};
const contract: HandoffContract = {
  from: "ceo",
  to: "department:engineering",
  objective: "x",
  constraints: [],
  definition_of_done: "done",
  context_ref: "memory:delivery/latest",
  reply_session: "main",
};
const base = { run, at: 1 };
const issued = (id: string, parent: string, to: string): RunEvent => ({
  ...base,
  type: "handoff",
  handoff: id,
  parent,
  contract: { ...contract, to },
  objective_key: "k",
  cycle: 0,
  session: `${run}:${to}`,
  spawned: true,
  deadline: 29_000,
});
const ended = (id: string, parent: string, role: string, status: "ok" | "timeout"): RunEvent => ({
  ...base,
  type: "end",
  handoff: id,
  parent,
  role,
  attempt: 1,
  status,
});

const log: LoggedEvent[] = [
  issued("a", ROOT_HANDOFF, "department:engineering"),
  issued("b", "a", "service:backend"),
  { ...base, type: "started" as const, handoff: "b", role: "service:backend", attempt: 2, worker: "w" },
  ended("b", "a", "service:backend", "ok"),
  ended("a", ROOT_HANDOFF, "department:engineering", "ok"),
].map((event, i) => ({ seq: i + 2, event }));

function viewAfter(events: readonly LoggedEvent[]): ReturnType<typeof viewOf> {
  const view = viewOf(accepted, 1);
  for (const { seq, event } of events) evolveView(view, seq, event);
  return view;
}

describe("the view of a run", () => {
  it("V1: is the same however often an event is applied", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...log)), (repeats) => {
        const once = viewAfter(log);
        const often = viewAfter([...log, ...repeats]);
        expect(often).toEqual(once);
      }),
    );
  });

  it("gives a parent its children's events by sequence, whatever order they arrive in", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(
          [log[1], log[3]].filter((event) => event !== undefined),
          { minLength: 2 },
        ),
        (shuffled) => {
          expect(
            viewAfter(shuffled)
              .children.get("a")
              ?.map(({ seq }) => seq),
          ).toEqual([3, 5]);
        },
      ),
    );
  });

  it("V2: keeps the first end", () => {
    const view = viewAfter([...log, { seq: 99, event: ended("b", "a", "service:backend", "timeout") }]);
    expect(view.handoffs.get("b")?.ended?.status).toBe("ok");
  });

  it("V3: never lets an attempt fall", () => {
    const view = viewAfter([
      ...log,
      {
        seq: 99,
        event: { ...base, type: "started", handoff: "b", role: "service:backend", attempt: 1, worker: "w" },
      },
    ]);
    expect(view.handoffs.get("b")?.attempt).toBe(2);
  });

  it("knows the path to a handoff and what is open", () => {
    const view = viewAfter(log.slice(0, 2));
    expect(pathOf(view, "b")).toEqual(["ceo", "department:engineering", "service:backend"]);
    expect(openHandoffs(view).map(({ id }) => id)).toEqual(["a", "b"]);
  });
});
