// Pins what others build on: names on the wire and numbers. A red test here means: make it deliberate, and say so.
import {
  BUCKETS,
  CONTROL_VERBS,
  DELIVERY_FORMATS,
  DISCLAIMER,
  durableOf,
  END_STATUSES,
  ERROR_CODES,
  EXECUTIVE_ROLES,
  FIRM_IDENTITIES,
  HEADERS,
  inboxPrefixOf,
  INVOCABLE_ROLES,
  LEVELS,
  OBJECTIVES_DURABLE,
  parseObjective,
  RESULT_STATUSES,
  ROLE_VERBS,
  ROOT_HANDOFF,
  RUN_END_STATUSES,
  RunEvent,
  serviceNameOf,
  SEVERITIES,
  STREAMS,
  subjects,
  USER,
} from "@firm/protocol";
import { expect, it } from "vitest";

const RUN = "01JZZZZZZZZZZZZZZZZZZZZZZZ";
const ID = "0123456789abcdef0123";

it("subjects", () => {
  const role = "department:engineering";
  const { run, ...others } = subjects;
  const spelt = {
    objective: others.objective,
    invoke: [others.invoke(), others.invoke("cfo"), others.allInvokes],
    control: [others.control(RUN, "cancel"), others.allControls],
    feedback: [others.feedback(RUN), others.allFeedback],
    from: [others.from(role, "sessions.list"), others.from("ceo", "result"), others.from("cfo", "invoke")],
    fromAll: [others.fromAll(role), others.allFrom],
    to: [others.ask(role), others.ask("cfo"), others.toAll(role), others.allTo],
    work: [others.work(role), others.work("ceo"), others.work("employee:implementer"), others.allWork],
    stop: [others.stop(RUN), others.allStops],
    finished: others.allFinished,
    dlq: [others.dlq(STREAMS.work), others.allDlq],
    inbox: [others.inbox("ceo"), others.inbox(role), others.inbox("cfo")],
  };
  expect(spelt).toEqual({
    objective: "firm.objective",
    invoke: ["firm.invoke", "firm.invoke.cfo", "firm.invoke.>"],
    control: [`firm.control.${RUN}.cancel`, "firm.control.*.*"],
    feedback: [`firm.feedback.${RUN}`, "firm.feedback.*"],
    from: [
      "firm.from.department.engineering.sessions.list",
      "firm.from.ceo.result",
      "firm.from.executive.cfo.invoke",
    ],
    fromAll: ["firm.from.department.engineering.>", "firm.from.>"],
    to: [
      "firm.to.department.engineering.ask",
      "firm.to.executive.cfo.ask",
      "firm.to.department.engineering.>",
      "firm.to.>",
    ],
    work: [
      "firm.work.department.engineering",
      "firm.work.ceo",
      "firm.work.employee.implementer",
      "firm.work.>",
    ],
    stop: [`firm.stop.${RUN}`, "firm.stop.*"],
    finished: "firm.run.*.finished",
    dlq: ["firm.dlq.FIRM_WORK", "firm.dlq.>"],
    inbox: ["_INBOX_ceo", "_INBOX_department_engineering", "_INBOX_executive_cfo"],
  });
  expect({
    all: run.all,
    of: run.of(RUN),
    accepted: run.accepted(RUN),
    handoff: run.handoff(RUN, ID),
    started: run.started(RUN, ID),
    checkpoint: run.checkpoint(RUN, ID),
    end: run.end(RUN, ID),
    late: run.late(RUN, ID),
    session: run.session(RUN),
    message: run.message(RUN),
    refused: run.refused(RUN),
    invocations: run.invocations(RUN),
    board: run.board(RUN),
    control: run.control(RUN),
    finished: run.finished(RUN),
  }).toEqual({
    all: "firm.run.>",
    of: `firm.run.${RUN}.>`,
    accepted: `firm.run.${RUN}.accepted`,
    handoff: `firm.run.${RUN}.handoff.${ID}`,
    started: `firm.run.${RUN}.started.${ID}`,
    checkpoint: `firm.run.${RUN}.checkpoint.${ID}`,
    end: `firm.run.${RUN}.end.${ID}`,
    late: `firm.run.${RUN}.late.${ID}`,
    session: `firm.run.${RUN}.session`,
    message: `firm.run.${RUN}.message`,
    refused: `firm.run.${RUN}.refused`,
    invocations: `firm.run.${RUN}.invocations`,
    board: `firm.run.${RUN}.board`,
    control: `firm.run.${RUN}.control`,
    finished: `firm.run.${RUN}.finished`,
  });
  const all =
    "allControls allDlq allFeedback allFinished allFrom allInvokes allStops allTo allWork ask control dlq feedback from fromAll inbox invoke objective run stop toAll work";
  expect(Object.keys(subjects).toSorted().join(" "), "a subject more belongs in this test too").toBe(all);
  expect(Object.keys(run)).toHaveLength(15);
});

it("streams, buckets and durables", () => {
  expect(STREAMS).toEqual({
    objectives: "FIRM_OBJECTIVES",
    work: "FIRM_WORK",
    runs: "FIRM_RUNS",
    dlq: "FIRM_DLQ",
  });
  expect(BUCKETS).toEqual({ runs: "firm-runs", sessions: "firm-sessions", artifacts: "firm-artifacts" });
  expect(OBJECTIVES_DURABLE).toBe("gateway");
  expect(["ceo", "service:backend", "cfo"].map(durableOf)).toEqual([
    "ceo",
    "service_backend",
    "executive_cfo",
  ]);
});

it("verbs", () => {
  expect(ROLE_VERBS).toEqual([
    "handoff",
    "collect",
    "result",
    "checkpoint",
    "claim",
    "invoke",
    "assume",
    "spawn",
    "sessions.list",
    "sessions.history",
    "sessions.send",
    "sessions.spawn",
  ]);
  expect(CONTROL_VERBS).toEqual(["cancel", "pause", "resume", "approve", "modify", "reject", "ask"]);
});

it("headers", () => {
  expect(HEADERS).toEqual({
    run: "Firm-Run",
    chain: "Firm-Chain",
    token: "Firm-Token",
    deadline: "Firm-Deadline",
    attempt: "Firm-Attempt",
    traceparent: "traceparent",
    msgId: "Nats-Msg-Id",
    expectedLastSubjectSequence: "Nats-Expected-Last-Subject-Sequence",
    error: "Nats-Service-Error",
    errorCode: "Nats-Service-Error-Code",
    errorName: "Firm-Error",
    deadLetterReason: "Firm-Dlq-Reason",
  });
});

it("error codes and their numbers", () => {
  expect(ERROR_CODES).toEqual({
    "invalid-input": 400,
    "invalid-config": 400,
    "invalid-token": 401,
    "expired-token": 401,
    "wrong-sender": 403,
    "edge-not-in-org-chart": 403,
    "self-invocation": 403,
    "depth-exceeded": 403,
    "circular-call": 403,
    "isolated-phase": 403,
    "unknown-role": 404,
    "unknown-run": 404,
    "unknown-session": 404,
    "unknown-context": 404,
    "unknown-handoff": 404,
    "deadline-passed": 408,
    "already-ended": 409,
    "stale-attempt": 409,
    "run-cancelled": 410,
    "run-ended": 410,
    "too-large": 413,
    "spawn-limit": 429,
    "budget-spent": 429,
    "rate-limited": 429,
    "permission-refused": 500,
    internal: 500,
    "agent-failed": 502,
    "bus-unavailable": 503,
    "storage-unavailable": 503,
  });
});

it("roles", () => {
  expect(LEVELS).toEqual(["department", "service", "employee"]);
  expect(INVOCABLE_ROLES).toEqual(["ceo", "cfo", "cro", "cmo", "cpo", "cto", "chro", "coo", "ciso"]);
  expect(EXECUTIVE_ROLES).toEqual(["cfo", "cro", "cmo", "cpo", "cto", "chro", "coo", "ciso", "mentor"]);
  expect([USER, ROOT_HANDOFF]).toEqual(["user", "root"]);
});

it("identities, their inboxes and their names in service discovery", () => {
  expect(FIRM_IDENTITIES).toEqual(["operator", "gateway", "supervisor", "user"]);
  const named = [...FIRM_IDENTITIES, "ceo", "cfo", "department:engineering"];
  expect(named.map((identity) => [identity, inboxPrefixOf(identity), serviceNameOf(identity)])).toEqual([
    ["operator", "_INBOX", "firm-operator"],
    ["gateway", "_INBOX_gateway", "firm-gateway"],
    ["supervisor", "_INBOX_supervisor", "firm-supervisor"],
    ["user", "_INBOX", "firm-user"],
    ["ceo", "_INBOX_ceo", "firm-ceo"],
    ["cfo", "_INBOX_executive_cfo", "firm-executive-cfo"],
    ["department:engineering", "_INBOX_department_engineering", "firm-department-engineering"],
  ]);
});

it("event types, statuses and severities", () => {
  expect(RunEvent.options.map((option) => option.shape.type.value)).toEqual([
    "accepted",
    "handoff",
    "started",
    "checkpoint",
    "end",
    "late",
    "session",
    "message",
    "refused",
    "control",
    "invocations",
    "board",
    "finished",
  ]);
  expect(RESULT_STATUSES).toEqual(["ok", "partial", "blocked", "failed"]);
  expect(END_STATUSES).toEqual(["ok", "partial", "blocked", "failed", "timeout", "cancelled"]);
  expect(RUN_END_STATUSES).toEqual(["delivered", "timeout", "cancelled", "failed"]);
  expect(SEVERITIES).toEqual(["critical", "high", "medium", "low", "info"]);
});

it("delivery formats, and the defaults of an objective", () => {
  expect(DELIVERY_FORMATS).toEqual(["markdown_report", "json", "github_pr"]);
  expect(parseObjective("Build a payment API")).toEqual({
    objective: "Build a payment API",
    constraints: [],
    delivery_format: "markdown_report",
    reply_session: "main",
    allow_run: false,
    deadline_seconds: 30,
    budget: {},
  });
});

it("the disclaimer, to the letter", () => {
  expect(DISCLAIMER).toBe(
    "⚠️ Contenu généré par IA — validation humaine requise avant utilisation en production.",
  );
});
