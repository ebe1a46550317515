// Owns `firm decide`: the founder's word on a board meeting's draft.
import { Argument, type Command } from "commander";
import { contextOf, exiting } from "./context.ts";

export interface DecideOptions {
  agent?: string;
  json?: boolean;
  quiet?: boolean;
  out?: string;
}

/** As client/boards.ts has them; named here so that a help text loads nothing. */
const WORDS = ["approve", "modify", "reject", "ask", "resume"] as const;

const HELP = `
Examples:
  $ firm decide 01KDVDNA002R4M97KSPSMVY0R6 approve
  $ firm decide 01KDVD modify "Austria first, in Q4"
  $ firm decide 01KDVD reject "too dear"          # later meetings do not bring it up again
  $ firm decide 01KDVD ask "cfo: what is the runway?"
  $ firm decide 01KDVD resume                     # opens a meeting again that nobody decided on in time

Exit codes: 0 decided, 3 a draft awaits your decision, 1 failed, 2 wrong usage.`;

export function addDecide(program: Command): void {
  program
    .command("decide")
    .description("approve, modify or reject a board meeting's draft, or ask about it")
    .argument("<run>", "id of the meeting, or its beginning or end")
    .addArgument(new Argument("<word>", "what you say").choices(WORDS))
    .argument("[text]", "the correction, the question, or why")
    .option("--agent <name>", "agent that plays all roles (default: firm.yaml's)")
    .option("--json", "print the events as JSON lines")
    .option("-q, --quiet", "print nothing but the minutes")
    .option("-o, --out <file>", "write the minutes to a file instead of stdout")
    .addHelpText("after", HELP)
    .action(
      exiting(
        async (
          run: string,
          word: (typeof WORDS)[number],
          text: string | undefined,
          options: DecideOptions,
          command: Command,
        ) => {
          const { decideBoard } = await import("../hold-board.ts");
          return decideBoard(run, word, text ?? "", options, contextOf(command));
        },
      ),
    );
}
