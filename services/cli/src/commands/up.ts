// Owns `firm up`: keeps the firm running on this machine.
import type { Command } from "commander";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { contextOf, exiting, print, say, type Context } from "./context.ts";

interface UpOptions {
  detach?: boolean;
  agent?: string;
  all?: boolean;
  untilIdle?: boolean;
}

const EXAMPLES = `
Examples:
  $ firm up                              # until Ctrl-C
  $ firm up --detach                     # in the background; firm down stops it
  $ eval "$(firm env)"                   # then any NATS client can use it:
  $ nats req firm.objective 'Build a payment API'
  $ nats sub 'firm.run.>'`;

export function addUp(program: Command): void {
  program
    .command("up")
    .description("keep the firm running: nats-server, gateway, and the roles that runs need")
    .option("--detach", "return once it is ready and leave it running")
    .option("--agent <name>", "agent that plays all roles (default: firm.yaml's)")
    .option("--all", "start every role at once, not only those that a run needs")
    .option("--until-idle", "end once no run goes on any more")
    .addHelpText("after", EXAMPLES)
    .action(exiting((options: UpOptions, command: Command) => up(options, contextOf(command))));
}

async function up(options: UpOptions, context: Context): Promise<ExitCode> {
  const { paths, global } = context;
  if (options.detach === true) {
    const { startDetached } = await import("../detach.ts");
    const state = await startDetached({
      ...context,
      agent: options.agent,
      untilIdle: options.untilIdle === true,
      all: options.all === true,
    });
    if (state !== undefined)
      say(`the firm runs at ${state.nats_url} (process ${state.pid}); \`firm down\` stops it`);
    return EXIT.delivered;
  }
  const [
    { Supervisor },
    { loadConfig },
    { takeInterrupts },
    { orgChartOf },
    { requireAgent, requireAgents },
  ] = await Promise.all([
    import("../supervisor/supervisor.ts"),
    import("../home.ts"),
    import("../interrupt.ts"),
    import("@firm/config"),
    import("../client/agent.ts"),
  ]);
  if (options.agent !== undefined) requireAgent(options.agent, (await loadConfig(paths, global)).config);
  const interrupts = takeInterrupts();
  const { config, file } = await loadConfig(paths, global, options.agent);
  requireAgents(config);
  const natsUrl = process.env.FIRM_NATS_URL === "" ? undefined : process.env.FIRM_NATS_URL;
  try {
    const supervisor = await Supervisor.start({
      paths,
      config,
      configFile: file,
      agent: options.agent,
      natsUrl,
      env: process.env,
      logLevel: process.env.FIRM_LOG_LEVEL ?? "info",
      first: options.all === true ? orgChartOf(config).roles : [],
      say,
      signal: interrupts.signal,
    });
    print(`the firm runs at ${supervisor.natsUrl}`);
    say('`eval "$(firm env)"` sets what the nats CLI reads; Ctrl-C or `firm down` stops it');
    const idle = options.untilIdle === true ? whenIdle(supervisor) : new Promise<string>(() => undefined);
    const why = await Promise.race([interrupts.first, idle]);
    say(`stopping (${why})`);
    await supervisor.stop();
    return EXIT.delivered;
  } catch (error) {
    if (!interrupts.signal.aborted) throw error;
    return EXIT.delivered;
  } finally {
    interrupts.release();
  }
}

/** A run that was published to a supervisor that was just started for it is seen within this. */
const FIRST_RUN_MS = 30_000;
const LOOK_MS = 500;

/** Resolves when there were runs and none goes on for two looks in a row, or none came at all. */
function whenIdle(supervisor: { readonly runs: { active: number; seen: number } }): Promise<string> {
  const startedAt = Date.now();
  let idleLooks = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const { active, seen } = supervisor.runs;
      const waiting = seen === 0 && Date.now() - startedAt < FIRST_RUN_MS;
      idleLooks = active > 0 || waiting ? 0 : idleLooks + 1;
      if (idleLooks < 2) return;
      clearInterval(timer);
      resolve("no run goes on");
    }, LOOK_MS);
  });
}
