// Pure: which process serves a role, and what it is told by its environment.
import { addressOf, isExecutive, levelOf, type Role } from "@firm/protocol";
import { join } from "node:path";
import type { FirmPaths } from "../paths.ts";

/** Directories under `services/`. */
export type Service = "gateway" | "ceo" | "department" | "service" | "employee" | "executive";

/** Whom the supervisor runs. */
export type Member = "gateway" | Role;

/** The service that serves a member. */
export function serviceOf(member: Member): Service {
  if (member === "gateway" || member === "ceo") return member;
  if (isExecutive(member)) return "executive";
  return levelOf(member) ?? "employee";
}

/** A member's name in file names: `department.engineering`. */
export function fileNameOf(member: Member): string {
  return member === "gateway" ? member : addressOf(member);
}

export interface MemberSettings {
  readonly paths: FirmPaths;
  readonly natsUrl: string;
  /** False where the server asks for no credentials. */
  readonly withNkeys: boolean;
  readonly configFile: string | undefined;
  readonly logLevel: string;
}

/** Seed file of an identity. */
export function seedFileOf(paths: FirmPaths, name: string): string {
  return join(paths.creds, `${name}.nk`);
}

/** Where a member writes the address of its metrics. */
export function httpFileOf(paths: FirmPaths, member: Member): string {
  return join(paths.http, fileNameOf(member));
}

/** Variables that speak to the supervisor or that it sets itself; an agent's own, also those that begin with FIRM_, pass. */
const OWN =
  /^FIRM_(?:HOME|DEBUG|LAUNCHER_FD|NATS_.*|NKEY_FILE|ROLE|CONFIG|TOKEN_KEY_FILE|HTTP_.*|LOG_LEVEL|STATE_DIR|PARENT_PIPE)$/;

/**
 * The environment of a member's process: the supervisor's own without what speaks to the supervisor, and its part.
 * Agents need the rest: PATH, HOME, their keys.
 */
export function environmentOf(
  member: Member,
  settings: MemberSettings,
  inherited: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && !OWN.test(name)) env[name] = value;
  }
  const { paths, natsUrl, withNkeys, configFile, logLevel } = settings;
  const file = fileNameOf(member);
  return {
    ...env,
    NODE_COMPILE_CACHE: paths.compileCache,
    // glibc keeps one heap a thread otherwise: some 3 MiB a worker, for threads that hardly allocate.
    MALLOC_ARENA_MAX: "1",
    FIRM_NATS_URL: natsUrl,
    ...(withNkeys ? { FIRM_NKEY_FILE: seedFileOf(paths, file) } : {}),
    ...(member === "gateway" ? { FIRM_TOKEN_KEY_FILE: paths.tokenKey } : { FIRM_ROLE: member }),
    ...(configFile === undefined ? {} : { FIRM_CONFIG: configFile }),
    FIRM_HTTP_PORT: "0",
    FIRM_HTTP_HOST: "127.0.0.1",
    FIRM_HTTP_FILE: httpFileOf(paths, member),
    FIRM_LOG_LEVEL: logLevel,
    FIRM_STATE_DIR: paths.state,
    FIRM_PARENT_PIPE: "1",
  };
}
