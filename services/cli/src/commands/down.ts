// Owns `firm down`: stops the firm that runs here and waits until it is gone.
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { FirmError } from "@firm/protocol";
import { EXIT } from "../exit-codes.ts";
import { contextOf, exiting, say } from "./context.ts";

/** Work in hand is finished or given back first; a service gives up after 9 s. */
const GONE_MS = 45_000;

export function addDown(program: Command): void {
  program
    .command("down")
    .description("stop the firm that runs here; what is stored stays")
    .addHelpText("after", "\nExamples:\n  $ firm down\n  $ firm --dir ../other down")
    .action(
      exiting(async (_options: unknown, command: Command) => {
        const { holderOf } = await import("../supervisor/lock.ts");
        const { paths } = contextOf(command);
        const holder = await holderOf(paths.lock);
        if (holder === undefined) {
          say(`no firm runs in ${paths.home}`);
          return EXIT.delivered;
        }
        process.kill(holder.pid, "SIGTERM");
        const end = Date.now() + GONE_MS;
        while ((await holderOf(paths.lock))?.nonce === holder.nonce) {
          if (Date.now() > end) {
            throw new FirmError("internal", `the supervisor (process ${holder.pid}) does not stop`, {
              hint: `its log is ${paths.supervisorLog}; \`kill -9 ${holder.pid}\` ends it and all its processes`,
            });
          }
          await sleep(50);
        }
        say("the firm has stopped");
        return EXIT.delivered;
      }),
    );
}
