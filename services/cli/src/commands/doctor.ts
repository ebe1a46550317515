// Owns `firm doctor`: what was found on this machine, and what is missing.
import type { Command } from "commander";
import { EXIT } from "../exit-codes.ts";
import { table } from "../view/text.ts";
import { contextOf, exiting, print } from "./context.ts";

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description("check what the firm needs here: Node, nats-server, JetStream, agents, git, ports, disk")
    .option("--json", "print the checks as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ firm doctor\n  $ firm doctor --json | jq '.checks[] | select(.status != \"ok\")'\n\n" +
        "Exit code 0: the firm can run here; 1: something it cannot do without is missing.",
    )
    .action(
      exiting(async (options: { json?: boolean }, command: Command) => {
        const { examine } = await import("../doctor/examine.ts");
        const { ok, checks } = await examine(contextOf(command));
        const marks = { ok: "✔", warn: "!", fail: "✖" } as const;
        print(
          options.json === true
            ? JSON.stringify({ ok, checks }, null, 2)
            : table(checks.map(({ name, status, detail }) => [marks[status], name, detail])),
        );
        return ok ? EXIT.delivered : EXIT.failed;
      }),
    );
}
