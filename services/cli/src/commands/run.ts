// Owns `firm run`: an objective in, one deliverable out.
import { InvalidArgumentError, Option, type Command } from "commander";
import { DELIVERY_FORMATS } from "@firm/protocol";
import type { ObjectiveOptions } from "../objective-args.ts";
import { contextOf, exiting } from "./context.ts";

/** Options of `firm run` beside those of the objective. */
export interface RunOptions extends ObjectiveOptions {
  file?: string;
  agent?: string;
  json?: boolean;
  quiet?: boolean;
  detach?: boolean;
  out?: string;
}

const EXAMPLES = `
Examples:
  $ firm run "Audit this repository" --workspace .
  $ firm run "Audit the authentication module" --department quality,engineering \\
      --constraint "read-only access only" --constraint "no production changes" \\
      --done "Security report with CVSS scores and fix recommendations" --workspace .
  $ firm run "Build a payment API" --format github_pr --workspace . --allow-run --deadline 300
  $ firm run --file objective.yaml --json | jq .event.type
  $ firm run "Build a payment API" --detach     # prints the run's id

The deliverable goes to stdout, what happens meanwhile to stderr. Ctrl-C cancels the run.
Exit codes: 0 delivered, 3 delivered with open items, 4 cancelled, 1 failed, 2 wrong usage.`;

export function addRun(program: Command): void {
  program
    .command("run")
    .description("hand an objective to the firm and print what it delivers")
    .argument("[objective]", "what the firm shall do; - reads it from stdin")
    .option(
      "-d, --department <name>",
      "department to involve; may be repeated, or a list with commas (default: all)",
      collect,
    )
    .option("-c, --constraint <text>", "what must be kept to; may be repeated", collect)
    .option("--done <text>", "definition of done: when the work is good")
    .addOption(
      new Option("-f, --format <format>", "how the deliverable is written").choices(DELIVERY_FORMATS),
    )
    .option("--context <ref>", "what to build upon, e.g. memory:delivery/latest")
    .option("--reply-session <name>", "session that gets the deliverable (default: main)")
    .option("-w, --workspace <directory>", "directory to work on")
    .option("--allow-run", "the workspace's own checks (type check, lint, tests) may be run")
    .option("--deadline <seconds>", "hard deadline of the run (default: 30, or firm.yaml's)", number)
    .option("--budget-usd <amount>", "most US dollars for the whole run", number)
    .option("--budget-tokens <count>", "most tokens for the whole run", number)
    .option("--budget-invocations <count>", "most questions to C-suite roles", number)
    .option("--budget-spawns <count>", "most sessions spawned, at most 20", number)
    .option("--budget-seconds <seconds>", "most seconds of work", number)
    .option("--file <path>", "read the objective from a JSON or YAML file; options win over it")
    .option("--agent <name>", "agent that plays all roles (default: firm.yaml's)")
    .option("--json", "print the run's events as JSON lines to stdout, the last with the deliverable")
    .option("-q, --quiet", "print nothing but the deliverable")
    .option("--detach", "print the run's id and leave it running")
    .option("-o, --out <file>", "write the deliverable to a file instead of stdout")
    .addHelpText("after", EXAMPLES)
    .action(
      exiting(async (text: string | undefined, options: RunOptions, command: Command) => {
        const { runObjective } = await import("../run-objective.ts");
        return runObjective(text, options, contextOf(command));
      }),
    );
}

function collect(value: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

function number(value: string): string {
  if (value.trim() === "" || !Number.isFinite(Number(value)))
    throw new InvalidArgumentError("It must be a number.");
  return value;
}
