// Owns what the command line and the environment say about this firm: its directory and its configuration.
import { access, mkdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseConfig, type FirmConfig } from "@firm/config";
import { FirmError } from "@firm/protocol";
import { stringify } from "yaml";
import { errnoOf } from "./errors.ts";
import { pathsOf, type FirmPaths } from "./paths.ts";
import { writePrivate } from "./supervisor/credentials.ts";

/** Options that every command knows. */
export interface GlobalOptions {
  dir?: string;
  config?: string;
}

/** The directory that holds `.firm`: --dir, FIRM_HOME, or the current one. */
export function firmPaths(options: GlobalOptions, env: NodeJS.ProcessEnv = process.env): FirmPaths {
  const named = options.dir ?? (env.FIRM_HOME === "" ? undefined : env.FIRM_HOME);
  return pathsOf(resolve(named ?? "."));
}

/** A configuration and where the firm's processes read it. */
export interface LoadedConfig {
  readonly config: FirmConfig;
  /** undefined: the defaults. */
  readonly file: string | undefined;
}

/**
 * Reads firm.yaml: --config, FIRM_CONFIG, or the one beside `.firm`, where there is one.
 * @param agent plays every role; the changed configuration is written below `.firm` for the processes
 * @throws FirmError `invalid-config` naming the field.
 */
export async function loadConfig(
  paths: FirmPaths,
  options: GlobalOptions,
  agent?: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<LoadedConfig> {
  const named = options.config ?? (env.FIRM_CONFIG === "" ? undefined : env.FIRM_CONFIG);
  const file = named === undefined ? await existing(join(paths.home, "firm.yaml")) : resolve(named);
  const config = file === undefined ? parseConfig("") : parseConfig(await readConfig(file));
  if (agent === undefined) return { config, file };
  const changed = { ...config, agents: { ...config.agents, default: agent, roles: {} } };
  const text = stringify(changed);
  await mkdir(paths.state, { recursive: true, mode: 0o700 });
  await writePrivate(paths.effectiveConfig, text);
  return { config: parseConfig(text), file: paths.effectiveConfig };
}

/** @throws FirmError `invalid-input` where there is no such directory. */
export async function requireDirectory(path: string): Promise<void> {
  try {
    if ((await stat(path)).isDirectory()) return;
  } catch (cause) {
    throw new FirmError(
      "invalid-input",
      `workspace: there is no directory ${path} (${errnoOf(cause) ?? "unreadable"})`,
      {
        field: "workspace",
        cause,
      },
    );
  }
  throw new FirmError("invalid-input", `workspace: ${path} is no directory`, { field: "workspace" });
}

async function existing(path: string): Promise<string | undefined> {
  try {
    await access(path);
    return path;
  } catch {
    return undefined;
  }
}

async function readConfig(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new FirmError("invalid-config", `cannot read ${path} (${errnoOf(cause) ?? "unreadable"})`, {
      field: "--config",
      cause,
    });
  }
}
