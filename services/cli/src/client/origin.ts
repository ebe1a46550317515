// Owns reading an originating session: it names its runs, the runs' logs hold what was asked and delivered.
import type { Bus } from "@firm/bus";
import {
  BUCKETS,
  FirmError,
  parseJson,
  RunAccepted,
  sessionKvKey,
  STREAMS,
  subjects,
  type HistoryEntry,
} from "@firm/protocol";
import * as z from "zod";
import { endOf } from "./runs.ts";

/** The part of the gateway's record that is read here. */
const Origin = z.object({
  runs: z.array(z.object({ run: z.string(), asked_at: z.number(), told_at: z.number() })),
});

/** Messages shown of a session that has many. */
const SHOWN_RUNS = 20;

/**
 * What was asked and delivered in a session, oldest first.
 * @throws FirmError `unknown-session`.
 */
export async function originHistory(bus: Bus, session: string): Promise<HistoryEntry[]> {
  const entry = await (await bus.kv(BUCKETS.sessions)).get(sessionKvKey(session));
  if (entry === undefined) {
    throw new FirmError("unknown-session", `there is no session "${session}"`, {
      field: "--history",
      hint: "originating sessions are named by --reply-session; the default is main",
    });
  }
  const { runs } = parseJson(Origin, entry.text, session, "internal");
  const messages = await Promise.all(
    runs.slice(-SHOWN_RUNS).map(async ({ run, asked_at, told_at }): Promise<HistoryEntry[]> => {
      const [first, end] = await Promise.all([
        bus.last(STREAMS.runs, subjects.run.accepted(run)),
        endOf(bus, run),
      ]);
      // A run older than the log's age is gone; the session still names it.
      if (first === undefined) return [];
      const { objective } = parseJson(RunAccepted, first.text(), run, "internal");
      const asked = { at: asked_at, from: "user", kind: "objective", text: objective.objective };
      const body = end?.deliverable?.body;
      return body === undefined
        ? [asked]
        : [asked, { at: told_at, from: "ceo", kind: "deliverable", text: body }];
    }),
  );
  return messages.flat();
}
