// Pure: which messages go over which subject; the subjects themselves come from libs/protocol.
import { CONTROL_VERBS, ROLE_VERBS, STREAMS, subjects, type RoleVerb } from "@firm/protocol";
import type { SchemaName } from "./schemas.ts";

/** Stand-ins that libs/protocol accepts in a subject, and the parameters they become. */
const RUN = "RUN";
const ID = "HANDOFF";
const ROLE = "department:stand-in";
const PARAMETERS: readonly (readonly [stand: string, parameter: string])[] = [
  ["department.stand-in", "{role}"],
  [RUN, "{run}"],
  [ID, "{handoff}"],
  [STREAMS.work, "{stream}"],
];

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  role: 'Address of a role: "ceo", "department.<name>", "service.<name>", "employee.<name>" or "executive.<role>".',
  run: "Id of the run, a ULID.",
  handoff: 'Id of the handoff; "root" is the user\'s to the CEO.',
  stream: "The stream the message came from.",
  verb: `One of ${CONTROL_VERBS.join(", ")}.`,
};

/** Verb of `firm.from.<role>.<verb>` → its request and reply; a verb without an entry takes and gives text. */
const VERB_SCHEMAS: Partial<Record<RoleVerb, readonly [request: SchemaName, reply: SchemaName]>> = {
  handoff: ["HandoffRequest", "HandoffReply"],
  collect: ["CollectRequest", "CollectReply"],
  result: ["ResultRequest", "ResultReply"],
  checkpoint: ["CheckpointRequest", "ResultReply"],
  claim: ["ClaimRequest", "ClaimReply"],
  spawn: ["SpawnRequest", "SpawnReply"],
  "sessions.list": ["SessionsListRequest", "SessionsListReply"],
  "sessions.history": ["SessionsHistoryRequest", "SessionsHistoryReply"],
  "sessions.send": ["SessionsSendRequest", "SessionsSendReply"],
  "sessions.spawn": ["SessionsSpawnRequest", "SessionsSpawnReply"],
};

/** A channel and what goes over it. */
export interface Channel {
  readonly key: string;
  readonly subject: string;
  readonly description: string;
  /** What the gateway does with it. */
  readonly action: "receive" | "send";
  readonly message: string;
  readonly reply?: string;
}

const EVENTS = [
  ["accepted", subjects.run.accepted(RUN)],
  ["handoff", subjects.run.handoff(RUN, ID)],
  ["started", subjects.run.started(RUN, ID)],
  ["checkpoint", subjects.run.checkpoint(RUN, ID)],
  ["end", subjects.run.end(RUN, ID)],
  ["late", subjects.run.late(RUN, ID)],
  ["session", subjects.run.session(RUN)],
  ["message", subjects.run.message(RUN)],
  ["refused", subjects.run.refused(RUN)],
  ["control", subjects.run.control(RUN)],
  ["invocations", subjects.run.invocations(RUN)],
  ["board", subjects.run.board(RUN)],
  ["finished", subjects.run.finished(RUN)],
] as const;

const camel = (text: string): string =>
  text.replace(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase());

/** Every channel of the bus that is served. */
export const CHANNELS: readonly Channel[] = [
  {
    key: "objective",
    subject: subjects.objective,
    description: `A user's objective: JSON, the skill's own block, or plain text. Stored in ${STREAMS.objectives}; a request is answered with the run.`,
    action: "receive",
    message: "ObjectiveText",
    reply: "ObjectiveReply",
  },
  {
    key: "control",
    subject: subjects.control(RUN, "cancel").replace("cancel", "{verb}"),
    description: "A user steers a run.",
    action: "receive",
    message: "ControlRequest",
    reply: "ControlReply",
  },
  ...ROLE_VERBS.flatMap((verb): Channel[] => {
    const schemas = VERB_SCHEMAS[verb];
    if (schemas === undefined) return [];
    return [
      {
        key: camel(`from.${verb}`),
        subject: subjects.from(ROLE, verb),
        description: `A role asks the gateway: ${verb}. Needs the token of its piece of work.`,
        action: "receive",
        message: schemas[0],
        reply: schemas[1],
      },
    ];
  }),
  {
    key: "work",
    subject: subjects.work(ROLE),
    description: `A handoff for a role, in ${STREAMS.work}; one durable per role, any number of workers.`,
    action: "send",
    message: "WorkOrder",
  },
  {
    key: "stop",
    subject: subjects.stop(RUN),
    description: "Stop all work of this run now. Broadcast, not stored; the body says why.",
    action: "send",
    message: "Text",
  },
  ...EVENTS.map(([type, subject]): Channel => ({
    key: camel(`run.${type}`),
    subject,
    description: `Event "${type}" of a run's log, in ${STREAMS.runs}.`,
    action: "send",
    message: "RunEvent",
  })),
  {
    key: "dlq",
    subject: subjects.dlq(STREAMS.work),
    description: `A message that could not be worked on, unchanged, with the reason in its headers; in ${STREAMS.dlq}.`,
    action: "send",
    message: "Bytes",
  },
];

/** The subject with parameters in the place of its stand-ins. */
export function channelAddress(subject: string): string {
  return PARAMETERS.reduce((text, [stand, parameter]) => text.replace(stand, parameter), subject);
}

/** The parameters of an address, described. */
export function parametersOf(address: string) {
  const names = [...address.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  if (names.length === 0) return {};
  return {
    parameters: Object.fromEntries(names.map((name) => [name, { description: DESCRIPTIONS[name] ?? name }])),
  };
}
