// Owns a run from the command line: everything checked before anything starts, the firm reached, the run followed to its end.
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { orgChartOf } from "@firm/config";
import { FirmError, nameOf, type Objective, type Role } from "@firm/protocol";
import { reachFirm, type Firm } from "./client/firm.ts";
import { followRun, publishObjective } from "./client/runs.ts";
import { deliver, print, type Context } from "./commands/context.ts";
import type { RunOptions } from "./commands/run.ts";
import { startDetached } from "./detach.ts";
import { EXIT, exitCodeOf, type ExitCode } from "./exit-codes.ts";
import { loadConfig, requireDirectory } from "./home.ts";
import { takeInterrupts } from "./interrupt.ts";
import { readNamedFile } from "./read-input.ts";
import { objectiveOf } from "./objective-args.ts";
import { untilFinished } from "./until-finished.ts";
import { openScreen, screenMode, type Screen } from "./view/screen.ts";

/** Runs an objective. @returns the exit code for its end. */
export async function runObjective(
  text: string | undefined,
  options: RunOptions,
  context: Context,
): Promise<ExitCode> {
  const interrupts = takeInterrupts();
  const objective = await readObjective(text, options);
  const first = await checkDepartments(objective, context);
  const screen = openScreen(options.detach === true ? "quiet" : screenMode(options, process.stderr));
  const reach = {
    ...context,
    need: "full" as const,
    first,
    say: (line: string) => screen.say(line),
    signal: interrupts.signal,
    ...(options.agent === undefined ? {} : { agent: options.agent }),
  };
  let firm: Firm | undefined;
  try {
    if (options.detach === true) {
      await startDetached({ ...context, agent: options.agent, untilIdle: true, signal: interrupts.signal });
    }
    firm = await reachFirm(reach);
    const accepted = await publishObjective(firm.bus, objective);
    if (options.detach === true) {
      print(accepted.run);
      return EXIT.delivered;
    }
    const following = await followRun(firm.bus, accepted.run, 1, (logged) => screen.event(logged));
    const finished = await untilFinished({
      bus: firm.bus,
      run: accepted.run,
      deadline: accepted.deadline,
      following,
      interrupts,
      onInterrupt: "cancel",
      say: (line) => screen.say(line),
    });
    await following.stop();
    screen.close();
    if (finished === undefined) return EXIT.cancelled;
    if (finished.deliverable !== undefined && options.json !== true)
      await deliver(finished.deliverable, options.out);
    else if (finished.deliverable !== undefined && options.out !== undefined)
      await deliver(finished.deliverable, options.out);
    return exitCodeOf(finished);
  } catch (error) {
    if (!interrupts.signal.aborted) throw error;
    // Whatever failed, failed because the user did not want it any more.
    screen.say("cancelled before the run was accepted");
    return EXIT.cancelled;
  } finally {
    screen.close();
    await leave(firm, interrupts.signal, interrupts.second, screen);
    interrupts.release();
  }
}

/** Leaves the firm; who has interrupted does not wait for other people's runs. */
async function leave(
  firm: Firm | undefined,
  interrupted: AbortSignal,
  second: Promise<void>,
  screen: Screen,
): Promise<void> {
  if (firm === undefined) return;
  if (interrupted.aborted) return firm.abort();
  await Promise.race([
    firm.close(),
    second.then(() => {
      screen.say("stopping at once");
      return firm.abort();
    }),
  ]);
}

async function readObjective(text: string | undefined, options: RunOptions): Promise<Objective> {
  const words = text === "-" ? await readAll(process.stdin) : text;
  const file =
    options.file === undefined ? undefined : { name: options.file, text: await readNamedFile(options.file) };
  const objective = objectiveOf(words, options, file, (path) => resolve(path));
  if (objective.workspace !== undefined) await requireDirectory(objective.workspace);
  return objective;
}

/**
 * Refuses an unknown department before anything starts, where the org chart is here.
 * @returns the roles that the run needs first
 * @throws FirmError `invalid-input` or `invalid-config`.
 */
async function checkDepartments(objective: Objective, { paths, global }: Context): Promise<Role[]> {
  const { config } = await loadConfig(paths, global);
  const chart = orgChartOf(config);
  const known = chart.departments.map(nameOf);
  const wanted = objective.departments ?? known;
  const elsewhere = (process.env.FIRM_NATS_URL ?? "") !== "";
  for (const [i, name] of wanted.entries()) {
    if (known.includes(name) || elsewhere) continue;
    throw new FirmError(
      "invalid-input",
      `departments.${i}: there is no department "${name}": ${known.join(", ")}`,
      {
        field: `departments.${i}`,
      },
    );
  }
  return ["ceo", ...wanted.map((name) => `department:${name}`)];
}
