// Owns KV buckets. A write is an append to the bucket's stream, so it has a message id: a compare-and-set whose answer was
// lost is repeated and found to be done, where it would otherwise look like somebody else's change.
import { FirmError } from "@firm/protocol";
import * as z from "zod";
import { append } from "./append.ts";
import { apiRequest } from "./jetstream.ts";
import type { Link } from "./link.ts";
import { readAll } from "./ordered.ts";
import { readLast } from "./read.ts";
import type { KvEntry, KvStore, StoredMessage } from "./types.ts";

const KEY = /^[-/_=.A-Za-z0-9]+$/;
const OPERATION = "KV-Operation";

function isDeleted(message: StoredMessage): boolean {
  return message.headers[OPERATION] === "DEL" || message.headers[OPERATION] === "PURGE";
}

class Bucket implements KvStore {
  readonly #link: Link;
  readonly #stream: string;
  readonly #prefix: string;

  constructor(link: Link, bucket: string) {
    this.#link = link;
    this.#stream = `KV_${bucket}`;
    this.#prefix = `$KV.${bucket}.`;
  }

  #subject(key: string): string {
    if (!KEY.test(key) || key.startsWith(".") || key.endsWith(".") || key.includes("..")) {
      throw new FirmError(
        "invalid-input",
        `"${key}" is not a KV key: letters, digits, "-", "_", "=", "/" and "."`,
        { field: "key" },
      );
    }
    return this.#prefix + key;
  }

  async get(key: string): Promise<KvEntry | undefined> {
    const message = await readLast(this.#link, this.#stream, this.#subject(key));
    return message === undefined || isDeleted(message)
      ? undefined
      : { key, text: message.text(), revision: message.seq };
  }

  async create(key: string, text: string): Promise<number | undefined> {
    const revision = await this.#write(key, text, 0);
    if (revision !== undefined) return revision;
    const message = await readLast(this.#link, this.#stream, this.#subject(key));
    return message !== undefined && isDeleted(message) ? this.#write(key, text, message.seq) : undefined;
  }

  async update(key: string, text: string, revision: number): Promise<number | undefined> {
    return this.#write(key, text, revision);
  }

  async put(key: string, text: string): Promise<number> {
    return (await append(this.#link, this.#subject(key), text)).seq;
  }

  async delete(key: string): Promise<void> {
    await append(this.#link, this.#subject(key), "", { headers: { [OPERATION]: "DEL" } });
  }

  async keys(filter = ">"): Promise<string[]> {
    const messages = await readAll(this.#link, {
      stream: this.#stream,
      filter: this.#prefix + filter,
      from: "last-per-subject",
      headersOnly: true,
    });
    return messages
      .filter((message) => !isDeleted(message))
      .map((message) => message.subject.slice(this.#prefix.length));
  }

  async #write(key: string, text: string, revision: number): Promise<number | undefined> {
    try {
      return (await append(this.#link, this.#subject(key), text, { expectedLastSubjectSequence: revision }))
        .seq;
    } catch (error) {
      if (error instanceof FirmError && error.code === "already-ended") return undefined;
      throw error;
    }
  }
}

/** Opens a bucket. @throws FirmError `storage-unavailable` where there is none. */
export async function openKv(link: Link, bucket: string): Promise<KvStore> {
  await apiRequest(
    link,
    `STREAM.INFO.KV_${bucket}`,
    undefined,
    z.object({ config: z.unknown() }),
    `bucket ${bucket}`,
  );
  return new Bucket(link, bucket);
}
