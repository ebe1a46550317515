// Phases 2 and 3 decided from the log: isolation, partial acceptance, forced counterargument, replay.
import {
  HandoffContract,
  Result,
  type HandoffEnded,
  type LoggedEvent,
  type Objective,
  type Role,
} from "@firm/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  FORCE_COUNTERARGUMENT,
  ISOLATION_RULES,
  initialMeeting,
  meeting,
  noteIssued,
  noteOwn,
  noteRefused,
  type Meeting,
  type MeetingCommand,
} from "./meeting.ts";

const RUN = "01JZZZZZZZZZZZZZZZZZZZZZZZ";
const DEADLINE = 100_000;
const objective: Objective = {
  kind: "board",
  objective: "Should we expand to Germany in Q3?",
  constraints: [],
  delivery_format: "markdown_report",
  reply_session: "main",
  allow_run: false,
  deadline_seconds: 100,
  budget: {},
};
const contract: HandoffContract = {
  from: "user",
  to: "ceo",
  objective: objective.objective,
  constraints: [],
  definition_of_done: "minutes",
  context_ref: "memory:board/decisions",
  reply_session: "main",
};
const order = { run: RUN, handoff: "root", contract, objective, objective_key: "root", deadline: DEADLINE };
const start = (participants: readonly Role[] = ["ceo", "cfo", "cro"]): Meeting =>
  initialMeeting({ order, participants });

function contribution(stance = "for", confidence = "medium"): Result {
  const block = {
    stance,
    recommendation: "Go",
    key_points: ["p"],
    confidence,
    would_change_my_mind: "churn",
  };
  return Result.parse({
    status: "ok",
    objective_key: "k",
    summary: "s",
    output: `Go.\n\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\`\n`,
  });
}

let seq = 0;
function ended(handoff: string, role: Role, result: Result, at: number): LoggedEvent {
  const event: HandoffEnded = {
    type: "end",
    run: RUN,
    at,
    handoff,
    parent: "root",
    role,
    attempt: 1,
    status: "ok",
    result,
  };
  return { seq: ++seq, event };
}

/** Does what is decided, with answers from `answer`; returns each decision's commands. */
function play(initial: Meeting, answer: (role: Role, round: number) => Result | undefined, at = 1_000) {
  const decisions: (readonly MeetingCommand[])[] = [];
  let state = initial;
  let now = at;
  for (let i = 0; i < 20; i++) {
    const commands = meeting.decide(state, now);
    decisions.push(commands);
    const last = commands.at(-1);
    if (last?.type === "finish") return { state, decisions, outcome: last.outcome };
    for (const command of commands) {
      if (command.type === "contribute") {
        const own = answer("ceo", command.round);
        state =
          own === undefined
            ? noteRefused(state, command.handoff, { code: "agent-failed", reason: "no contribution" })
            : noteOwn(state, command.round, own);
      }
      if (command.type !== "handoff") continue;
      state = noteIssued(state, command.handoff, { at: now, deadline: DEADLINE });
      const { to } = HandoffContract.parse(command.request.contract);
      const result = answer(to, command.request.cycle ?? 0);
      if (result !== undefined) state = meeting.evolve(state, ended(command.handoff, to, result, now + 10));
    }
    now =
      meeting.decide(state, now + 20).some(({ type }) => type !== "wait") || last?.type !== "wait"
        ? now + 20
        : last.until;
  }
  throw new Error("the meeting does not end");
}

const contractsOf = (commands: readonly MeetingCommand[]) =>
  commands.flatMap((command) =>
    command.type === "handoff" ? [HandoffContract.parse(command.request.contract)] : [],
  );

describe("a board meeting", () => {
  test("asks every role in one go, isolated, and the CEO itself with them", () => {
    const [first = []] = play(start(), () => contribution()).decisions;
    expect(first.map(({ type }) => type)).toEqual(["contribute", "handoff", "handoff", "wait"]);
    expect(contractsOf(first).map(({ to }) => to)).toEqual(["cfo", "cro"]);
    for (const { constraints } of contractsOf(first)) expect(constraints).toContain(ISOLATION_RULES);
    for (const command of first) if (command.type === "handoff") expect(command.request.phase).toBe(2);
  });

  test("then the mentor alone, in phase 3, after every position is in", () => {
    const { decisions, outcome } = play(start(), () => contribution());
    expect(contractsOf(decisions[1] ?? []).map(({ to }) => to)).toEqual(["mentor"]);
    expect(outcome.positions.map(({ role }) => role)).toEqual(["ceo", "cfo", "cro"]);
    expect(outcome.challenged).toBe(false);
  });

  test("a role that does not answer is named and not waited for", () => {
    const { outcome } = play(start(), (role) => (role === "cro" ? undefined : contribution()));
    expect(outcome.missing).toEqual([{ role: "cro", reason: "no answer in time" }]);
    expect(outcome.critic).toBeDefined();
  });

  test("a silent mentor does not hold the draft up", () => {
    const { outcome } = play(start(), (role) => (role === "mentor" ? undefined : contribution()));
    expect(outcome.critic).toBeUndefined();
  });

  test("everyone agrees with high confidence: once more, with the strongest argument against, and never twice", () => {
    const { decisions, outcome } = play(start(), () => contribution("for", "high"));
    const again = contractsOf(decisions[1] ?? []);
    expect(again.map(({ to }) => to)).toEqual(["cfo", "cro"]);
    for (const { constraints } of again) expect(constraints).toContain(FORCE_COUNTERARGUMENT);
    expect(contractsOf(decisions[2] ?? []).map(({ to }) => to)).toEqual(["mentor"]);
    expect(outcome.challenged).toBe(true);
  });

  test("the second round's answer stands where there is one, else the first's", () => {
    const { outcome } = play(start(), (role, round) => {
      if (round === 0) return contribution("for", "high");
      return role === "cro" ? undefined : contribution("against", "low");
    });
    expect(outcome.positions.map((position) => position.contribution?.stance)).toEqual([
      "against",
      "against",
      "for",
    ]);
    expect(outcome.missing).toEqual([]);
  });

  test("what is not well-formed is kept as it came and flagged", () => {
    const raw = Result.parse({
      status: "ok",
      objective_key: "k",
      summary: "s",
      output: "I would not. [ASSUMPTION: rates stay]",
    });
    const { outcome } = play(start(), (role) => (role === "cfo" ? raw : contribution()));
    const cfo = outcome.positions.find(({ role }) => role === "cfo");
    expect(cfo).toMatchObject({ contribution: undefined, text: raw.output, assumptions: ["rates stay"] });
    expect(cfo?.flag).toContain("json");
  });

  test("without the CEO among the roles it makes no contribution", () => {
    const { decisions } = play(start(["cmo", "cfo"]), () => contribution());
    expect(decisions.flat().some(({ type }) => type === "contribute")).toBe(false);
  });

  test("an answer after its phase's limit counts as missing, in a replay too", () => {
    let state = noteOwn(start(["ceo", "cfo"]), 0, contribution());
    const id =
      meeting.decide(state, 1_000).flatMap((c) => (c.type === "handoff" ? [c.handoff] : []))[0] ?? "";
    state = meeting.evolve(
      noteIssued(state, id, { at: 1, deadline: DEADLINE }),
      ended(id, "cfo", contribution(), 70_000),
    );
    expect(contractsOf(meeting.decide(state, 71_000)).map(({ to }) => to)).toEqual(["mentor"]);
  });
});

test("property: replayed from any point in any order, nobody is asked twice for the same, and the meeting ends", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("for", "against", "silent"), { minLength: 3, maxLength: 3 }),
      fc.constantFrom("high", "low"),
      fc.integer({ min: 0, max: 40 }),
      (stances, confidence, cut) => {
        const roles: readonly Role[] = ["ceo", "cfo", "cro"];
        const answer = (role: Role): Result | undefined => {
          const stance = role === "mentor" ? "for" : stances[roles.indexOf(role)];
          return stance === "silent" ? undefined : contribution(stance, confidence);
        };
        const { state, decisions, outcome } = play(start(), answer);
        const asked = decisions.flat().flatMap((c) => (c.type === "handoff" ? [c.handoff] : []));
        expect(new Set(asked).size).toBe(asked.length);
        const kept = new Map([...state.ends].slice(0, cut));
        const replayed = meeting
          .decide({ ...state, ends: kept }, 1_100)
          .flatMap((c) => (c.type === "handoff" ? [c.handoff] : []));
        for (const id of replayed) expect(state.issued.has(id)).toBe(false);
        expect(outcome.positions.length + outcome.missing.length).toBe(3);
      },
    ),
    { numRuns: 200 },
  );
});
