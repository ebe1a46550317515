// Owns what a deployment mounts: seeds, signing key and nats-server configuration, made in `.firm/creds`.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { orgChartOf, renderAuthorization, renderServerConfig, type FirmConfig } from "@firm/config";
import { EXECUTIVE_ROLES } from "@firm/protocol";
import type { FirmPaths } from "./paths.ts";
import { ensureCredentials, writePrivate } from "./supervisor/credentials.ts";

/** How nats-server runs there. */
export interface NatsSettings {
  readonly host: string;
  readonly port: number;
  readonly storeDir: string;
  readonly httpPort?: number;
}

/** Makes what is missing. @returns each file's name and text */
export async function deploymentFiles(
  paths: FirmPaths,
  config: FirmConfig,
  nats: NatsSettings,
): Promise<Record<string, string>> {
  const chart = orgChartOf(config);
  const roles = [...new Set([...chart.roles, ...EXECUTIVE_ROLES])];
  const users = await ensureCredentials(paths, chart.roles);
  await writePrivate(join(paths.creds, "nats-server.conf"), renderServerConfig({ ...nats, users, roles }));
  await writePrivate(join(paths.creds, "nats-authorization.conf"), `${renderAuthorization(users, roles)}\n`);
  const names = (await readdir(paths.creds)).filter((name) => !name.endsWith(".part")).toSorted();
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(paths.creds, name), "utf8")] as const),
    ),
  );
}
