// Owns the measured hops: bare ones, and the same through the gateway; one hop, or a chain of two.
import { HEADERS, parseJson, subjects, WorkOrder, type Role } from "@firm/protocol";
import { connect, nkeyAuthenticator } from "nats";
import type { FirmSystem } from "../tests/harness/system.ts";
import { loses, measureHop, type HopFigures, type HopPlan } from "./measure.ts";
import { startPart, type Child } from "./parts/children.ts";

/** The role that asks, whom it asks, and whom that one asks: depth 2. */
const ASKER: Role = "ceo";
const CHAIN: readonly Role[] = ["cfo", "coo"];
const TIMEOUT_MS = 60_000;

/** One hop and the chain of two, and how many of many chains at once had no answer. */
export interface ChainFigures {
  readonly hop: HopFigures;
  readonly chain: HopFigures;
  readonly lost: number;
}

/** What is measured of each. */
export interface Plan {
  readonly hop: HopPlan;
  readonly chain: HopPlan;
  /** Chains started at once. */
  readonly atOnce: number;
}

const text = (seed: string | Uint8Array): string =>
  typeof seed === "string" ? seed : new TextDecoder().decode(seed);

/** A request through one relaying process; and one whose answerer asks onward through the same. */
export async function floor(system: FirmSystem, plan: Plan): Promise<ChainFigures> {
  const { url } = system.server;
  const operator = text(system.keyOf("operator").seed);
  const parts = await Promise.all([
    startPart("relay.ts", [url, "relay", operator]),
    startPart("relay.ts", [url, "answer", operator, "last"]),
    startPart("relay.ts", [url, "ask", operator, "first", "last"]),
  ]);
  const nc = await connect({
    servers: url,
    authenticator: nkeyAuthenticator(new TextEncoder().encode(operator)),
  });
  const question = new TextEncoder().encode(JSON.stringify({ role: "cfo", question: "What is the runway?" }));
  const ask = (subject: string) => async (): Promise<void> =>
    void (await nc.request(subject, question, { timeout: TIMEOUT_MS }));
  const figures = await both(ask("bench.relay.last"), ask("bench.relay.first"), plan);
  await nc.close();
  await stop(parts);
  return figures;
}

/** A worker's question to another worker through the gateway: token, rules, rate limit, journal, metrics. */
export async function governed(system: FirmSystem, plan: Plan): Promise<ChainFigures> {
  const seed = (role: Role): string => text(system.keyOf(role).seed);
  const [first = "cfo", last = "coo"] = CHAIN;
  const parts = await Promise.all([
    startPart("answerer.ts", [system.server.url, first, seed(first), last]),
    startPart("answerer.ts", [system.server.url, last, seed(last)]),
  ]);
  const ceo = await system.connectAs(ASKER);
  const source = await ceo.work("FIRM_WORK", ASKER);
  const order = Promise.withResolvers<WorkOrder>();
  let taken = false;
  const pulling = source.run(
    { acquire: () => Promise.resolve(!taken), release: () => undefined },
    (delivery) => {
      taken = true;
      order.resolve(parseJson(WorkOrder, delivery.text(), "order"));
      void delivery.ack();
      source.stop();
    },
  );
  const { run } = await system.objective({ objective: "measure", deadline_seconds: 3_600 });
  const { token } = await order.promise;
  await pulling;
  const headers = { [HEADERS.token]: token, [HEADERS.run]: run };
  const subject = subjects.from(ASKER, "invoke");
  const ask = (role: Role) => {
    const body = JSON.stringify({ role, question: "What is the runway?" });
    return async (): Promise<void> =>
      void (await ceo.request(subject, body, { headers, timeoutMs: TIMEOUT_MS }));
  };
  const figures = await both(ask(last), ask(first), plan);
  await system.user.request(subjects.control(run, "cancel"), "");
  await ceo.drain();
  await stop(parts);
  return figures;
}

async function both(hop: () => Promise<void>, chain: () => Promise<void>, plan: Plan): Promise<ChainFigures> {
  return {
    hop: await measureHop(hop, plan.hop),
    chain: await measureHop(chain, plan.chain),
    lost: await loses(chain, plan.atOnce),
  };
}

async function stop(parts: readonly Child[]): Promise<void> {
  await Promise.all(parts.map((part) => part.stop()));
}
