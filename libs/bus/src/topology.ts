// Pure: the streams, durables and buckets of the bus, with their limits (DESIGN "State lives in JetStream only").
import {
  BUCKETS,
  durableOf,
  EXECUTIVE_ROLES,
  OBJECTIVES_DURABLE,
  STREAMS,
  subjects,
  type Role,
} from "@firm/protocol";

/** The part of firm.yaml that shapes the bus. */
export interface BusSettings {
  readonly bus: {
    readonly replicas: number;
    readonly runs_max_age_days: number;
    readonly max_bytes: number;
    readonly ack_wait_seconds: number;
    readonly max_deliver: number;
  };
}

/** Configuration fields in the server's spelling and units (ns). */
export type ServerFields = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface StreamPlan {
  /** As people know it: `stream FIRM_RUNS`, `bucket firm-runs`. */
  readonly title: string;
  readonly name: string;
  readonly config: ServerFields;
}

export interface DurablePlan {
  readonly title: string;
  readonly stream: string;
  readonly name: string;
  readonly config: ServerFields;
}

const NANOS_PER_SECOND = 1_000_000_000;
const DAY_NANOS = 86_400 * NANOS_PER_SECOND;
/** An append is retried for seconds; two minutes also cover a gateway's restart. */
const DUPLICATE_WINDOW = 120 * NANOS_PER_SECOND;
/** Far above what one role's workers hold: the slots are the limit, not the server. */
const MAX_ACK_PENDING = 20_000;

/** The streams, also those behind buckets and object store. */
export function planStreams(settings: BusSettings): StreamPlan[] {
  const { replicas, max_bytes } = settings.bus;
  const runsAge = Math.round(settings.bus.runs_max_age_days * DAY_NANOS);
  const common = { storage: "file", discard: "new", num_replicas: replicas, max_bytes };
  // Servers reserve what a stream may hold; these hold little.
  const small = { max_bytes: Math.ceil(max_bytes / 4) };
  const stream = (name: string, subject: string, config: ServerFields): StreamPlan => ({
    title: `stream ${name}`,
    name,
    config: { ...common, subjects: [subject], ...config },
  });
  const bucket = (name: string): StreamPlan => ({
    title: `bucket ${name}`,
    name: `KV_${name}`,
    config: {
      ...common,
      ...small,
      subjects: [`$KV.${name}.>`],
      retention: "limits",
      max_msgs_per_subject: 1,
      allow_direct: true,
      allow_rollup_hdrs: true,
      deny_delete: true,
      duplicate_window: DUPLICATE_WINDOW,
    },
  });
  return [
    // no_ack: the answer to a `nats req` comes from the gateway, not from the stream.
    stream(STREAMS.objectives, subjects.objective, { ...small, retention: "workqueue", no_ack: true }),
    stream(STREAMS.work, subjects.allWork, { retention: "workqueue", duplicate_window: DUPLICATE_WINDOW }),
    stream(STREAMS.runs, subjects.run.all, {
      retention: "limits",
      max_age: runsAge,
      allow_direct: true,
      deny_delete: true,
      duplicate_window: Math.min(DUPLICATE_WINDOW, runsAge),
    }),
    stream(STREAMS.dlq, subjects.allDlq, {
      ...small,
      retention: "limits",
      allow_direct: true,
      duplicate_window: DUPLICATE_WINDOW,
    }),
    bucket(BUCKETS.runs),
    bucket(BUCKETS.sessions),
    {
      title: `object store ${BUCKETS.artifacts}`,
      name: `OBJ_${BUCKETS.artifacts}`,
      config: {
        ...common,
        subjects: [`$O.${BUCKETS.artifacts}.C.>`, `$O.${BUCKETS.artifacts}.M.>`],
        retention: "limits",
        allow_direct: true,
        allow_rollup_hdrs: true,
      },
    },
  ];
}

/** The durables: the gateway's on the objectives, one for each role on the work; the executives' are there whatever the org chart says (board meetings). */
export function planDurables(settings: BusSettings, roles: readonly Role[]): DurablePlan[] {
  const common = {
    ack_policy: "explicit",
    deliver_policy: "all",
    replay_policy: "instant",
    ack_wait: Math.round(settings.bus.ack_wait_seconds * NANOS_PER_SECOND),
    max_ack_pending: MAX_ACK_PENDING,
  };
  const durable = (stream: string, name: string, config: ServerFields): DurablePlan => ({
    title: `durable ${stream}/${name}`,
    stream,
    name,
    config: { ...common, durable_name: name, ...config },
  });
  return [
    // What was accepted is never given up: the gateway itself ends an objective that it cannot take.
    durable(STREAMS.objectives, OBJECTIVES_DURABLE, { filter_subject: subjects.objective, max_deliver: -1 }),
    ...[...new Set([...roles, ...EXECUTIVE_ROLES])].map((role) =>
      durable(STREAMS.work, durableOf(role), {
        filter_subject: subjects.work(role),
        max_deliver: settings.bus.max_deliver,
      }),
    ),
  ];
}
