// Owns `firm sessions`: the sessions of a run, and the messages of one.
import type { Command } from "commander";
import { sessionKeyOf, type HistoryEntry, type LoggedEvent } from "@firm/protocol";
import { EXIT } from "../exit-codes.ts";
import { duration, oneLine, table } from "../view/text.ts";
import { contextOf, exiting, print, withStore } from "./context.ts";

/** A session as listed. */
export interface ListedSession {
  readonly session: string;
  readonly participants: readonly string[];
  readonly handoffs: number;
  readonly status: string;
  /** Epoch ms. */
  readonly openedAt: number;
  readonly updatedAt: number;
}

export function addSessions(program: Command): void {
  program
    .command("sessions")
    .description(
      "list the sessions of a run, or print what was asked and delivered in an originating session",
    )
    .argument("[run]", "id of the run, or its beginning or end (default: the latest)")
    .option("--history <session>", "print the messages of an originating session, e.g. main")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExamples:\n  $ firm sessions\n  $ firm sessions --history main")
    .action(
      exiting(
        async (
          named: string | undefined,
          options: { history?: string; json?: boolean },
          command: Command,
        ) => {
          const [{ readRun, resolveRun }, { originHistory }] = await Promise.all([
            import("../client/runs.ts"),
            import("../client/origin.ts"),
          ]);
          const { history } = options;
          await withStore(contextOf(command), async ({ bus }) => {
            if (history === undefined) {
              const sessions = sessionsIn(await readRun(bus, await resolveRun(bus, named)));
              print(options.json === true ? JSON.stringify(sessions, null, 2) : sessionsTable(sessions));
              return;
            }
            const entries = await originHistory(bus, history);
            print(
              options.json === true
                ? JSON.stringify(entries, null, 2)
                : entries.map(messageText).join("\n\n"),
            );
          });
          return EXIT.delivered;
        },
      ),
    );
}

/** The sessions that a run's log names, in the order they were opened. Pure. */
export function sessionsIn(events: readonly LoggedEvent[]): ListedSession[] {
  const sessions = new Map<string, ListedSession>();
  const sessionOf = new Map<string, string>();
  const note = (key: string, at: number, change: Partial<ListedSession>): void => {
    const known = sessions.get(key) ?? {
      session: key,
      participants: [],
      handoffs: 0,
      status: "active",
      openedAt: at,
      updatedAt: at,
    };
    sessions.set(key, { ...known, ...change, updatedAt: at });
  };
  for (const { event } of events) {
    if (event.type === "accepted")
      note(sessionKeyOf(event.run, "ceo"), event.at, { participants: ["ceo"], handoffs: 1 });
    else if (event.type === "session") note(event.session, event.at, { participants: event.participants });
    else if (event.type === "message") note(event.session, event.at, {});
    else if (event.type === "handoff") {
      const known = sessions.get(event.session);
      sessionOf.set(event.handoff, event.session);
      note(event.session, event.at, {
        participants: known?.participants.length ? known.participants : [event.contract.to],
        handoffs: (known?.handoffs ?? 0) + 1,
        status: "active",
      });
    } else if (event.type === "end") {
      const key = sessionOf.get(event.handoff);
      if (key !== undefined) note(key, event.at, { status: event.status });
    } else if (event.type === "finished")
      note(sessionKeyOf(event.run, "ceo"), event.at, { status: event.status });
  }
  return [...sessions.values()];
}

function sessionsTable(sessions: readonly ListedSession[]): string {
  return table([
    ["SESSION", "PARTICIPANTS", "HANDOFFS", "STATUS", "LASTED"],
    ...sessions.map(({ session, participants, handoffs, status, openedAt, updatedAt }) => [
      session,
      participants.join(", "),
      String(handoffs),
      status,
      duration(updatedAt - openedAt),
    ]),
  ]);
}

function messageText({ at, from, kind, text }: HistoryEntry): string {
  return `${new Date(at).toISOString()}  ${oneLine(`${from} (${kind})`, 80)}\n${text}`;
}
