// Owns what a user asks the bus about runs: publish one, follow it, cancel it, read what is stored.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bus, Feed } from "@firm/bus";
import {
  BUCKETS,
  ControlReply,
  FirmError,
  HEADERS,
  isRetryable,
  isRunId,
  ObjectiveReply,
  parseJson,
  RunEvent,
  runKvKey,
  RunRecord,
  STREAMS,
  subjects,
  type LoggedEvent,
  type Objective,
  type RunFinished,
} from "@firm/protocol";

/** A gateway that starts anew is back within this. */
const PUBLISH_MS = 15_000;
/** A gateway that starts has taken the objective from the stream but has not heard the request: asking again gets the answer. */
const FIRST_ANSWER_MS = 1_500;
/** A gateway that cannot store says so before this. */
const ANSWER_MS = 5_000;
/** Headers and the client's own framing. */
const FRAMING_BYTES = 1_024;

/**
 * Publishes an objective; asked again under the same message id, it is the same run.
 * @throws FirmError `too-large` before anything is sent, or what the gateway says of the objective.
 */
export async function publishObjective(bus: Bus, objective: Objective): Promise<ObjectiveReply> {
  const body = JSON.stringify(objective);
  const size = Buffer.byteLength(body);
  if (size + FRAMING_BYTES > bus.maxPayload) {
    throw new FirmError(
      "too-large",
      `the objective has ${size} bytes; this NATS server takes at most ${bus.maxPayload}`,
      {
        field: "objective",
        hint: "put the text into a file of the workspace and refer to it",
      },
    );
  }
  const msgId = randomUUID();
  const end = Date.now() + PUBLISH_MS;
  for (let timeoutMs = FIRST_ANSWER_MS; ; timeoutMs = ANSWER_MS) {
    try {
      const reply = await bus.request(subjects.objective, body, {
        headers: { [HEADERS.msgId]: msgId },
        timeoutMs,
      });
      return parseJson(ObjectiveReply, reply.text(), "the gateway's answer", "internal");
    } catch (error) {
      if (!(error instanceof FirmError) || !isRetryable(error.code)) throw error;
      if (Date.now() > end) throw notTaken(error);
      await sleep(100);
    }
  }
}

/** Why nobody took the objective. */
function notTaken(error: FirmError): FirmError {
  if (error.code !== "bus-unavailable") return error;
  return new FirmError(
    "bus-unavailable",
    `the objective was not taken within ${PUBLISH_MS / 1_000} s: ${error.message}`,
    { cause: error, hint: "the disk may be full or the gateway down: `firm status` and `firm doctor` tell" },
  );
}

/** A run that is followed. */
export interface Following {
  /** Resolves with the run's end. */
  readonly finished: Promise<RunFinished>;
  stop(): Promise<void>;
}

/** Follows a run's log from its start to its end; what a cancel writes after the end is left out, so that the end is the last. */
export async function followRun(
  bus: Bus,
  run: string,
  fromSeq: number,
  onEvent: (logged: LoggedEvent) => void,
): Promise<Following> {
  const finished = Promise.withResolvers<RunFinished>();
  let over = false;
  const feed: Feed = await bus.follow(STREAMS.runs, subjects.run.of(run), fromSeq, (message) => {
    const event = over ? undefined : eventIn(message.text());
    // An event of a newer version is for newer clients.
    if (event === undefined) return;
    over = event.type === "finished";
    onEvent({ seq: message.seq, event });
    if (event.type === "finished") finished.resolve(event);
  });
  return { finished: finished.promise, stop: () => feed.stop() };
}

/** The events of a run that are stored now. @throws FirmError `unknown-run`. */
export async function readRun(bus: Bus, run: string): Promise<LoggedEvent[]> {
  const messages = await bus.read(STREAMS.runs, subjects.run.of(run));
  const events = messages.flatMap((message) => {
    const event = eventIn(message.text());
    return event === undefined ? [] : [{ seq: message.seq, event }];
  });
  if (events.length === 0) throw unknownRun(run);
  return events;
}

/** The end of a run; undefined while it goes on. */
export async function endOf(bus: Bus, run: string): Promise<RunFinished | undefined> {
  const message = await bus.last(STREAMS.runs, subjects.run.finished(run));
  const event = message === undefined ? undefined : eventIn(message.text());
  return event?.type === "finished" ? event : undefined;
}

/** Asks the gateway to cancel. */
export async function cancelRun(bus: Bus, run: string, reason: string | undefined): Promise<ControlReply> {
  const body = JSON.stringify(reason === undefined ? {} : { reason });
  const reply = await bus.request(subjects.control(run, "cancel"), body, { timeoutMs: 10_000 });
  return parseJson(ControlReply, reply.text(), "the gateway's answer", "internal");
}

/** The records of all runs, the latest last. */
export async function listRuns(bus: Bus): Promise<RunRecord[]> {
  const kv = await bus.kv(BUCKETS.runs);
  const keys = await kv.keys(runKvKey("*"));
  const entries = await Promise.all(keys.map((key) => kv.get(key)));
  const records = entries.flatMap((entry) =>
    entry === undefined ? [] : [parseJson(RunRecord, entry.text, entry.key, "internal")],
  );
  // Run ids are ordered by time.
  return records.toSorted((a, b) => (a.run < b.run ? -1 : 1));
}

/**
 * The run that an argument names: an id, the beginning or the end of one, or the latest where there is no argument.
 * @throws FirmError `unknown-run` or `invalid-input`.
 */
export async function resolveRun(bus: Bus, named: string | undefined): Promise<string> {
  const id = named?.toUpperCase();
  if (id !== undefined && isRunId(id)) return id;
  const runs = (await listRuns(bus)).map(({ run }) => run);
  return pickRun(runs, named);
}

/** Pure part of `resolveRun`. @param runs the latest last */
export function pickRun(runs: readonly string[], named: string | undefined): string {
  if (named === undefined) {
    const latest = runs.at(-1);
    if (latest === undefined)
      throw new FirmError("unknown-run", "there has been no run yet", { hint: "start with `firm run`" });
    return latest;
  }
  const part = named.toUpperCase();
  const matches = runs.filter((run) => run.startsWith(part) || run.endsWith(part));
  const [match] = matches;
  if (match === undefined) throw unknownRun(named);
  if (matches.length > 1) {
    throw new FirmError("invalid-input", `"${named}" names ${matches.length} runs; give more of the id`, {
      field: "run",
    });
  }
  return match;
}

function unknownRun(run: string): FirmError {
  return new FirmError("unknown-run", `there is no run "${run}"`, {
    field: "run",
    hint: "`firm runs` lists them",
  });
}

function eventIn(text: string): RunEvent | undefined {
  const parsed = RunEvent.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}
