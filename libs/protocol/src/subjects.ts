// Pure: every subject, stream, bucket and durable name of Firm is spelt here and nowhere else (DESIGN "Subjects (v1)").
import { FirmError } from "./errors.ts";
import { addressOf, roleOfAddress, type Role } from "./roles.ts";

/** JetStream streams. */
export const STREAMS = {
  objectives: "FIRM_OBJECTIVES",
  work: "FIRM_WORK",
  runs: "FIRM_RUNS",
  dlq: "FIRM_DLQ",
} as const;

/** KV buckets and the object store. */
export const BUCKETS = { runs: "firm-runs", sessions: "firm-sessions", artifacts: "firm-artifacts" } as const;

/** The gateway's durable on the objectives stream. */
export const OBJECTIVES_DURABLE = "gateway";

/** Verbs a role may ask of the gateway. */
export const ROLE_VERBS = [
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
] as const;
export type RoleVerb = (typeof ROLE_VERBS)[number];

/** What a user may say to a run. */
export const CONTROL_VERBS = ["cancel", "pause", "resume", "approve", "modify", "reject", "ask"] as const;
export type ControlVerb = (typeof CONTROL_VERBS)[number];

const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;

/** One subject token; refuses what would add tokens or wildcards. */
function token(name: string, value: string): string {
  if (!TOKEN.test(value)) {
    throw new FirmError(
      "invalid-input",
      `${name} "${value}" cannot stand in a subject: letters, digits, "-" and "_", at most 64`,
      {
        field: name,
      },
    );
  }
  return value;
}

export const subjects = {
  objective: "firm.objective",
  /** A user's question to a role; without a role the body names it. */
  invoke: (role?: string): string =>
    role === undefined ? "firm.invoke" : `firm.invoke.${token("role", role)}`,
  allInvokes: "firm.invoke.>",
  control: (run: string, verb: ControlVerb): string => `firm.control.${token("run", run)}.${verb}`,
  allControls: "firm.control.*.*",
  feedback: (run: string): string => `firm.feedback.${token("run", run)}`,
  allFeedback: "firm.feedback.*",
  from: (role: Role, verb: RoleVerb): string => `firm.from.${addressOf(role)}.${verb}`,
  /** What a role may publish: its own requests, nothing else. */
  fromAll: (role: Role): string => `firm.from.${addressOf(role)}.>`,
  allFrom: "firm.from.>",
  ask: (role: Role): string => `firm.to.${addressOf(role)}.ask`,
  toAll: (role: Role): string => `firm.to.${addressOf(role)}.>`,
  allTo: "firm.to.>",
  work: (role: Role): string => `firm.work.${addressOf(role)}`,
  allWork: "firm.work.>",
  stop: (run: string): string => `firm.stop.${token("run", run)}`,
  allStops: "firm.stop.*",
  run: {
    all: "firm.run.>",
    of: (run: string): string => `firm.run.${token("run", run)}.>`,
    accepted: (run: string): string => `firm.run.${token("run", run)}.accepted`,
    handoff: (run: string, handoff: string): string =>
      `firm.run.${token("run", run)}.handoff.${token("handoff", handoff)}`,
    started: (run: string, handoff: string): string =>
      `firm.run.${token("run", run)}.started.${token("handoff", handoff)}`,
    checkpoint: (run: string, handoff: string): string =>
      `firm.run.${token("run", run)}.checkpoint.${token("handoff", handoff)}`,
    end: (run: string, handoff: string): string =>
      `firm.run.${token("run", run)}.end.${token("handoff", handoff)}`,
    late: (run: string, handoff: string): string =>
      `firm.run.${token("run", run)}.late.${token("handoff", handoff)}`,
    session: (run: string): string => `firm.run.${token("run", run)}.session`,
    message: (run: string): string => `firm.run.${token("run", run)}.message`,
    refused: (run: string): string => `firm.run.${token("run", run)}.refused`,
    invocations: (run: string): string => `firm.run.${token("run", run)}.invocations`,
    board: (run: string): string => `firm.run.${token("run", run)}.board`,
    control: (run: string): string => `firm.run.${token("run", run)}.control`,
    finished: (run: string): string => `firm.run.${token("run", run)}.finished`,
  },
  /** The ends of all runs. */
  allFinished: "firm.run.*.finished",
  dlq: (stream: string): string => `firm.dlq.${token("stream", stream)}`,
  allDlq: "firm.dlq.>",
  /** Private inbox prefix of a role; users keep the clients' default `_INBOX`. */
  inbox: (role: Role): string => `_INBOX_${addressOf(role).replaceAll(".", "_")}`,
} as const;

/** The durable that serves a role's work; durable names hold no dots. */
export function durableOf(role: Role): string {
  return addressOf(role).replaceAll(".", "_");
}

/** The sender and verb in a `firm.from.…` subject.
 * @throws FirmError `unknown-role` or `invalid-input`. */
export function parseFrom(subject: string): { role: Role; verb: RoleVerb } {
  const tokens = subject.split(".").slice(2);
  const width = tokens[0] === "ceo" ? 1 : 2;
  const role = roleOfAddress(tokens.slice(0, width));
  const verb = tokens.slice(width).join(".");
  const known = ROLE_VERBS.find((v) => v === verb);
  if (known === undefined) {
    throw new FirmError("invalid-input", `"${verb}" is not a verb of the gateway: ${ROLE_VERBS.join(", ")}`, {
      field: "verb",
    });
  }
  return { role, verb: known };
}

/** The run, event type and subject's own id in a `firm.run.…` subject; undefined if it is none. */
export function parseRunSubject(
  subject: string,
): { run: string; type: string; id: string | undefined } | undefined {
  const [firm, kind, run, type, id] = subject.split(".");
  if (firm !== "firm" || kind !== "run" || run === undefined || type === undefined) return undefined;
  return { run, type, id };
}
