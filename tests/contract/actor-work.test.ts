// A worker on a real server: work survives its death, stops when told, drains, and never waits for others with a slot in hand.
import {
  createLog,
  createMetrics,
  createWorkerMetrics,
  Health,
  NO_TRACING,
  startActor,
  type ProcessBase,
  type Running,
  type WorkHandler,
} from "@firm/actor";
import { initBus, type Bus, type BusRequest } from "@firm/bus";
import {
  FirmError,
  parseFrom,
  Result,
  STREAMS,
  subjects,
  type RoleVerb,
  type WorkOrder,
} from "@firm/protocol";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { workOrder } from "@firm/actor/testing";
import { collector, startFirmNats, type FirmNats } from "../harness/firm-nats.ts";

const ROLE = "department:engineering";
const RUN = "01JZZZZZZZZZZZZZZZZZZZZZZZ";

interface Asked {
  readonly verb: RoleVerb;
  readonly body: Record<string, unknown>;
  readonly token: string | undefined;
}

let firm: FirmNats;
let gateway: Bus;
let operator: Bus;
let directory: string;
let asked: ReturnType<typeof collector<Asked>>;
let answer: (asked: Asked, request: BusRequest) => unknown;
const running: Running[] = [];

beforeEach(async () => {
  firm = await startFirmNats("bus: { ack_wait_seconds: 1, max_deliver: 5 }\nworker: { concurrency: 1 }");
  operator = await firm.connectAs("operator");
  await initBus(operator, firm.config, firm.chart);
  gateway = await firm.connectAs("gateway");
  directory = await mkdtemp(join(tmpdir(), "firm-actor-"));
  asked = collector();
  answer = ({ verb, body }) =>
    verb === "claim"
      ? { token: `token-${String(body["attempt"])}`, ended: false, attempt: body["attempt"] }
      : { seq: 1 };
  gateway.subscribe(subjects.allFrom, (request) => {
    const { verb } = parseFrom(request.subject);
    const one: Asked = {
      verb,
      body: JSON.parse(request.text()) as Record<string, unknown>,
      token: request.headers["Firm-Token"],
    };
    asked.push(one);
    try {
      request.respond(JSON.stringify(answer(one, request)));
    } catch (error) {
      request.fail(error);
    }
  });
  await gateway.rtt();
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.drain()));
  await firm.stop();
  await rm(directory, { recursive: true });
});

async function baseOf(identity: Parameters<FirmNats["keyOf"]>[0] = ROLE): Promise<ProcessBase> {
  const nkeyFile = join(directory, "key");
  await writeFile(nkeyFile, firm.keyOf(identity).seed);
  return {
    environment: {
      natsServers: [firm.server.url],
      nkeyFile,
      role: ROLE,
      configFile: undefined,
      tokenKeyFile: undefined,
      httpHost: "127.0.0.1",
      httpPort: 0,
      httpFile: undefined,
      logLevel: "silent",
      stateDir: directory,
      parentPipe: false,
      variables: {},
    },
    config: firm.config,
    log: createLog(ROLE, "silent"),
    metrics: createMetrics("test", "0.0.0"),
    health: new Health(),
    tracing: NO_TRACING,
  };
}

async function worker(work: WorkHandler): Promise<Running> {
  const base = await baseOf();
  const actor = await startActor({
    role: ROLE,
    base,
    metrics: createWorkerMetrics(base.metrics.registry),
    work,
  });
  running.push(actor);
  return actor;
}

const put = (over: Partial<WorkOrder> = {}) =>
  gateway.append(subjects.work(ROLE), JSON.stringify(workOrder({ run: RUN, ...over })));
const done = (objective_key = "k"): Result => Result.parse({ status: "ok", objective_key, summary: "done" });
const results = (all: readonly Asked[]): readonly Asked[] => all.filter(({ verb }) => verb === "result");
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
/** Resolves when nothing of the role's work is left in the queue. */
async function queueIsEmpty(): Promise<void> {
  for (;;) {
    const { pending, unacknowledged } = await operator.lag(STREAMS.work, "department_engineering");
    if (pending + unacknowledged === 0) return;
  }
}

it("work is done once: result stored, delivery acknowledged, nothing left in the queue", async () => {
  await worker(() => Promise.resolve(done()));
  await put();
  await asked.until((all) => results(all).length === 1);
  await queueIsEmpty();
  expect(asked.all.map(({ verb, token }) => [verb, token])).toEqual([["result", "token-1"]]);
});

it("work of a worker that died is delivered again, claimed, and done under the claim's token", async () => {
  // Dies as SIGKILL would have it: it took the message and says nothing any more.
  const dead = await firm.connectAs(ROLE);
  const source = await dead.work(STREAMS.work, "department_engineering");
  const taken = Promise.withResolvers<void>();
  let slots = 1;
  void source.run({ acquire: () => Promise.resolve(slots-- > 0), release: () => undefined }, () =>
    taken.resolve(),
  );
  await put();
  await taken.promise;
  await worker((work) => Promise.resolve(done(String(work.attempt))));
  await asked.until((all) => results(all).length === 1);
  expect(asked.all.map(({ verb, token }) => [verb, token])).toEqual([
    ["claim", "token-1"],
    ["result", "token-2"],
  ]);
  expect(results(asked.all)[0]?.body["objective_key"]).toBe("2");
  await queueIsEmpty();
});

it("work that takes longer than ack_wait is not delivered again", async () => {
  const go = Promise.withResolvers<void>();
  let taken = 0;
  await worker(async () => {
    taken++;
    await go.promise;
    return done();
  });
  await put();
  // "Started" comes once, then the server's own clock must pass ack_wait twice: a marker that is delivered after it.
  await asked.until((all) => all.some(({ verb }) => verb === "checkpoint"));
  const witness = await firm.connectAs("employee:auditor");
  const source = await witness.work(STREAMS.work, "employee_auditor");
  const seen = collector<number>();
  let once = true;
  void source.run({ acquire: () => Promise.resolve(true), release: () => undefined }, (delivery) => {
    seen.push(delivery.deliveryCount);
    if (!once) void delivery.ack();
    once = false;
  });
  await gateway.append(subjects.work("employee:auditor"), "left alone until ack_wait ends");
  await seen.until((all) => all.length === 2);
  source.stop();
  expect(taken).toBe(1);
  go.resolve();
  await asked.until((all) => results(all).length === 1);
  await queueIsEmpty();
});

it("a stop aborts the run's work; nothing is sent, and it does not come back", async () => {
  const working = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<unknown>();
  await worker((work) => {
    work.signal.addEventListener("abort", () => aborted.resolve(work.signal.reason));
    working.resolve();
    return untilAborted(work.signal);
  });
  await put();
  await working.promise;
  gateway.publish(subjects.stop(RUN), "");
  expect(await aborted.promise).toMatchObject({ code: "run-cancelled" });
  await queueIsEmpty();
  expect(results(asked.all)).toEqual([]);
});

it("with one slot, work that waits for other work lets that other work in", async () => {
  const childDone = Promise.withResolvers<void>();
  await worker(async (work) => {
    if (work.order.handoff === "parent") await work.away(() => childDone.promise);
    else childDone.resolve();
    return done(work.order.handoff);
  });
  await put({ handoff: "parent" });
  await put({ handoff: "child" });
  await asked.until((all) => results(all).length === 2);
  expect(new Set(results(asked.all).map(({ body }) => body["objective_key"]))).toEqual(
    new Set(["parent", "child"]),
  );
  await queueIsEmpty();
});

it("a drain lets work in hand finish, and leaves the rest to others", async () => {
  const working = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const first = await worker(async (work) => {
    working.resolve();
    await go.promise;
    return done(work.order.handoff);
  });
  await put({ handoff: "in-hand" });
  await working.promise;
  await put({ handoff: "waiting" });
  const draining = first.drain();
  running.length = 0;
  go.resolve();
  await draining;
  expect(results(asked.all).map(({ body }) => body["objective_key"])).toEqual(["in-hand"]);
  await worker((work) => Promise.resolve(done(work.order.handoff)));
  await asked.until((all) => results(all).length === 2);
  await queueIsEmpty();
});

it("a gateway that answers too late is asked again, and the result is stored once", async () => {
  let first = true;
  answer = ({ verb }) => {
    if (verb === "result" && first) {
      first = false;
      throw new FirmError("storage-unavailable", "JetStream has no leader");
    }
    return { seq: 1 };
  };
  await worker(() => Promise.resolve(done()));
  await put();
  await asked.until((all) => results(all).length === 2);
  await queueIsEmpty();
});

it("a server that restarts in mid-work costs nothing but time", async () => {
  const working = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  await worker(async () => {
    working.resolve();
    await go.promise;
    return done();
  });
  await put();
  await working.promise;
  await firm.server.kill("SIGKILL");
  go.resolve();
  await firm.server.start();
  await asked.until((all) => results(all).length >= 1);
  await queueIsEmpty();
});

it("what is no work order is not delivered for ever", async () => {
  await worker(() => Promise.resolve(done()));
  await gateway.append(subjects.work(ROLE), "{}");
  await put();
  await asked.until((all) => results(all).length === 1);
  await queueIsEmpty();
});

it("credentials of another role fail the start, and say what is refused", async () => {
  const base = await baseOf("employee:auditor");
  const metrics = createWorkerMetrics(base.metrics.registry);
  const start = startActor({ role: ROLE, base, metrics, work: () => Promise.resolve(done()) });
  await expect(start).rejects.toMatchObject({ code: "permission-refused" });
});

it("discovery lists the worker by its role", async () => {
  await worker(() => Promise.resolve(done()));
  const reply = await operator.request("$SRV.PING.firm-department-engineering", "");
  expect(JSON.parse(reply.text())).toMatchObject({
    name: "firm-department-engineering",
    metadata: { role: ROLE },
  });
});
