// Owns fetching the pinned release archive once into the cache: verified before use, put in place by one rename.
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { setGlobalProxyFromEnv } from "node:http";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { FirmError } from "@firm/protocol";
import { execa } from "execa";
import type { Release } from "./releases.ts";

export interface DownloadOptions {
  readonly signal?: AbortSignal;
  /** ms without a byte before the connection counts as dead; default 20 000. */
  readonly idleMs?: number;
}

/** An archive of the pinned release is 6–7 MB; what is ten times that is something else. */
const MAX_BYTES = 100 * 1024 * 1024;
const IDLE_MS = 20_000;

/**
 * Fetches, verifies, unpacks and puts the program at `target`. Two at once do no harm: each works in its own directory,
 * and the last rename wins with the same bytes. Nothing is left behind by a failure.
 * @throws FirmError `bus-unavailable` where it cannot be fetched or is not what the checksum says.
 */
export async function downloadNatsServer(
  release: Release,
  target: string,
  options: DownloadOptions = {},
): Promise<void> {
  const parent = dirname(dirname(target));
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const dir = await mkdtemp(join(parent, ".fetch-"));
  try {
    const archive = join(dir, "nats-server.tar.gz");
    const sha256 = await fetchTo(release.url, archive, options);
    if (sha256 !== release.sha256) {
      throw new FirmError(
        "bus-unavailable",
        `${release.url} is not the pinned release: SHA-256 ${sha256}, expected ${release.sha256}; it was thrown away`,
      );
    }
    await execa("tar", ["-xzf", archive, "-C", dir, release.member], { stdin: "ignore", timeout: 60_000 });
    const program = join(dir, release.member);
    await chmod(program, 0o755);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(program, target);
  } catch (cause) {
    if (cause instanceof FirmError) throw cause;
    throw new FirmError("bus-unavailable", `${release.url} could not be fetched: ${reasonOf(cause)}`, {
      cause,
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** @returns the SHA-256 of what was written. */
async function fetchTo(url: string, file: string, options: DownloadOptions): Promise<string> {
  // As curl does: HTTPS_PROXY, HTTP_PROXY, NO_PROXY.
  setGlobalProxyFromEnv();
  const idle = new AbortController();
  const idleMs = options.idleMs ?? IDLE_MS;
  const timer = setTimeout(() => idle.abort(new Error(`nothing came for ${idleMs} ms`)), idleMs);
  try {
    const signals = options.signal === undefined ? [idle.signal] : [idle.signal, options.signal];
    const response = await fetch(url, { signal: AbortSignal.any(signals) });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new Error(`HTTP ${response.status}`);
    }
    const hash = createHash("sha256");
    let size = 0;
    const watched = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        timer.refresh();
        size += chunk.byteLength;
        if (size > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(response.body, watched, createWriteStream(file, { flags: "wx" }));
    return hash.digest("hex");
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch failed` says nothing; its innermost cause does. */
function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  if (inner instanceof AggregateError && inner.errors[0] instanceof Error) inner = inner.errors[0];
  return inner instanceof Error ? (inner.message.split("\n")[0] ?? inner.message) : String(inner);
}
