// Owns the start and the end of the `firm` command: arguments in, exit code and one line of error out.
import { CommanderError } from "commander";
import { reportError } from "./errors.ts";
import { EXIT } from "./exit-codes.ts";
import { watchLauncher } from "./interrupt.ts";
import { buildProgram } from "./program.ts";

// `firm … | head`: the reader has enough, which is no failure of ours; what runs must still be ended in order.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
watchLauncher();

try {
  const program = await buildProgram(process.argv);
  await program.parseAsync(process.argv);
} catch (error) {
  // commander has printed its own: help, version, or what is wrong with the arguments.
  process.exitCode =
    error instanceof CommanderError
      ? error.exitCode === 0
        ? 0
        : EXIT.usage
      : reportError(error, process.env.FIRM_DEBUG === "1");
}
