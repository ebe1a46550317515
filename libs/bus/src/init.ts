// Owns `firm bus init`: creates what is missing, applies changed limits, removes nothing.
import { FirmError, type Role } from "@firm/protocol";
import * as z from "zod";
import { linkOf } from "./connect.ts";
import { apiRequest, JS_ERRORS, jetStreamErrorOf } from "./jetstream.ts";
import type { Link } from "./link.ts";
import {
  planDurables,
  planStreams,
  type BusSettings,
  type DurablePlan,
  type ServerFields,
  type StreamPlan,
} from "./topology.ts";
import type { Bus } from "./types.ts";

/** What was done to each thing, by name. */
export interface InitReport {
  readonly created: string[];
  readonly updated: string[];
  readonly unchanged: string[];
}
type Change = keyof InitReport;

const Info = z.object({
  config: z.record(z.string(), z.unknown()),
  /** A stream's. */
  state: z.object({ last_seq: z.number() }).optional(),
  /** A durable's. */
  delivered: z.object({ stream_seq: z.number() }).optional(),
});
type Info = z.infer<typeof Info>;
const Anything = z.looseObject({});
/** These define what a stream is; the server does not change them. */
const FIXED = ["retention", "storage"] as const;

/**
 * Brings the bus to the configuration; safe to repeat and to run at the same time as another.
 * @param bus a connection of the operator: other identities may create nothing
 * @throws FirmError `storage-unavailable` where JetStream is disabled, full, or a stream of that name is another's.
 */
export async function initBus(
  bus: Bus,
  settings: BusSettings,
  chart: { readonly roles: readonly Role[] },
): Promise<InitReport> {
  const link = linkOf(bus);
  await apiRequest(link, "INFO", undefined, Anything, "JetStream", 1_000);
  const report: InitReport = { created: [], updated: [], unchanged: [] };
  const note = (change: Change, title: string): void => void report[change].push(title);
  await Promise.all(
    planStreams(settings).map(async (plan) => note(await applyStream(link, plan), plan.title)),
  );
  await Promise.all(
    planDurables(settings, chart.roles).map(async (plan) => note(await applyDurable(link, plan), plan.title)),
  );
  for (const change of ["created", "updated", "unchanged"] as const) report[change].sort();
  return report;
}

async function applyStream(link: Link, plan: StreamPlan): Promise<Change> {
  const { name, config, title } = plan;
  const current = (await infoOf(link, `STREAM.INFO.${name}`, JS_ERRORS.streamNotFound, title))?.config;
  if (current === undefined) {
    await apiRequest(link, `STREAM.CREATE.${name}`, { name, ...config }, Anything, title);
    return "created";
  }
  if (agrees(current, config)) return "unchanged";
  for (const field of FIXED) {
    if (current[field] !== config[field]) {
      throw new FirmError(
        "storage-unavailable",
        `${title} exists with ${field} ${String(current[field])} instead of ${String(config[field])}`,
        {
          hint: `it was not made by Firm: rename or remove it (\`nats stream rm ${name}\`), or use another NATS account`,
        },
      );
    }
  }
  await apiRequest(link, `STREAM.UPDATE.${name}`, { ...current, ...config, name }, Anything, title);
  return "updated";
}

async function applyDurable(link: Link, plan: DurablePlan): Promise<Change> {
  const { stream, name, config, title } = plan;
  const about = `${stream}.${name}`;
  const info = await infoOf(link, `CONSUMER.INFO.${about}`, JS_ERRORS.consumerNotFound, title);
  const lost = info !== undefined && (await isAhead(link, plan, info));
  if (info !== undefined && !lost && agrees(info.config, config)) return "unchanged";
  if (lost) await apiRequest(link, `CONSUMER.DELETE.${about}`, undefined, Anything, title);
  await apiRequest(
    link,
    `CONSUMER.DURABLE.CREATE.${about}`,
    { stream_name: stream, config: { ...info?.config, ...config } },
    Anything,
    title,
  );
  return info === undefined ? "created" : "updated";
}

/**
 * True for a durable that stands beyond its stream's end: a server that died on a full disk may forget how far an emptied
 * stream had counted, and such a durable would pass over all that is stored until the count catches up. Made anew, it
 * delivers what is there; what was worked on already is known by its ids.
 */
async function isAhead(link: Link, { stream, title }: DurablePlan, durable: Info): Promise<boolean> {
  const delivered = durable.delivered?.stream_seq ?? 0;
  if (delivered === 0) return false;
  // Asked after the durable: a stream only grows.
  const { state } = await apiRequest(link, `STREAM.INFO.${stream}`, undefined, Info, title);
  return state !== undefined && delivered > state.last_seq;
}

/** What the server knows of it; undefined where there is no such thing. */
async function infoOf(link: Link, api: string, missing: number, title: string): Promise<Info | undefined> {
  try {
    return await apiRequest(link, api, undefined, Info, title);
  } catch (error) {
    if (jetStreamErrorOf(error)?.body.err_code === missing) return undefined;
    throw error;
  }
}

/** True where every wanted field has its value; a server leaves out what is false or zero. */
function agrees(current: Readonly<Record<string, unknown>>, wanted: ServerFields): boolean {
  return Object.entries(wanted).every(
    ([field, value]) => JSON.stringify(current[field] ?? false) === JSON.stringify(value),
  );
}
