// Owns "one supervisor for each .firm directory": a lock file that names the process and the port where it answers.
//
// L1  The file appears with its content in one step (link), so nobody reads half a lock.
// L2  A lock counts while its process answers at its port with the lock's own nonce; a reused pid or port does not. Who is
//     too busy to answer holds it all the same.
// L3  A stale lock is removed by one process alone: a directory named after the lock's nonce is made first, which only one
//     can do, and the lock is read again inside.
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { FirmError } from "@firm/protocol";
import * as z from "zod";
import { errnoOf } from "../errors.ts";
import { isAlive } from "./alive.ts";

const LockContent = z.object({
  pid: z.int().positive(),
  port: z.int().positive(),
  nonce: z.string().regex(/^\w{1,64}$/),
});
export type LockContent = z.infer<typeof LockContent>;

/** What the supervisor answers at a path. */
interface Answer {
  readonly type: string;
  readonly text: string;
}
type Page = () => Answer | Promise<Answer>;

/** A held lock. */
export interface Lock {
  readonly content: LockContent;
  /** Answers further paths of the supervisor's own HTTP endpoint. */
  serve(path: string, page: Page): void;
  release(): Promise<void>;
}

const PROBE_MS = 1_000;
/** Removing a stale lock takes milliseconds, a probe included a second. */
const ABANDONED_MS = 10_000;

/** The lock's holder if it lives; undefined where the lock is free or stale. */
export async function holderOf(file: string): Promise<LockContent | undefined> {
  const content = await readLock(file);
  return content !== undefined && (await answers(content)) ? content : undefined;
}

/**
 * Takes the lock.
 * @throws FirmError `already-ended` where another supervisor holds it.
 */
export async function acquireLock(file: string): Promise<Lock> {
  const nonce = randomBytes(16).toString("hex");
  const pages = new Map<string, Page>();
  pages.set("/healthz", () => ({ type: "text/plain", text: nonce }));
  const server = await listen(pages);
  const content = { pid: process.pid, port: portOf(server), nonce };
  const mine = `${file}.${nonce}`;
  try {
    await writeFile(mine, JSON.stringify(content), { mode: 0o600 });
    for (;;) {
      if (await tryLink(mine, file)) break;
      const holder = await holderOf(file);
      if (holder !== undefined) {
        throw new FirmError("already-ended", `a supervisor already runs here (process ${holder.pid})`, {
          hint: "`firm status` shows it, `firm down` stops it",
        });
      }
      await removeStale(file);
    }
  } catch (error) {
    server.close();
    throw error;
  } finally {
    await rm(mine, { force: true });
  }
  return {
    content,
    serve: (path, page) => void pages.set(path, page),
    release: async () => {
      if ((await readLock(file))?.nonce === nonce) await rm(file, { force: true });
      server.closeAllConnections();
      server.close();
    },
  };
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function removeStale(file: string): Promise<void> {
  const judged = await nonceIn(file);
  if (judged === undefined) return;
  const turn = `${file}.remove-${judged}`;
  try {
    await mkdir(turn);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    await awaitTurn(turn);
    return;
  }
  try {
    const now = await readLock(file);
    const unchanged = (await nonceIn(file)) === judged;
    if (unchanged && (now === undefined || !(await answers(now)))) await unlink(file);
  } finally {
    await rmdir(turn);
  }
}

/** Gives the other its moment; one that died in it leaves a directory that grows old. */
async function awaitTurn(turn: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(turn);
    if (Date.now() - mtimeMs > ABANDONED_MS) await rmdir(turn);
    else await sleep(10);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

/** The lock's nonce, `damaged` where it cannot be read; undefined where there is no lock. */
async function nonceIn(file: string): Promise<string | undefined> {
  const content = await readLock(file);
  if (content !== undefined) return content.nonce;
  try {
    await stat(file);
    return "damaged";
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function readLock(file: string): Promise<LockContent | undefined> {
  try {
    const parsed = LockContent.safeParse(JSON.parse(await readFile(file, "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function answers(content: LockContent): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${content.port}/healthz`, {
      signal: AbortSignal.timeout(PROBE_MS),
    });
    return (await response.text()) === content.nonce;
  } catch (error) {
    // Too busy to answer in time is not gone. Refused, or no HTTP: not our supervisor.
    return error instanceof Error && error.name === "TimeoutError" && isAlive(content.pid);
  }
}

function listen(pages: ReadonlyMap<string, Page>): Promise<Server> {
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? "");
    if (page === undefined) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
      return;
    }
    Promise.resolve(page()).then(
      ({ type, text }) => response.writeHead(200, { "content-type": type }).end(text),
      (error: unknown) => response.writeHead(500, { "content-type": "text/plain" }).end(`${String(error)}\n`),
    );
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new TypeError("the server listens on no port");
  return address.port;
}
