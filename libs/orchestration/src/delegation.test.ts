import type { EndStatus, Result } from "@firm/protocol";
import { describe, expect, test } from "vitest";
import { decide, workingDeadline } from "./delegation.ts";
import { evolve, initialDelegation, refused, type HandoffCommand } from "./facts.ts";
import { ENGINEERING, LEGAL, QUALITY, resultOf, RUN, setupOf } from "./testing/fixtures.ts";
import { finishOf, runToEnd, TestGateway, type OpenHandoff } from "./testing/gateway.ts";

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const containing = (text: string): unknown => expect.stringContaining(text);

const ok = (more: Partial<Result> = {}): { status: EndStatus; result: Result } => ({
  status: "ok",
  result: resultOf(more),
});
const blockedBy = (
  by: string | undefined,
  blocker: string,
  more: Partial<Result> = {},
): { status: EndStatus; result: Result } => ({
  status: "blocked",
  result: resultOf({ status: "blocked", ...(by === undefined ? {} : { blocked_by: by }), blocker, ...more }),
});
const handoffs = (commands: readonly { type: string }[]) =>
  commands.filter((command): command is HandoffCommand => command.type === "handoff");
const isResolve = (open: OpenHandoff) => open.contract.objective.startsWith("resolve_blocker");

describe("D1, D3: dispatch", () => {
  test("every target in the first decision, each with its own contract and key, then one wait", () => {
    const commands = decide(initialDelegation(setupOf()), 0);
    expect(commands.map((command) => command.type)).toEqual(["handoff", "handoff", "wait"]);
    expect(handoffs(commands).map(({ request }) => request)).toMatchObject([
      {
        contract: {
          from: "ceo",
          to: ENGINEERING,
          constraints: ["read-only access only"],
          reply_session: "main",
        },
        objective_key: "build-a-payment-api/engineering",
        cycle: 0,
      },
      { contract: { from: "ceo", to: QUALITY }, objective_key: "build-a-payment-api/quality", cycle: 0 },
    ]);
  });

  test("only what the log does not show is asked again", () => {
    const gateway = new TestGateway(setupOf());
    gateway.execute(decide(gateway.replay(), 0).slice(0, 1));
    expect(handoffs(decide(gateway.replay(), 0)).map(({ request }) => request.objective_key)).toEqual([
      "build-a-payment-api/quality",
    ]);
    gateway.execute(decide(gateway.replay(), 0));
    expect(decide(gateway.replay(), 0)).toEqual([{ type: "wait", until: 29_500 }]);
  });

  test("nobody to hand to: finished at once", () => {
    expect(decide(initialDelegation(setupOf({ targets: [] })), 0)).toEqual([
      { type: "finish", children: [], blockers: [], resolved: [] },
    ]);
  });

  test("a refused handoff does not keep the others", () => {
    const state = initialDelegation(setupOf());
    const [first, second] = handoffs(decide(state, 0));
    if (first === undefined || second === undefined) throw new Error("two handoffs expected");
    const after = refused(refused(state, first, { code: "spawn-limit", reason: "20 spawns" }), second, {
      code: "deadline-passed",
      reason: "late",
    });
    expect(finishOf(decide(after, 0)).children).toMatchObject([
      { role: ENGINEERING, status: "failed", reason: "20 spawns" },
      { role: QUALITY, status: "timeout", reason: "late" },
    ]);
  });
});

describe("D2: facts", () => {
  const gateway = new TestGateway(setupOf());
  gateway.execute(decide(gateway.replay(), 0));
  const [engineering, quality] = gateway.open;
  if (engineering === undefined || quality === undefined) throw new Error("two handoffs expected");
  const { run } = setupOf().order;
  const checkpoint = (summary: string) =>
    gateway.append({
      run,
      at: 1,
      type: "checkpoint",
      handoff: quality.id,
      role: QUALITY,
      attempt: 1,
      note: "",
      result: resultOf({ summary }),
    });
  checkpoint("first half");
  checkpoint("three quarters");
  gateway.end(engineering, ok({ summary: "the first end" }), 250);

  test("every event twice, and the whole log again, change nothing", () => {
    const once = gateway.replay();
    const twice = gateway.replay(gateway.log.flatMap((logged) => [logged, logged]));
    expect(twice).toEqual(once);
    expect(gateway.log.reduce(evolve, once)).toEqual(once);
    for (const logged of gateway.log) expect(evolve(once, logged)).toBe(once);
  });

  test("a second end, another run's end and an unknown handoff's end are ignored", () => {
    const end = gateway.log.find(({ event }) => event.type === "end");
    if (end === undefined || end.event.type !== "end") throw new Error("an end expected");
    const stale = [
      { seq: 90, event: { ...end.event, status: "failed" as const, result: undefined } },
      { seq: 91, event: { ...end.event, run: "01JAAAAAAAAAAAAAAAAAAAAAAA", handoff: quality.id } },
      { seq: 92, event: { ...end.event, handoff: "somebody-elses" } },
    ];
    const finish = finishOf(
      decide([...gateway.log, ...stale].reduce(evolve, initialDelegation(setupOf())), 29_999),
    );
    expect(finish.children).toMatchObject([
      { role: ENGINEERING, status: "ok", durationMs: 250, result: { summary: "the first end" } },
      {
        role: QUALITY,
        status: "timeout",
        reason: "no result by the deadline",
        result: { summary: "three quarters" },
      },
    ]);
  });
});

describe("D5: deadline", () => {
  test("before it: wait; from it on: what is missing is timeout", () => {
    const gateway = new TestGateway(setupOf());
    gateway.execute(decide(gateway.replay(), 0));
    const until = workingDeadline(gateway.replay());
    expect(until).toBe(29_500);
    expect(decide(gateway.replay(), until - 1).at(-1)).toEqual({ type: "wait", until });
    expect(finishOf(decide(gateway.replay(), until)).children.map(({ status }) => status)).toEqual([
      "timeout",
      "timeout",
    ]);
  });

  test("too late to hand anything down: finished without asking", () => {
    const commands = decide(initialDelegation(setupOf()), 30_000);
    expect(commands).toHaveLength(1);
    expect(finishOf(commands).children.map(({ status }) => status)).toEqual(["timeout", "timeout"]);
  });

  test("a handoff elsewhere in the tree does not move it", () => {
    const gateway = new TestGateway(setupOf());
    const deeper = {
      run: RUN,
      at: 0,
      type: "handoff" as const,
      handoff: "x",
      parent: "other",
      objective_key: "k",
      cycle: 0,
      session: "s",
      spawned: true,
      deadline: 10,
    };
    gateway.append({ ...deeper, contract: { ...setupOf().order.contract, to: QUALITY } });
    expect(workingDeadline(gateway.replay())).toBe(29_975);
  });
});

describe("D4: blockers", () => {
  test("joint session of the two, a resolve_blocker contract, then the blocked role again with the resolution", () => {
    const gateway = new TestGateway(setupOf());
    gateway.execute(decide(gateway.replay(), 0));
    const [engineering, quality] = gateway.open;
    if (engineering === undefined || quality === undefined) throw new Error("two handoffs expected");
    gateway.end(engineering, blockedBy(LEGAL, "may we store card numbers?"));
    const joint = `${RUN}:joint:${ENGINEERING}+${LEGAL}`;

    const spawn = decide(gateway.replay(), 0);
    expect(spawn).toMatchObject([
      {
        type: "spawn",
        session: joint,
        request: { participants: [ENGINEERING, LEGAL], objective: matching(/^resolve_blocker/) },
      },
      { type: "wait" },
    ]);
    gateway.execute(spawn);
    gateway.end(quality, ok());

    gateway.execute(decide(gateway.replay(), 0));
    const resolve = gateway.open[0];
    expect(resolve).toMatchObject({
      contract: {
        from: "ceo",
        to: LEGAL,
        objective: matching(/^resolve_blocker: .*may we store card numbers\?/),
      },
      cycle: 1,
      session: joint,
    });
    if (resolve === undefined) throw new Error("a resolve handoff expected");
    gateway.end(resolve, ok({ summary: "Only tokens.", decisions: ["PAN is never stored"] }));

    gateway.execute(decide(gateway.replay(), 0));
    const again = gateway.open[0];
    expect(again).toMatchObject({
      key: "build-a-payment-api/engineering",
      cycle: 1,
      session: joint,
      contract: { to: ENGINEERING },
    });
    expect(again?.contract.constraints).toEqual([
      "read-only access only",
      containing("Only tokens.; PAN is never stored"),
    ]);
    if (again === undefined) throw new Error("a second delegation expected");
    gateway.end(again, ok({ summary: "Built on tokens." }));

    const finish = finishOf(decide(gateway.replay(), 0));
    expect(finish.children).toMatchObject([
      { role: ENGINEERING, status: "ok", cycle: 1 },
      { role: QUALITY, status: "ok", cycle: 0 },
    ]);
    expect(finish.blockers).toEqual([]);
    expect(finish.resolved).toEqual([
      {
        role: ENGINEERING,
        blocked_by: LEGAL,
        blocker: "may we store card numbers?",
        iterations: [{ resolution: "Only tokens.; PAN is never stored", response: "Built on tokens." }],
        reason: "",
      },
    ]);
  });

  test("two iterations are the most, whatever the configuration says", () => {
    const gateway = new TestGateway(setupOf({ targets: [ENGINEERING], blockerCycles: 9 }));
    const finish = runToEnd(
      gateway,
      ([one]) => one !== undefined && gateway.end(one, isResolve(one) ? ok() : blockedBy(LEGAL, "stuck")),
    );
    expect(finish.blockers[0]?.iterations).toHaveLength(2);
  });

  test("two that block each other at once need one spawn in the decision", () => {
    const gateway = new TestGateway(setupOf());
    gateway.execute(decide(gateway.replay(), 0));
    for (const one of [...gateway.open]) {
      gateway.end(one, blockedBy(one.contract.to === ENGINEERING ? QUALITY : ENGINEERING, "stuck"));
    }
    expect(decide(gateway.replay(), 0).map(({ type }) => type)).toEqual(["spawn", "wait"]);
  });

  test("still blocked after two iterations: escalated with both", () => {
    const gateway = new TestGateway(setupOf({ targets: [ENGINEERING] }));
    const finish = runToEnd(gateway, (open) => {
      for (const one of [...open])
        gateway.end(
          one,
          isResolve(one)
            ? ok({ summary: `answer ${one.cycle}` })
            : blockedBy(LEGAL, `blocker ${one.cycle}`, { output: "half" }),
        );
    });
    expect(finish.children).toMatchObject([
      { status: "blocked", cycle: 2, reason: "blocker 2", result: { output: "half" } },
    ]);
    expect(finish.blockers).toEqual([
      {
        role: ENGINEERING,
        blocked_by: LEGAL,
        blocker: "blocker 2",
        iterations: [
          { resolution: "answer 1", response: "blocker 1" },
          { resolution: "answer 2", response: "blocker 2" },
        ],
        reason: "not resolved after 2 joint iterations",
      },
    ]);
    expect(gateway.log.filter(({ event }) => event.type === "session")).toHaveLength(1);
    expect(gateway.log.filter(({ event }) => event.type === "handoff")).toHaveLength(5);
  });

  test.each([
    ["nobody", undefined, 2, "it names no role that blocks it"],
    ["itself", ENGINEERING, 2, "it names itself as what blocks it"],
    ["an unknown role", "department:ghosts", 2, "the firm has no role department:ghosts"],
    ["a role further down", "service:backend", 2, "service:backend does not report to ceo"],
    ["joint sessions switched off", LEGAL, 0, "joint sessions are switched off"],
  ])("no joint session: %s", (_, by, blockerCycles, reason) => {
    const gateway = new TestGateway(setupOf({ targets: [ENGINEERING], blockerCycles }));
    const finish = runToEnd(
      gateway,
      ([one]) => one !== undefined && gateway.end(one, blockedBy(by, "stuck")),
    );
    expect(finish.blockers).toMatchObject([{ role: ENGINEERING, blocker: "stuck", iterations: [], reason }]);
    expect(finish.children).toMatchObject([{ status: "blocked", cycle: 0 }]);
    expect(gateway.log.filter(({ event }) => event.type === "session")).toEqual([]);
  });

  test.each([
    [
      "failed",
      { status: "failed" as const, reason: "crashed" },
      "department:legal gave no resolution: crashed",
    ],
    ["timeout", { status: "timeout" as const }, "department:legal gave no resolution: timeout"],
    [
      "empty",
      { status: "ok" as const, result: resultOf({ summary: " " }) },
      "department:legal gave no resolution: an empty answer",
    ],
  ])("a resolver that brings nothing (%s) ends the attempt", (_, end, reason) => {
    const gateway = new TestGateway(setupOf({ targets: [ENGINEERING] }));
    const finish = runToEnd(
      gateway,
      ([one]) => one !== undefined && gateway.end(one, isResolve(one) ? end : blockedBy(LEGAL, "stuck")),
    );
    expect(finish.blockers).toMatchObject([{ reason, iterations: [{ response: "" }] }]);
    expect(finish.children).toMatchObject([{ status: "blocked", cycle: 0 }]);
  });

  test("two that block each other share one session and both end", () => {
    const gateway = new TestGateway(setupOf());
    const finish = runToEnd(gateway, ([one]) => {
      if (one === undefined) return;
      const other = one.contract.to === ENGINEERING ? QUALITY : ENGINEERING;
      gateway.end(one, blockedBy(other, `${one.contract.to} waits for ${other}`));
    });
    expect(finish.children.map(({ status, cycle }) => [status, cycle])).toEqual([
      ["blocked", 2],
      ["blocked", 2],
    ]);
    expect(finish.blockers).toHaveLength(2);
    expect(gateway.log.filter(({ event }) => event.type === "session")).toHaveLength(1);
  });

  test("the deadline in the middle of a joint session: blocked, with the report so far", () => {
    const gateway = new TestGateway(setupOf({ targets: [ENGINEERING] }));
    gateway.execute(decide(gateway.replay(), 0));
    const [engineering] = gateway.open;
    if (engineering === undefined) throw new Error("a handoff expected");
    gateway.end(engineering, blockedBy(LEGAL, "stuck", { output: "half" }));
    gateway.execute(decide(gateway.replay(), 0));
    gateway.execute(decide(gateway.replay(), 0));
    const finish = finishOf(decide(gateway.replay(), 29_999));
    expect(finish.children).toMatchObject([{ status: "blocked", result: { output: "half" } }]);
    expect(finish.blockers).toMatchObject([
      { blocked_by: LEGAL, blocker: "stuck", reason: "the deadline came first" },
    ]);
  });

  test("a second delegation that times out keeps the first one's partial output", () => {
    const gateway = new TestGateway(setupOf({ targets: [ENGINEERING] }));
    const finish = runToEnd(gateway, ([one]) => {
      if (one === undefined) return;
      if (isResolve(one)) gateway.end(one, ok());
      else
        gateway.end(
          one,
          one.cycle === 0
            ? blockedBy(LEGAL, "stuck", { output: "half" })
            : { status: "timeout", reason: "deadline" },
        );
    });
    expect(finish.children).toMatchObject([{ status: "timeout", cycle: 1, result: { output: "half" } }]);
    expect(finish.blockers).toHaveLength(1);
  });

  test("a refused joint session escalates", () => {
    const gateway = new TestGateway(setupOf({ targets: [ENGINEERING] }));
    gateway.execute(decide(gateway.replay(), 0));
    const [engineering] = gateway.open;
    if (engineering === undefined) throw new Error("a handoff expected");
    gateway.end(engineering, blockedBy(LEGAL, "stuck"));
    const [spawn] = decide(gateway.replay(), 0);
    if (spawn?.type !== "spawn") throw new Error("a spawn expected");
    const finish = finishOf(
      decide(refused(gateway.replay(), spawn, { code: "spawn-limit", reason: "20 spawns" }), 0),
    );
    expect(finish.blockers).toMatchObject([{ reason: "no joint session: 20 spawns" }]);
  });
});
