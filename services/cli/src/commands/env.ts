// Owns `firm env`: what NATS clients read from the environment, for the firm that runs here.
import type { Command } from "commander";
import { FirmError } from "@firm/protocol";
import { EXIT } from "../exit-codes.ts";
import { contextOf, exiting, print } from "./context.ts";

export function addEnv(program: Command): void {
  program
    .command("env")
    .description("print export lines for the nats CLI: address and credentials of the firm that runs here")
    .addHelpText(
      "after",
      "\nExamples:\n  $ eval \"$(firm env)\"\n  $ nats req firm.objective 'Build a payment API'",
    )
    .action(
      exiting(async (_options: unknown, command: Command) => {
        const { runningSupervisor } = await import("../client/firm.ts");
        const { paths } = contextOf(command);
        const state = await runningSupervisor(paths);
        if (state === undefined) {
          throw new FirmError("bus-unavailable", `no firm runs in ${paths.home}`, {
            hint: "start it with `firm up --detach`",
          });
        }
        print(exportLines({ NATS_URL: state.nats_url, NATS_NKEY: state.user_nkey_file }));
        return EXIT.delivered;
      }),
    );
}

/** Lines that a POSIX shell can `eval`, whatever the values hold. Pure. */
export function exportLines(variables: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(variables)
    .flatMap(([name, value]) =>
      value === undefined
        ? [`unset ${name}`]
        : [`export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`],
    )
    .join("\n");
}
