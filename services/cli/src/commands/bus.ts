// Owns `firm bus init`: streams, durables, buckets and the object store, as the configuration says.
import type { Command } from "commander";
import { FirmError } from "@firm/protocol";
import { EXIT } from "../exit-codes.ts";
import { contextOf, exiting, print, type Context } from "./context.ts";

export function addBus(program: Command): void {
  const bus = program.command("bus").description("set the bus up");
  bus
    .command("init")
    .description(
      "create what is missing on the bus and apply changed limits; safe to repeat, removes nothing",
    )
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ firm bus init                                          # the firm that runs here\n" +
        "  $ FIRM_NATS_URL=nats://nats:4222 FIRM_NKEY_FILE=operator.nk firm bus init",
    )
    .action(
      exiting(async (options: { json?: boolean }, command: Command) => {
        const report = await init(contextOf(command));
        const lines = Object.entries(report).flatMap(([change, titles]: [string, string[]]) =>
          titles.map((title) => `${change.padEnd(9)}  ${title}`),
        );
        print(options.json === true ? JSON.stringify(report, null, 2) : lines.join("\n"));
        return EXIT.delivered;
      }),
    );
}

async function init({ paths, global }: Context) {
  const [
    { connectBus, initBus },
    { orgChartOf },
    { loadConfig },
    { readSeed },
    { runningSupervisor },
    { seedFileOf },
  ] = await Promise.all([
    import("@firm/bus"),
    import("@firm/config"),
    import("../home.ts"),
    import("../client/seed.ts"),
    import("../client/firm.ts"),
    import("../supervisor/services.ts"),
  ]);
  const { config } = await loadConfig(paths, global);
  const chart = orgChartOf(config);
  const env = process.env;
  const external = env.FIRM_NATS_URL === "" ? undefined : env.FIRM_NATS_URL;
  const state = external === undefined ? await runningSupervisor(paths) : undefined;
  const servers = external ?? state?.nats_url;
  if (servers === undefined) {
    throw new FirmError(
      "bus-unavailable",
      `no firm runs in ${paths.home}, and FIRM_NATS_URL names no server`,
      {
        hint: "`firm up` sets its own bus up; for another set FIRM_NATS_URL, and FIRM_NKEY_FILE to the operator's seed",
      },
    );
  }
  const seedFile =
    external === undefined
      ? state?.user_nkey_file === undefined
        ? undefined
        : seedFileOf(paths, "operator")
      : env.FIRM_NKEY_FILE || undefined;
  const bus = await connectBus({
    servers,
    name: "firm operator",
    ...(seedFile === undefined ? {} : { nkeySeed: await readSeed(seedFile) }),
  });
  try {
    return await initBus(bus, config, chart);
  } finally {
    await bus.drain();
  }
}
