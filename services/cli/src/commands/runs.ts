// Owns `firm runs`: the runs that are stored.
import type { Command } from "commander";
import type { RunRecord } from "@firm/protocol";
import { EXIT } from "../exit-codes.ts";
import { duration, oneLine, table } from "../view/text.ts";
import { contextOf, exiting, print, withStore } from "./context.ts";

export function addRuns(program: Command): void {
  program
    .command("runs")
    .description("list the runs, the latest first")
    .option("-n, --limit <count>", "at most so many", "20")
    .option("--json", "print their records as a JSON array")
    .addHelpText(
      "after",
      "\nExamples:\n  $ firm runs\n  $ firm runs --json | jq '.[] | select(.status == \"failed\")'",
    )
    .action(
      exiting(async (options: { limit: string; json?: boolean }, command: Command) => {
        const { listRuns } = await import("../client/runs.ts");
        const records = await withStore(contextOf(command), ({ bus }) => listRuns(bus));
        const latest = records.toReversed().slice(0, Math.max(0, Number(options.limit)) || undefined);
        print(options.json === true ? JSON.stringify(latest, null, 2) : runsTable(latest));
        return EXIT.delivered;
      }),
    );
}

/** Pure. */
function runsTable(records: readonly RunRecord[]): string {
  if (records.length === 0) return "no runs yet";
  return table([
    ["RUN", "STATUS", "ACCEPTED", "TOOK", "OPEN", "OBJECTIVE"],
    ...records.map((record) => [
      record.run,
      record.status,
      new Date(record.accepted_at).toISOString().slice(0, 19),
      record.ended_at === undefined ? "" : duration(record.ended_at - record.accepted_at),
      record.open_items === undefined ? "" : String(record.open_items),
      oneLine(record.objective, 60),
    ]),
  ]);
}
