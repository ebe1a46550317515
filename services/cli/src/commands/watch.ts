// Owns `firm watch`: follows a run to its end, as `firm run` does.
import type { Command } from "commander";
import { exitCodeOf, type ExitCode } from "../exit-codes.ts";
import { contextOf, deliver, exiting, type Context } from "./context.ts";

interface WatchOptions {
  json?: boolean;
  quiet?: boolean;
  out?: string;
}

/** As shells say of a program that an interrupt ended: the run itself goes on. */
const INTERRUPTED = 130;

export function addWatch(program: Command): void {
  program
    .command("watch")
    .description("follow a run to its end and print what it delivers; Ctrl-C leaves it running")
    .argument("[run]", "id of the run, or its beginning or end (default: the latest)")
    .option("--json", "print its events as JSON lines to stdout")
    .option("-q, --quiet", "print nothing but the deliverable")
    .option("-o, --out <file>", "write the deliverable to a file instead of stdout")
    .addHelpText("after", "\nExamples:\n  $ firm watch\n  $ firm watch 01KDVDNA002R4M97KSPSMVY0R6 --json")
    .action(
      exiting((run: string | undefined, options: WatchOptions, command: Command) =>
        watch(run, options, contextOf(command)),
      ),
    );
}

async function watch(
  named: string | undefined,
  options: WatchOptions,
  context: Context,
): Promise<ExitCode | 130> {
  const [
    { reachFirm },
    { followRun, readRun, resolveRun },
    { takeInterrupts },
    { openScreen, screenMode },
    waiting,
  ] = await Promise.all([
    import("../client/firm.ts"),
    import("../client/runs.ts"),
    import("../interrupt.ts"),
    import("../view/screen.ts"),
    import("../until-finished.ts"),
  ]);
  const interrupts = takeInterrupts();
  const screen = openScreen(screenMode(options, process.stderr));
  const say = (line: string): void => screen.say(line);
  const firm = await reachFirm({ ...context, need: "full", say, signal: interrupts.signal });
  try {
    const run = await resolveRun(firm.bus, named);
    const known = await readRun(firm.bus, run);
    const [first] = known;
    if (first?.event.type === "accepted" && first.event.kind === "board") {
      const { watchBoard } = await import("../hold-board.ts");
      return await watchBoard({ bus: firm.bus, screen, interrupts }, run, known, options);
    }
    const deadline = first?.event.type === "accepted" ? first.event.deadline : Date.now();
    const following = await followRun(firm.bus, run, 1, (logged) => screen.event(logged));
    const finished = await waiting.untilFinished({
      bus: firm.bus,
      run,
      deadline: Math.max(deadline, Date.now()),
      following,
      interrupts,
      onInterrupt: "leave",
      say,
    });
    await following.stop();
    screen.close();
    if (finished === undefined) return INTERRUPTED;
    if (finished.deliverable !== undefined && (options.json !== true || options.out !== undefined))
      await deliver(finished.deliverable, options.out);
    return exitCodeOf(finished);
  } finally {
    screen.close();
    await firm.abort();
    interrupts.release();
  }
}
