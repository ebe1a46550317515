// Owns the command tree of `firm`; each command stands in its own file and loads what it needs when it runs.
import { Command } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { addAsk } from "./commands/ask.ts";
import { addBoard } from "./commands/board.ts";
import { addBus } from "./commands/bus.ts";
import { addCancel } from "./commands/cancel.ts";
import { addCredentials } from "./commands/credentials.ts";
import { addDecide } from "./commands/decide.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addDown } from "./commands/down.ts";
import { addEnv } from "./commands/env.ts";
import { addInit } from "./commands/init.ts";
import { addRun } from "./commands/run.ts";
import { addRuns } from "./commands/runs.ts";
import { addSessions } from "./commands/sessions.ts";
import { addShow } from "./commands/show.ts";
import { addStatus } from "./commands/status.ts";
import { addUp } from "./commands/up.ts";
import { addWatch } from "./commands/watch.ts";

const EXAMPLES = `
Examples:
  $ firm run "Audit this repository" --workspace .
  $ firm run "Build a payment API" --department engineering,quality --format github_pr --workspace .
  $ firm init && firm ask cfo "What does hiring 5 engineers in Q3 do to runway?"
  $ firm board "Should we expand to Germany in Q3?"
  $ firm up --detach && eval "$(firm env)" && nats req firm.objective 'Build a payment API'
  $ firm watch            # the latest run
  $ firm show             # what it delivered

Exit codes: 0 delivered, 3 delivered with open items, 4 cancelled, 1 failed, 2 wrong usage.
Environment: FIRM_HOME (directory of .firm), FIRM_CONFIG (firm.yaml), FIRM_NATS_URL and FIRM_NKEY_FILE (a server that
runs elsewhere), FIRM_NATS_SERVER (a nats-server binary), FIRM_LOG_LEVEL, FIRM_DEBUG=1 (stacks of errors).`;

/** Builds the tree. @param argv as `process.argv`; completion is loaded only where it is asked for */
export async function buildProgram(argv: readonly string[]): Promise<Command> {
  const program = new Command("firm")
    .description(
      "An organisation of AI agents as separate processes on NATS, with rules that a gateway enforces.",
    )
    .version(packageJson.version)
    .option("--dir <directory>", "directory that holds .firm (FIRM_HOME; default: the current one)")
    .option("--config <file>", "firm.yaml (FIRM_CONFIG; default: the one in the directory, if there is one)")
    .showHelpAfterError("(firm --help and firm <command> --help show what there is)")
    .addHelpText("after", EXAMPLES)
    .exitOverride();
  for (const add of [
    addRun,
    addAsk,
    addBoard,
    addDecide,
    addWatch,
    addStatus,
    addRuns,
    addShow,
    addCancel,
    addSessions,
    addUp,
    addDown,
    addEnv,
    addInit,
    addDoctor,
    addBus,
    addCredentials,
  ]) {
    add(program);
  }
  if (
    argv.some((argument) => ["completion", "complete", "help", "--help", "-h"].includes(argument)) ||
    argv.length < 3
  ) {
    const { default: tab } = await import("@bomb.sh/tab/commander");
    tab(program, { completionCommandName: "completion" });
  }
  return program;
}
