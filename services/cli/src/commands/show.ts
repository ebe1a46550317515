// Owns `firm show`: what a run delivered.
import type { Command } from "commander";
import { FirmError } from "@firm/protocol";
import { EXIT, exitCodeOf } from "../exit-codes.ts";
import { contextOf, deliver, exiting, print, withStore } from "./context.ts";

export function addShow(program: Command): void {
  program
    .command("show")
    .description("print the deliverable of a run; the exit code is the run's")
    .argument("[run]", "id of the run, or its beginning or end (default: the latest)")
    .option("--json", "print the whole deliverable as JSON")
    .option("-o, --out <file>", "write it to a file instead of stdout")
    .addHelpText(
      "after",
      "\nExamples:\n  $ firm show\n  $ firm show 01KDVDNA002R4M97KSPSMVY0R6 --json | jq .findings",
    )
    .action(
      exiting(
        async (named: string | undefined, options: { json?: boolean; out?: string }, command: Command) => {
          const { endOf, readRun, resolveRun } = await import("../client/runs.ts");
          const { run, finished, events } = await withStore(contextOf(command), async ({ bus }) => {
            const id = await resolveRun(bus, named);
            const end = await endOf(bus, id);
            return { run: id, finished: end, events: end === undefined ? await readRun(bus, id) : [] };
          });
          const { openDraft } = await import("../client/boards.ts");
          const waiting = openDraft(events);
          if (waiting !== undefined) {
            const { leave } = await import("../hold-board.ts");
            if (options.json === true) print(JSON.stringify(waiting.draft, null, 2));
            else await deliver(waiting.draft, options.out);
            return leave(run, waiting);
          }
          if (finished === undefined) {
            throw new FirmError("unknown-run", `run ${run} has not finished`, {
              hint: "`firm watch` follows it",
            });
          }
          const { answer, deliverable } = finished;
          if (answer !== undefined) {
            print(options.json === true ? JSON.stringify({ run, answer }) : answer);
            return EXIT.delivered;
          }
          if (deliverable === undefined) {
            throw new FirmError(
              "internal",
              `run ${run} delivered nothing: ${finished.reason ?? finished.status}`,
            );
          }
          if (options.json === true) print(JSON.stringify(deliverable, null, 2));
          else await deliver(deliverable, options.out);
          return exitCodeOf(finished);
        },
      ),
    );
}
