import type { EndStatus, Result } from "@firm/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "./delegation.ts";
import { ENGINEERING, LEGAL, OPERATIONS, QUALITY, resultOf, setupOf, STRATEGY } from "./testing/fixtures.ts";
import { finishOf, runToEnd, TestGateway, type Finish, type OpenHandoff } from "./testing/gateway.ts";

const TARGETS = [STRATEGY, ENGINEERING, QUALITY, OPERATIONS];
const BLOCKERS = [...TARGETS, LEGAL, "service:backend", "department:ghosts"];

interface Answer {
  readonly status: EndStatus;
  readonly by: string;
}
const answer = fc.record<Answer>({
  status: fc.constantFrom<EndStatus>("ok", "partial", "blocked", "blocked", "blocked", "failed", "timeout"),
  by: fc.constantFrom(...BLOCKERS),
});
/** What each handoff brings: by its key, so that a replayed run is answered alike whatever the order. */
const script = fc.array(answer, { minLength: 1, maxLength: 12 });

function endOf(answers: readonly Answer[], handoff: OpenHandoff): { status: EndStatus; result?: Result } {
  const hash = Number.parseInt(handoff.id.slice(0, 8), 16);
  const { status, by } = answers[hash % answers.length] ?? { status: "ok", by: LEGAL };
  if (status === "timeout" || status === "cancelled") return { status };
  return {
    status,
    result: resultOf({
      status,
      summary: `${handoff.key} ${handoff.cycle}`,
      ...(status === "blocked" ? { blocked_by: by, blocker: "stuck" } : {}),
    }),
  };
}

/** Runs to the end; `pick` says which open handoff ends next. */
function play(
  answers: readonly Answer[],
  targets: string[],
  pick: (open: readonly OpenHandoff[]) => number,
  gateway = new TestGateway(setupOf({ targets })),
): { finish: Finish; gateway: TestGateway } {
  const finish = runToEnd(gateway, (open) => {
    const one = open[pick(open) % open.length];
    if (one !== undefined) gateway.end(one, endOf(answers, one));
  });
  return { finish, gateway };
}

const targets = fc.subarray(TARGETS);

test("every run ends, names every target once, and delegates nothing more than twice again", () => {
  fc.assert(
    fc.property(script, targets, fc.nat(), (answers, wanted, salt) => {
      const { finish, gateway } = play(answers, wanted, (open) => salt + open.length);
      expect(finish.children.map(({ role }) => role)).toEqual(wanted);
      const cycles = gateway.log.flatMap(({ event }) => (event.type === "handoff" ? [event.cycle] : []));
      expect(Math.max(0, ...cycles)).toBeLessThanOrEqual(2);
      for (const report of finish.blockers) expect(report.iterations.length).toBeLessThanOrEqual(2);
      const ids = gateway.log.flatMap(({ event }) => (event.type === "handoff" ? [event.handoff] : []));
      expect(new Set(ids).size).toBe(ids.length);
      expect(
        finish.children
          .filter(({ status }) => status === "blocked")
          .every(({ role }) => finish.blockers.some((report) => report.role === role)),
      ).toBe(true);
    }),
  );
});

test("the order in which handoffs end does not change the outcome", () => {
  fc.assert(
    fc.property(
      script,
      targets,
      fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
      (answers, wanted, picks) => {
        const straight = play(answers, wanted, () => 0).finish;
        let turn = 0;
        const shuffled = play(answers, wanted, () => picks[turn++ % picks.length] ?? 0).finish;
        expect(shuffled).toEqual(straight);
      },
    ),
  );
});

test("killed after any event and replayed from the log, a run goes on to the same outcome", () => {
  fc.assert(
    fc.property(script, targets, fc.nat(), (answers, wanted, cut) => {
      const { finish, gateway } = play(answers, wanted, () => 0);
      const prefix = gateway.log.slice(0, cut % (gateway.log.length + 1));
      const resumed = new TestGateway(setupOf({ targets: wanted }));
      for (const { event } of prefix) {
        resumed.append(event);
        if (event.type === "handoff") {
          const { handoff: id, contract, objective_key: key, cycle, session } = event;
          resumed.open.push({ id, contract, key, cycle, session });
        } else if (event.type === "end") {
          resumed.open.splice(
            resumed.open.findIndex(({ id }) => id === event.handoff),
            1,
          );
        }
      }
      expect(play(answers, wanted, () => 0, resumed).finish).toEqual(finish);
    }),
  );
});

test("at any point of any run: one decision's requests are distinct, none is done already, and the deadline finishes it", () => {
  fc.assert(
    fc.property(script, targets, (answers, wanted) => {
      const { gateway } = play(answers, wanted, () => 0);
      for (let i = 0; i <= gateway.log.length; i++) {
        const state = gateway.replay(gateway.log.slice(0, i));
        const commands = decide(state, 0);
        const ids = commands.flatMap((command) =>
          command.type === "handoff" ? [command.handoff] : command.type === "spawn" ? [command.session] : [],
        );
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.some((id) => state.issued.has(id) || state.sessions.has(id))).toBe(false);
        expect(commands.filter(({ type }) => type === "wait" || type === "finish")).toHaveLength(1);
        expect(finishOf(decide(state, 30_000)).children.map(({ role }) => role)).toEqual(wanted);
      }
    }),
    { numRuns: 50 },
  );
});
