// Pure: what each identity may publish and subscribe to; a role speaks to the gateway alone, as itself alone (DESIGN "Never").
import {
  BUCKETS,
  durableOf,
  EXECUTIVE_ROLES,
  inboxPrefixOf,
  OBJECTIVES_DURABLE,
  STREAMS,
  subjects,
  type Identity,
  type Role,
} from "@firm/protocol";

/** Allow lists in the server's own terms; what is not listed is refused. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Answers to requests received; absent: only subjects of `publish`. */
  readonly allowResponses?: { readonly max: number; readonly expires: string };
}

/** Streams behind the buckets and the object store. */
const STATE_STREAMS = [`KV_${BUCKETS.runs}`, `KV_${BUCKETS.sessions}`, `OBJ_${BUCKETS.artifacts}`] as const;
/** `$SRV`: what `nats micro` asks. */
const DISCOVERY = "$SRV.>";
/** An agent may think for long before it answers; one answer each. */
const ONE_RESPONSE = { max: 1, expires: "1h" } as const;

/** Use of one durable: its state, pulling, acknowledging; not creating. */
function consuming(stream: string, durable: string): string[] {
  return [
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
    `$JS.ACK.${stream}.${durable}.>`,
  ];
}

/** Reading a stream: its state, single messages, and ordered consumers. */
function reading(stream: string): string[] {
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}.>`,
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.INFO.${stream}.*`,
    `$JS.API.CONSUMER.DELETE.${stream}.*`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
    `$JS.ACK.${stream}.>`,
    `$JS.FC.${stream}.>`,
  ];
}

const LISTING = ["$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST"] as const;

/** A role's whole right to speak and listen. */
function rolePermissions(role: Role): Permissions {
  return {
    publish: [subjects.fromAll(role), ...consuming(STREAMS.work, durableOf(role))],
    subscribe: [`${subjects.inbox(role)}.>`, subjects.toAll(role), subjects.allStops, DISCOVERY],
    allowResponses: ONE_RESPONSE,
  };
}

function userPermissions(): Permissions {
  return {
    publish: [
      subjects.objective,
      subjects.invoke(),
      subjects.allInvokes,
      subjects.allControls,
      subjects.allFeedback,
      DISCOVERY,
      ...LISTING,
      ...[STREAMS.runs, ...STATE_STREAMS].flatMap(reading),
    ],
    subscribe: [`${inboxPrefixOf("user")}.>`, subjects.run.all, subjects.allStops],
  };
}

/** What a user may, from an inbox of its own; and how much work waits for each role. */
function supervisorPermissions(): Permissions {
  return {
    publish: [...userPermissions().publish, `$JS.API.CONSUMER.INFO.${STREAMS.work}.*`],
    subscribe: [`${inboxPrefixOf("supervisor")}.>`, subjects.run.all, subjects.allStops],
  };
}

/** The gateway creates nothing either; its answers go to the inboxes it knows, which costs the server less than tracking each. */
function gatewayPermissions(roles: readonly Role[]): Permissions {
  const inboxes = [...new Set(["ceo", ...roles, ...EXECUTIVE_ROLES])].map(
    (role) => `${subjects.inbox(role)}.>`,
  );
  return {
    publish: [
      subjects.allTo,
      subjects.allWork,
      subjects.allStops,
      subjects.run.all,
      subjects.allDlq,
      ...[inboxPrefixOf("user"), inboxPrefixOf("supervisor"), inboxPrefixOf("gateway")].map(
        (prefix) => `${prefix}.>`,
      ),
      ...inboxes,
      ...LISTING,
      `$JS.API.STREAM.INFO.${STREAMS.objectives}`,
      ...consuming(STREAMS.objectives, OBJECTIVES_DURABLE),
      `$JS.API.STREAM.INFO.${STREAMS.work}`,
      ...[STREAMS.work, STREAMS.objectives].flatMap((stream) => [
        `$JS.API.CONSUMER.INFO.${stream}.*`,
        `$JS.API.CONSUMER.LIST.${stream}`,
        `$JS.API.STREAM.MSG.GET.${stream}`,
        `$JS.API.STREAM.MSG.DELETE.${stream}`,
      ]),
      ...[STREAMS.runs, ...STATE_STREAMS].flatMap(reading),
      `$KV.${BUCKETS.runs}.>`,
      `$KV.${BUCKETS.sessions}.>`,
      `$O.${BUCKETS.artifacts}.>`,
      `$JS.API.STREAM.PURGE.OBJ_${BUCKETS.artifacts}`,
    ],
    subscribe: [
      `${inboxPrefixOf("gateway")}.>`,
      subjects.allFrom,
      subjects.objective,
      subjects.invoke(),
      subjects.allInvokes,
      subjects.allControls,
      subjects.allFeedback,
      subjects.run.all,
      subjects.allStops,
      "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>",
      DISCOVERY,
    ],
  };
}

/**
 * The permissions of an identity.
 * @param roles the roles of the org chart; the gateway answers them
 */
export function permissionsOf(identity: Identity, roles: readonly Role[]): Permissions {
  switch (identity) {
    case "operator":
      return { publish: [">"], subscribe: [">"] };
    case "gateway":
      return gatewayPermissions(roles);
    case "supervisor":
      return supervisorPermissions();
    case "user":
      return userPermissions();
    default:
      return rolePermissions(identity);
  }
}
