// Owns the gateway's start and stop; everything it decides is in the files beside it.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { openConnection, runProcess, variableError, type ProcessBase, type Running } from "@firm/actor";
import { serveMicro, type Bus } from "@firm/bus";
import { orgChartOf } from "@firm/config";
import { BUCKETS, FirmError, INVOCABLE_ROLES, serviceNameOf, subjects } from "@firm/protocol";
import packageJson from "../package.json" with { type: "json" };
import { resumeBoards } from "./board.ts";
import { Cancels } from "./cancels.ts";
import { Contexts } from "./context.ts";
import { control } from "./control.ts";
import { watchDeadWork } from "./dead-work.ts";
import { Deadlines } from "./deadlines.ts";
import type { Gateway } from "./deps.ts";
import { Dispatcher } from "./dispatch.ts";
import { settleLeftovers } from "./finish.ts";
import { Intake } from "./intake.ts";
import { Journal } from "./journal.ts";
import { Ledger } from "./ledger.ts";
import { registerDeadLetters, registerState } from "./gauges.ts";
import { createGatewayMetrics } from "./metrics.ts";
import { Origins } from "./origins.ts";
import { RunRecords } from "./records.ts";
import { createTokens } from "./tokens.ts";
import { activityOf, meter, queuesOf } from "./metering.ts";
import { traceEvent } from "./traces.ts";
import { answerHeaders, userAsk } from "./user-ask.ts";

/** Key of the value that tells this bus from any other, in KV `firm-runs`. */
const ORIGIN_KEY = "origin";
const QUEUE = "gateway";

void runProcess("gateway", async (base): Promise<Running> => {
  const tokens = createTokens(await readKey(base.environment.tokenKeyFile));
  const connection = await openConnection(base, "gateway");
  const gateway = await build(base, connection.bus, tokens);
  const { bus, ledger } = gateway;
  const deadlines = new Deadlines(gateway);
  const dispatcher = new Dispatcher(gateway);
  const intake = new Intake(gateway, await originOf(bus));
  await ledger.start();
  await settleLeftovers(gateway);
  await resumeBoards(gateway);
  const deadWork = await watchDeadWork(gateway);
  const micro = serveMicro(bus, {
    name: serviceNameOf("gateway"),
    version: packageJson.version,
    description: "The only door between roles",
    metadata: { role: "gateway" },
    endpoints: [
      { name: "from", subject: subjects.allFrom, queue: QUEUE },
      { name: "control", subject: subjects.allControls, queue: QUEUE },
      { name: "objective", subject: subjects.objective, queue: QUEUE },
    ],
  });
  /** Discovery's counts of an endpoint. */
  const counting = (endpoint: string): ((error?: unknown) => void) => {
    const began = performance.now();
    return (error) => micro.record(endpoint, performance.now() - began, error);
  };
  const requests = bus.subscribe(
    subjects.allFrom,
    (request) => {
      const ended = counting("from");
      void dispatcher.handle(request).then(ended);
    },
    { queue: QUEUE },
  );
  const controls = bus.subscribe(
    subjects.allControls,
    (request) => {
      const ended = counting("control");
      control(gateway, request).then(
        (reply) => {
          request.respond(JSON.stringify(reply));
          ended();
        },
        (error: unknown) => {
          request.fail(error);
          noteRefusal(gateway, "control", error);
          ended(error);
        },
      );
    },
    { queue: QUEUE },
  );
  const asks = [subjects.invoke(), subjects.allInvokes].map((subject) =>
    bus.subscribe(
      subject,
      (request) => {
        userAsk(gateway, request).then(
          ({ run, text }) => request.respond(text, answerHeaders(run)),
          (error: unknown) => {
            request.fail(error);
            noteRefusal(gateway, "ask", error);
          },
        );
      },
      { queue: QUEUE },
    ),
  );
  await intake.start((ms, error) => micro.record("objective", ms, error));
  await connection.confirm();
  const deadLetters = registerDeadLetters(base.metrics.registry, {
    bus,
    onFailure: (error) => base.log.warn({ err: error }, "the dead letter queue could not be looked at"),
  });
  await deadLetters.look();

  return {
    failed: connection.failed,
    drain: async () => {
      micro.stop();
      deadLetters.stop();
      await intake.stop();
      await Promise.all([
        requests.drain(),
        controls.drain(),
        ...asks.map((one) => one.drain()),
        deadWork.drain(),
      ]);
      deadlines.stop();
      await ledger.stop();
      await dispatcher.drain();
      await gateway.journal.drain();
      await connection.drain();
    },
  };
});

async function build(base: ProcessBase, bus: Bus, tokens: Gateway["tokens"]): Promise<Gateway> {
  const [runs, sessions, artifacts] = await Promise.all([
    bus.kv(BUCKETS.runs),
    bus.kv(BUCKETS.sessions),
    bus.artifacts(),
  ]);
  const chart = orgChartOf(base.config);
  const metrics = createGatewayMetrics(base.metrics.registry, chart.roles);
  const ledger = new Ledger(bus, (view, event) => {
    traceEvent(base.tracing, view, event);
    meter(metrics, view, event, base.config.limits.spawns);
  });
  registerState(base.metrics.registry, {
    activity: () => activityOf(ledger.views, Date.now()),
    queues: () => queuesOf(ledger.views, Date.now()),
  });
  return {
    bus,
    config: base.config,
    chart,
    ledger,
    records: new RunRecords(runs),
    origins: new Origins(sessions),
    contexts: new Contexts(artifacts, ledger),
    tokens,
    journal: new Journal(ledger, () => Date.now()),
    cancels: new Cancels(ledger),
    executives: new Set(INVOCABLE_ROLES),
    tracing: base.tracing,
    metrics,
    log: base.log,
    now: () => Date.now(),
  };
}

/** Drawn once for a bus and kept there, so that every replica derives the same run ids. */
async function originOf(bus: Bus): Promise<string> {
  const runs = await bus.kv(BUCKETS.runs);
  await runs.create(ORIGIN_KEY, randomUUID());
  const entry = await runs.get(ORIGIN_KEY);
  if (entry === undefined)
    throw new FirmError("storage-unavailable", `KV ${BUCKETS.runs} does not keep "${ORIGIN_KEY}"`, {
      hint: "run `firm bus init`",
    });
  return entry.text;
}

/** What a user was refused, beside what the roles are. */
function noteRefusal({ metrics }: Gateway, verb: "control" | "ask", error: unknown): void {
  metrics.refusals.inc({ verb, rule: error instanceof FirmError ? error.code : "internal" });
}

/** @throws FirmError `invalid-config` */
async function readKey(path: string | undefined): Promise<Uint8Array> {
  if (path === undefined) throw variableError("FIRM_TOKEN_KEY_FILE", "is not set");
  try {
    return Buffer.from((await readFile(path, "utf8")).trim(), "base64url");
  } catch (cause) {
    throw new FirmError(
      "invalid-config",
      `FIRM_TOKEN_KEY_FILE: cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        field: "FIRM_TOKEN_KEY_FILE",
        cause,
      },
    );
  }
}
