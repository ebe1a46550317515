// Owns `firm status`: what runs here, or how one run stands.
import type { Command } from "commander";
import { EXIT } from "../exit-codes.ts";
import { LOOP_AT } from "../supervisor/backoff.ts";
import type { SupervisorState } from "../supervisor/state.ts";
import { duration, table } from "../view/text.ts";
import { contextOf, exiting, print, withStore, type Context } from "./context.ts";

interface StatusOptions {
  json?: boolean;
}

export function addStatus(program: Command): void {
  program
    .command("status")
    .description("show the firm that runs here and its processes, or how a run stands")
    .argument("[run]", "id of a run, or its beginning or end")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ firm status\n  $ firm status 01KDVDNA002R4M97KSPSMVY0R6\n\nWithout a run the exit code is 0 where a firm runs here, 1 where none does.",
    )
    .action(
      exiting(async (run: string | undefined, options: StatusOptions, command: Command) => {
        const context = contextOf(command);
        return run === undefined ? firmStatus(options, context) : runStatus(run, options, context);
      }),
    );
}

async function firmStatus(options: StatusOptions, { paths }: Context) {
  const { runningSupervisor } = await import("../client/firm.ts");
  const state = await runningSupervisor(paths);
  if (options.json === true) print(JSON.stringify(state ?? null, null, 2));
  else print(state === undefined ? `no firm runs in ${paths.home}` : stateText(state, Date.now()));
  return state === undefined ? EXIT.failed : EXIT.delivered;
}

/** Pure. */
function stateText(state: SupervisorState, now: number): string {
  const lines = [
    `supervisor   process ${state.pid}, up ${duration(now - state.started_at)}, http://${state.http}/metrics`,
    `NATS         ${state.nats_url}${state.nats_server === undefined ? "" : `, nats-server ${state.nats_server}`}`,
    `credentials  ${state.user_nkey_file ?? "none needed"}`,
  ];
  const rows = state.processes.map(({ name, pid, http, restarts, crashes, last_exit }) => [
    name,
    pid === undefined ? "starting again" : String(pid),
    http ?? "",
    restarts === 0
      ? ""
      : `${restarts} restart${restarts === 1 ? "" : "s"}${crashes >= LOOP_AT ? ", keeps crashing" : ""}: ${last_exit ?? ""}`,
  ]);
  return `${lines.join("\n")}\n\n${table([["PROCESS", "PID", "HTTP", "NOTE"], ...rows])}`;
}

async function runStatus(named: string, options: StatusOptions, context: Context) {
  const [{ readRun, resolveRun }, { NO_RUN, withEvent }, { renderTree }] = await Promise.all([
    import("../client/runs.ts"),
    import("../view/run-view.ts"),
    import("../view/tree.ts"),
  ]);
  const events = await withStore(context, async ({ bus }) => readRun(bus, await resolveRun(bus, named)));
  let view = NO_RUN;
  for (const { event } of events) view = withEvent(view, event);
  if (options.json === true) {
    print(JSON.stringify({ ...view, nodes: [...view.nodes.values()] }, null, 2));
  } else {
    const width = process.stdout.isTTY ? process.stdout.columns - 1 : 160;
    print(
      renderTree(view, { now: Date.now(), width, color: process.stdout.isTTY && process.stdout.hasColors() }),
    );
  }
  return EXIT.delivered;
}
