// Owns `firm board`: a meeting of the C-suite, up to the founder's decision.
import type { Command } from "commander";
import { contextOf, exiting } from "./context.ts";

export interface BoardOptions {
  roles?: string[];
  decisionMinutes?: string;
  deadline?: string;
  agent?: string;
  approve?: boolean;
  json?: boolean;
  quiet?: boolean;
  out?: string;
}

const HELP = `
Examples:
  $ firm board "Should we expand to Germany in Q3?"
  $ firm board "Should we raise prices by 10%?" --roles ceo,cfo,cro,cmo --decision-minutes 120
  $ firm board "Should we hire 5 engineers in Q3?" | tee draft.md     # then: firm decide <run> approve

Every role first contributes alone; the mentor criticises; the draft waits for your decision: at a terminal it asks you,
elsewhere it is printed and \`firm decide\` takes your word. Undecided in time it is pending review; nothing is lost.
Exit codes: 0 decided, 3 the draft awaits your decision, 4 cancelled, 1 failed, 2 wrong usage.`;

export function addBoard(program: Command): void {
  program
    .command("board")
    .description("hold a board meeting and decide on its draft")
    .argument("<question>", "what is to be decided")
    .option(
      "--roles <names>",
      "who takes part; may be repeated, or a list with commas (default: by the question)",
      collect,
    )
    .option("--decision-minutes <minutes>", "how long the draft waits for a decision (default: 30)")
    .option("--deadline <seconds>", "until when the draft must be there (default: 30, or firm.yaml's)")
    .option("--approve", "approve the draft at once")
    .option("--agent <name>", "agent that plays all roles (default: firm.yaml's)")
    .option("--json", "print the events as JSON lines")
    .option("-q, --quiet", "print nothing but the draft or the minutes")
    .option("-o, --out <file>", "write the minutes to a file instead of stdout")
    .addHelpText("after", HELP)
    .action(
      exiting(async (question: string, options: BoardOptions, command: Command) => {
        const { holdBoard } = await import("../hold-board.ts");
        return holdBoard(question, options, contextOf(command));
      }),
    );
}

function collect(value: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}
