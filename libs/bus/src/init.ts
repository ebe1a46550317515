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

const Info = z.object({ config: z.record(z.string(), z.unknown()) });
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
  const current = await configOf(link, `STREAM.INFO.${name}`, JS_ERRORS.streamNotFound, title);
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
  const current = await configOf(link, `CONSUMER.INFO.${stream}.${name}`, JS_ERRORS.consumerNotFound, title);
  if (current !== undefined && agrees(current, config)) return "unchanged";
  await apiRequest(
    link,
    `CONSUMER.DURABLE.CREATE.${stream}.${name}`,
    { stream_name: stream, config: { ...current, ...config } },
    Anything,
    title,
  );
  return current === undefined ? "created" : "updated";
}

/** The configuration in force; undefined where there is no such thing. */
async function configOf(
  link: Link,
  api: string,
  missing: number,
  title: string,
): Promise<Record<string, unknown> | undefined> {
  try {
    return (await apiRequest(link, api, undefined, Info, title)).config;
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
