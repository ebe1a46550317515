// Owns `firm ask`: a question to a C-suite role, answered by it and whom it asks.
import type { Command } from "commander";
import { contextOf, exiting } from "./context.ts";

export interface AskOptions {
  deadline?: string;
  file?: string;
  agent?: string;
  chain?: boolean;
  json?: boolean;
  quiet?: boolean;
}

const HELP = `
Examples:
  $ firm init                                    # writes .firm/company.yaml, the figures that answers are calculated from
  $ firm ask cfo "What does hiring 5 engineers in Q3 do to runway?"
  $ firm ask cro "What does our pipeline mean for hiring 5 engineers in Q3?" --chain
  $ firm ask cto - < question.txt
  $ firm ask coo "Can we ship in Q3?" --json | jq -r 'select(.answer).answer'

Roles: ceo, cfo, cro, cmo, cpo, cto, chro, coo, ciso. The answer goes to stdout, who asks whom to stderr. Ctrl-C cancels.
Exit codes: 0 answered, 4 cancelled, 1 not answered, 2 wrong usage.`;

export function addAsk(program: Command): void {
  program
    .command("ask")
    .description("ask a C-suite role; it asks its colleagues where they own the numbers")
    .argument("<role>", "who is asked, e.g. cfo")
    .argument("[question]", "what you want to know; - reads it from stdin")
    .option("--chain", "print every question of the chain with its answer, refusals and assumptions")
    .option("--deadline <seconds>", "when the answer must be there (default: 30, or firm.yaml's)")
    .option("--file <path>", "read the question from a file")
    .option("--agent <name>", "agent that plays all roles (default: firm.yaml's)")
    .option("--json", "print the events as JSON lines, then the answer as one")
    .option("-q, --quiet", "print nothing but the answer")
    .addHelpText("after", HELP)
    .action(
      exiting(async (role: string, question: string | undefined, options: AskOptions, command: Command) => {
        const { askQuestion } = await import("../ask-question.ts");
        return askQuestion(role, question, options, contextOf(command));
      }),
    );
}
