// Owns `firm cancel`: ends a run, down to the leaves.
import type { Command } from "commander";
import { EXIT } from "../exit-codes.ts";
import { contextOf, exiting, say } from "./context.ts";

export function addCancel(program: Command): void {
  program
    .command("cancel")
    .description("cancel a run: its workers stop, nothing further of it is accepted")
    .argument("<run>", "id of the run, or its beginning or end")
    .option("--reason <text>", "why, for the run's log")
    .addHelpText(
      "after",
      "\nExamples:\n  $ firm cancel 01KDVDNA002R4M97KSPSMVY0R6 --reason 'wrong repository'",
    )
    .action(
      exiting(async (named: string, options: { reason?: string }, command: Command) => {
        const [{ reachFirm }, { cancelRun, resolveRun }] = await Promise.all([
          import("../client/firm.ts"),
          import("../client/runs.ts"),
        ]);
        // A run that an ended supervisor left is to be cancelled too, which takes a gateway.
        const firm = await reachFirm({ ...contextOf(command), need: "full", say });
        try {
          const { run, status } = await cancelRun(
            firm.bus,
            await resolveRun(firm.bus, named),
            options.reason,
          );
          say(`run ${run} is ${status}`);
          return EXIT.delivered;
        } finally {
          await firm.abort();
        }
      }),
    );
}
