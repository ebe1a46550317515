// Owns where a nats-server may already be: FIRM_NATS_SERVER, PATH, the per-user cache.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { FirmError } from "@firm/protocol";
import { NATS_VERSION } from "./releases.ts";

/** A server binary and how it was come by. */
export interface NatsBinary {
  readonly path: string;
  readonly source: "FIRM_NATS_SERVER" | "PATH" | "cache" | "download" | "package manager";
}

type Env = Readonly<Record<string, string | undefined>>;

/** Places that distributions use and that a user's PATH often lacks: Debian keeps daemons in /usr/sbin. */
const SYSTEM_DIRS: readonly string[] = [
  "/usr/local/sbin",
  "/usr/sbin",
  "/usr/local/bin",
  "/usr/bin",
  "/opt/homebrew/bin",
];

/** The per-user cache of binaries. Pure. */
export function cacheDir(env: Env, platform: string = process.platform): string {
  const home = env.HOME ?? homedir();
  const base =
    env.XDG_CACHE_HOME !== undefined && isAbsolute(env.XDG_CACHE_HOME)
      ? env.XDG_CACHE_HOME
      : platform === "darwin"
        ? join(home, "Library", "Caches")
        : join(home, ".cache");
  return join(base, "firm");
}

/** Where the pinned release lies once it was fetched. Pure. */
export function cachedServer(env: Env, platform: string = process.platform): string {
  return join(cacheDir(env, platform), `nats-server-${NATS_VERSION}`, "nats-server");
}

/**
 * The first nats-server found; undefined where there is none.
 * @param systemDirs where to look after PATH
 * @throws FirmError `invalid-config` where FIRM_NATS_SERVER names no program.
 */
export async function findNatsServer(env: Env, systemDirs = SYSTEM_DIRS): Promise<NatsBinary | undefined> {
  const named = env.FIRM_NATS_SERVER;
  if (named !== undefined && named !== "") {
    const path = resolve(named);
    if (!(await isProgram(path))) {
      throw new FirmError("invalid-config", `FIRM_NATS_SERVER names no program: ${path}`, {
        field: "FIRM_NATS_SERVER",
        hint: "set it to the path of a nats-server binary, or unset it",
      });
    }
    return { path, source: "FIRM_NATS_SERVER" };
  }
  const onPath = await findProgram("nats-server", env, systemDirs);
  if (onPath !== undefined) return { path: onPath, source: "PATH" };
  const cached = cachedServer(env);
  return (await isProgram(cached)) ? { path: cached, source: "cache" } : undefined;
}

/** A program's path: on PATH, then in further directories; undefined where there is none. */
export async function findProgram(
  name: string,
  env: Env,
  furtherDirs: readonly string[] = [],
): Promise<string | undefined> {
  const dirs = (env.PATH ?? "").split(delimiter).filter((dir) => dir !== "");
  for (const dir of [...dirs, ...furtherDirs]) {
    const candidate = resolve(dir, name);
    if (await isProgram(candidate)) return candidate;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Not there, or not ours to run: either way it is no program for us.
    return false;
  }
}
