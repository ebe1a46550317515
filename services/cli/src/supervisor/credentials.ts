// Owns `.firm/creds`: one nkey seed for each identity and the gateway's signing key, readable by the user alone.
import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeUserKey } from "@firm/bus";
import type { ServerUser } from "@firm/config";
import {
  addressOf,
  EXECUTIVE_ROLES,
  FIRM_IDENTITIES,
  isRole,
  type Identity,
  type Role,
} from "@firm/protocol";
import * as z from "zod";
import { errnoOf } from "../errors.ts";
import type { FirmPaths } from "../paths.ts";
import { seedFileOf } from "./services.ts";

/** Public keys, each with the digest of the seed it belongs to, so that a torn write is noticed. */
const PublicKeys = z.record(z.string(), z.object({ publicKey: z.string(), seedDigest: z.string() }));
type PublicKeys = z.infer<typeof PublicKeys>;

/** An identity's name in file names. */
export function identityFile(identity: Identity): string {
  return isRole(identity) ? addressOf(identity) : identity;
}

/**
 * Makes what is missing and keeps what is there: credentials that were handed out stay good.
 * @param roles the roles of the org chart
 * @returns the users of the server's configuration
 */
export async function ensureCredentials(paths: FirmPaths, roles: readonly Role[]): Promise<ServerUser[]> {
  await mkdir(paths.creds, { recursive: true, mode: 0o700 });
  await chmod(paths.creds, 0o700);
  const identities: Identity[] = [...new Set([...FIRM_IDENTITIES, ...roles, ...EXECUTIVE_ROLES])];
  const publicFile = join(paths.creds, "public-keys.json");
  const known = await readPublicKeys(publicFile);
  const entries = await Promise.all(
    identities.map(async (identity): Promise<[Identity, PublicKeys[string]]> => {
      const file = seedFileOf(paths, identityFile(identity));
      const entry = known[identity];
      const seed = await readText(file);
      if (entry !== undefined && seed !== undefined && entry.seedDigest === digestOf(seed))
        return [identity, entry];
      const key = makeUserKey();
      // No line end: clients of other languages hand the file's bytes to their key library as they are.
      await writePrivate(file, key.seed);
      return [identity, { publicKey: key.publicKey, seedDigest: digestOf(key.seed) }];
    }),
  );
  await writePrivate(publicFile, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  if ((await readText(paths.tokenKey)) === undefined)
    await writePrivate(paths.tokenKey, randomBytes(32).toString("base64url"));
  return entries.map(([identity, { publicKey }]) => ({ identity, publicKey }));
}

/** Writes a file that only its owner can read, in one step. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const part = `${path}.${randomBytes(6).toString("hex")}.part`;
  try {
    await writeFile(part, text, { mode: 0o600 });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

function digestOf(seed: string): string {
  return createHash("sha256").update(seed).digest("hex");
}

async function readPublicKeys(file: string): Promise<PublicKeys> {
  const text = await readText(file);
  if (text === undefined) return {};
  try {
    return PublicKeys.parse(JSON.parse(text));
  } catch {
    // Damaged: every identity gets a new key, which is what a lost file means too.
    return {};
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
