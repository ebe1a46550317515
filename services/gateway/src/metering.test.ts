// What the gateway counts of the log, and what its gauges say of the runs in memory.
import {
  END_STATUSES,
  Objective,
  Result,
  ROOT_HANDOFF,
  type HandoffContract,
  type RunAccepted,
  type RunEvent,
} from "@firm/protocol";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { registerDeadLetters, registerState } from "./gauges.ts";
import { activityOf, agentLabel, meter, queuesOf } from "./metering.ts";
import { createGatewayMetrics } from "./metrics.ts";
import { evolveView, viewOf, type RunView } from "./view.ts";

const run = "01HZZZZZZZZZZZZZZZZZZZZZZZ";
const base = { run, at: 2_000 };
const ENGINEERING = "department:engineering";
const BACKEND = "service:backend";
const accepted: RunAccepted = {
  type: "accepted",
  run,
  at: 1_000,
  objective: Objective.parse({ objective: "x", budget: { usd: 2, tokens: 100, spawns: 4 } }),
  objective_seq: 1,
  objective_digest: "d",
  deadline: 31_000,
  roles: ["ceo", ENGINEERING],
};
const contract: HandoffContract = {
  from: "ceo",
  to: ENGINEERING,
  objective: "x",
  constraints: [],
  definition_of_done: "done",
  context_ref: "memory:delivery/latest",
  reply_session: "main",
};
const issued = (id: string, parent: string, to: string, spawned = true): RunEvent => ({
  ...base,
  type: "handoff",
  handoff: id,
  parent,
  contract: { ...contract, to },
  objective_key: "k",
  cycle: 0,
  session: `${run}:${to}`,
  spawned,
  deadline: 29_000,
});
const result = (usage: object, agent = "claude") =>
  Result.parse({ status: "ok", objective_key: "k", summary: "", output: "", agent: { name: agent }, usage });
const ended = (id: string, parent: string, role: string, more: object = {}): RunEvent => ({
  ...base,
  at: 5_000,
  type: "end",
  handoff: id,
  parent,
  role,
  attempt: 1,
  status: "ok",
  ...more,
});

/** Plays events as the replica that stores them; @returns the metric's value by its labels. */
function played(...events: RunEvent[]) {
  const registry = new Registry();
  const metrics = createGatewayMetrics(registry, ["ceo", ENGINEERING, BACKEND]);
  const view = viewOf(accepted, 1);
  meter(metrics, view, accepted, 20);
  events.forEach((event, i) => {
    evolveView(view, i + 2, event);
    meter(metrics, view, event, 20);
  });
  return {
    view,
    lines: async (name: string): Promise<string[]> =>
      (await registry.metrics()).split("\n").filter((line) => line.startsWith(name)),
  };
}

describe("counts", () => {
  it("a handoff, its session, its end and the time it took", async () => {
    const { lines } = played(
      issued("a", ROOT_HANDOFF, ENGINEERING),
      issued("b", ROOT_HANDOFF, ENGINEERING, false),
      ended("a", ROOT_HANDOFF, ENGINEERING),
    );
    expect(await lines("firm_handoffs_issued_total")).toEqual([
      `firm_handoffs_issued_total{role="${ENGINEERING}"} 2`,
    ]);
    expect(await lines("firm_spawns_total")).toEqual(["firm_spawns_total 1"]);
    expect(await lines(`firm_handoff_ends_total{role="${ENGINEERING}",status="ok"}`)).toEqual([
      `firm_handoff_ends_total{role="${ENGINEERING}",status="ok"} 1`,
    ]);
    expect(await lines("firm_handoff_dispatch_to_end_seconds_sum")).toEqual([
      `firm_handoff_dispatch_to_end_seconds_sum{role="${ENGINEERING}"} 3`,
    ]);
  });

  it("a deadline miss once, whoever's clock fired; a late result beside it", async () => {
    const { lines } = played(
      issued("a", ROOT_HANDOFF, ENGINEERING),
      ended("a", ROOT_HANDOFF, ENGINEERING, { status: "timeout" }),
      {
        ...base,
        type: "late",
        handoff: "a",
        role: ENGINEERING,
        attempt: 1,
        code: "deadline-passed",
        result: result({}),
      },
    );
    expect(await lines("firm_deadline_misses_total")).toEqual([
      `firm_deadline_misses_total{role="${ENGINEERING}"} 1`,
      `firm_deadline_misses_total{role="${BACKEND}"} 0`,
    ]);
    expect(await lines("firm_late_results_total")).toEqual([
      `firm_late_results_total{role="${ENGINEERING}"} 1`,
    ]);
  });

  it("tokens and money where they were used: a department's sum holds its service's", async () => {
    const { lines } = played(
      issued("a", ROOT_HANDOFF, ENGINEERING),
      issued("b", "a", BACKEND),
      ended("b", "a", BACKEND, { result: result({ input_tokens: 100, output_tokens: 20, usd: 0.5 }) }),
      ended("a", ROOT_HANDOFF, ENGINEERING, {
        result: result({ input_tokens: 130, output_tokens: 20, usd: 0.75 }),
      }),
    );
    expect(await lines("firm_tokens_total")).toEqual([
      `firm_tokens_total{role="${BACKEND}",agent="claude",kind="input"} 100`,
      `firm_tokens_total{role="${BACKEND}",agent="claude",kind="output"} 20`,
      `firm_tokens_total{role="${ENGINEERING}",agent="claude",kind="input"} 30`,
    ]);
    expect(await lines("firm_cost_usd_total")).toEqual([
      `firm_cost_usd_total{role="${BACKEND}",agent="claude"} 0.5`,
      `firm_cost_usd_total{role="${ENGINEERING}",agent="claude"} 0.25`,
    ]);
  });

  it("a run at its end: status, time, what is left of spawns, what was used of budgets", async () => {
    const { lines } = played(
      issued("a", ROOT_HANDOFF, ENGINEERING),
      ended("a", ROOT_HANDOFF, ENGINEERING, {
        result: result({ input_tokens: 40, output_tokens: 10, usd: 1 }),
      }),
      { ...base, at: 7_000, type: "finished", status: "delivered" },
    );
    expect(await lines("firm_runs_accepted_total")).toEqual(["firm_runs_accepted_total 1"]);
    expect(await lines('firm_runs_total{status="delivered"}')).toEqual([
      'firm_runs_total{status="delivered"} 1',
    ]);
    expect(await lines("firm_run_duration_seconds_sum")).toEqual([
      'firm_run_duration_seconds_sum{status="delivered"} 6',
    ]);
    expect(await lines("firm_run_spawns_left_sessions_sum")).toEqual(["firm_run_spawns_left_sessions_sum 3"]);
    const used = await lines("firm_run_budget_used_ratio_sum");
    expect(used).toContain('firm_run_budget_used_ratio_sum{budget="usd"} 0.5');
    expect(used).toContain('firm_run_budget_used_ratio_sum{budget="tokens"} 0.5');
    expect(used).toContain('firm_run_budget_used_ratio_sum{budget="spawns"} 0.25');
    expect(used).toContain('firm_run_budget_used_ratio_sum{budget="seconds"} 0');
  });

  it("starts from 0 where an alert looks for an increase", async () => {
    const { lines } = played();
    expect(await lines("firm_dead_letters_total")).toEqual([
      'firm_dead_letters_total{stream="FIRM_WORK"} 0',
      'firm_dead_letters_total{stream="FIRM_OBJECTIVES"} 0',
    ]);
    expect(await lines("firm_handoff_ends_total")).toHaveLength(2 * END_STATUSES.length);
  });
});

describe("an agent's name as a label", () => {
  it("is a short word, and there are at most 32 of them", () => {
    const known = new Set<string>();
    expect(agentLabel(undefined, known)).toBe("unknown");
    expect(agentLabel("exec:lint", known)).toBe("exec:lint");
    expect(agentLabel('x"} 1\nfirm_runs_total 9', known)).toBe("other");
    expect(agentLabel(run, known)).toBe("other");
    const labels = new Set(Array.from({ length: 100 }, (_, i) => agentLabel(`agent-${i}`, known)));
    expect([labels.size, labels.has("other")]).toEqual([32, true]);
    expect(agentLabel("exec:lint", known)).toBe("exec:lint");
  });
});

describe("gauges", () => {
  const view = (over: Partial<RunView> = {}): RunView => ({ ...viewOf(accepted, 1), ...over });
  it("runs by kind, and those whose deadline has passed without an end", () => {
    const over: RunEvent = { ...base, type: "finished", status: "failed" };
    const views = [view(), view({ kind: "ask" }), view({ finished: over })];
    expect(activityOf(views, 30_000)).toEqual({
      byKind: new Map([
        ["run", 1],
        ["board", 0],
        ["ask", 1],
      ]),
      overdue: 0,
    });
    expect(activityOf(views, 31_001).overdue).toBe(2);
  });

  it("a board that waits for its founder is overdue when the founder's time is, and never while it is pending", () => {
    const board = { seq: 2, phase: 5, draft: undefined, decideBy: 60_000 };
    const awaiting = view({ kind: "board", board: { ...board, state: "awaiting-decision" } });
    expect([59_999, 60_001].map((now) => activityOf([awaiting], now).overdue)).toEqual([0, 1]);
    const pending = view({ kind: "board", board: { ...board, state: "pending-review" } });
    expect(activityOf([pending], 1e9).overdue).toBe(0);
  });

  it("work that nobody has taken, by role, with the oldest's age", async () => {
    const { view: waiting } = played(
      issued("a", ROOT_HANDOFF, ENGINEERING),
      { ...base, type: "started", handoff: "a", role: ENGINEERING, attempt: 1, worker: "w" },
      issued("b", "a", BACKEND),
      { ...issued("c", "a", BACKEND), at: 4_000 },
    );
    expect(queuesOf([waiting], 5_000)).toEqual(new Map([[BACKEND, { depth: 2, oldestSeconds: 3 }]]));
    const registry = new Registry();
    registerState(registry, {
      activity: () => activityOf([waiting], 5_000),
      queues: () => queuesOf([waiting], 5_000),
    });
    const text = await registry.metrics();
    expect(text).toContain('firm_active_runs{kind="run"} 1');
    expect(text).toContain(`firm_queue_oldest_age_seconds{role="${BACKEND}"} 3`);
  });

  it("the dead letter queue's length: the latest known, failures told", async () => {
    const registry = new Registry();
    const failures: unknown[] = [];
    let held = (): Promise<number> => Promise.resolve(3);
    const letters = registerDeadLetters(registry, {
      bus: { connected: true, held: () => held() },
      onFailure: (error) => failures.push(error),
    });
    await letters.look();
    held = () => Promise.reject(new Error("no stream"));
    await letters.look();
    letters.stop();
    expect(await registry.metrics()).toContain("firm_dead_letter_queue_messages 3");
    expect(failures).toEqual([new Error("no stream")]);
  });
});
