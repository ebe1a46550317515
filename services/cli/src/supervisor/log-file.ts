// Owns a child's log: bounded, one older file kept, and the last lines at hand for a message.
import { closeSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";

/** Two files of this size a process: enough for a day of runs, too little to fill a disk. */
const MAX_BYTES = 5 * 1024 * 1024;
const TAIL_BYTES = 4_096;

/** An append-only log of at most twice `maxBytes`; what a full disk refuses is counted, not thrown. */
export class LogFile {
  readonly path: string;
  readonly #maxBytes: number;
  #fd: number;
  #size: number;
  #tail = "";
  #lost = 0;

  constructor(path: string, maxBytes: number = MAX_BYTES) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#fd = openSync(path, "a", 0o600);
    this.#size = statSync(path).size;
  }

  /** Lines that could not be written. */
  get lost(): number {
    return this.#lost;
  }

  /** The last lines written, for a person who asks why. */
  lastLines(count: number): string[] {
    return this.#tail
      .split("\n")
      .filter((line) => line.trim() !== "")
      .slice(-count);
  }

  write(chunk: string | Uint8Array): void {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    this.#tail = (this.#tail + Buffer.from(bytes).toString("utf8")).slice(-TAIL_BYTES);
    try {
      if (this.#size + bytes.byteLength > this.#maxBytes && this.#size > 0) this.#rotate();
      this.#size += writeSync(this.#fd, bytes);
    } catch {
      // A full disk must not end the supervisor: the processes it keeps matter more than their log.
      this.#lost++;
    }
  }

  /** Writes all that a stream says until it ends. */
  follow(stream: Readable): void {
    stream.on("data", (chunk: Uint8Array) => this.write(chunk));
    stream.on("error", () => this.#lost++);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #rotate(): void {
    renameSync(this.path, `${this.path}.1`);
    closeSync(this.#fd);
    this.#fd = openSync(this.path, "a", 0o600);
    this.#size = 0;
  }
}

/** The last line of a log as a person reads it: without the program's name in front. */
export async function lastLogLine(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  return (
    text
      .trim()
      .split("\n")
      .at(-1)
      ?.replace(/^firm: /, "") || "it said nothing"
  );
}
