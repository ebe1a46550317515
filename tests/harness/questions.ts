// Owns asking the C-suite as a user does, and reading back what the run's log says of it.
import {
  FirmError,
  parseJson,
  RunEvent,
  STREAMS,
  subjects,
  type InvocationItem,
  type RunFinished,
} from "@firm/protocol";
import type { FirmSystem } from "./system.ts";

/** One question of a user, from the request to the log. */
export interface AskedByUser {
  readonly run: string;
  /** The reply, or the error that came back. */
  readonly reply: Promise<string | FirmError>;
  /** All invocations of the run, once it has ended. */
  items(): Promise<readonly InvocationItem[]>;
  finished(): Promise<RunFinished>;
}

/** Asks on `firm.invoke` or `firm.invoke.<role>`; resolves once the gateway has accepted it. */
export async function askAsUser(
  system: FirmSystem,
  subject: string,
  body: string,
  mark: string,
): Promise<AskedByUser> {
  const accepted = Promise.withResolvers<string>();
  const feed = await system.user.follow(STREAMS.runs, "firm.run.*.accepted", undefined, (message) => {
    const event = parseJson(RunEvent, message.text(), message.subject);
    if (event.type === "accepted" && event.objective.objective.includes(mark)) accepted.resolve(event.run);
  });
  const reply = system.user.request(subject, body, { timeoutMs: 60_000 }).then(
    (message) => message.text(),
    (error: unknown) => {
      if (error instanceof FirmError) return error;
      throw error;
    },
  );
  // A question that is not accepted has no run.
  const run = await Promise.race([accepted.promise, reply.then(() => accepted.promise)]);
  await feed.stop();
  return {
    run,
    reply,
    items: async () => {
      // Records follow answers: the log is whole once every question in it has its end.
      const all = await system.events(
        run,
        (events) =>
          events.some(({ event }) => event.type === "finished") &&
          isWhole(itemsOf(events.map((one) => one.event))),
      );
      return itemsOf(all.map(({ event }) => event));
    },
    finished: () => system.finished(run),
  };
}

function itemsOf(events: readonly RunEvent[]): InvocationItem[] {
  return events.flatMap((event) => (event.type === "invocations" ? event.items : []));
}

function isWhole(items: readonly InvocationItem[]): boolean {
  const ended = new Set(items.flatMap((item) => (item.state === "ended" ? [item.id] : [])));
  return (
    items.some(({ state }) => state === "asked") &&
    items.every((item) => item.state !== "asked" || ended.has(item.id))
  );
}

/** A user's question straight to a role. */
export function askRole(
  system: FirmSystem,
  role: string,
  question: string,
  more: object = {},
): Promise<AskedByUser> {
  const body = Object.keys(more).length === 0 ? question : JSON.stringify({ question, ...more });
  return askAsUser(system, subjects.invoke(role), body, question);
}

/** The ends by the role that was asked, in the order of the log. */
export function endsOf(
  items: readonly InvocationItem[],
  role: string,
): Extract<InvocationItem, { state: "ended" }>[] {
  return items.flatMap((item) => (item.state === "ended" && item.role === role ? [item] : []));
}

/** A well-formed answer of a role. */
export function answerOf(role: string, finding = "Fine"): string {
  return `[RESPONSE:${role}]
Key finding: ${finding}
Supporting data:
  - The first
  - The second
Confidence: high
Caveat: None worth naming.
[/RESPONSE]`;
}
