// Owns what is kept of a child's output: the beginning and the end, never more than a fixed number of bytes.
import type { Readable } from "node:stream";

/** What was kept of a stream. */
export interface Kept {
  readonly text: string;
  /** Bytes that were dropped from the middle. */
  readonly dropped: number;
}

/** Keeps the first quarter and the last three quarters of `limit` bytes: the end says how it went. */
export class BoundedOutput {
  readonly #limit: number;
  readonly #head: Buffer[] = [];
  readonly #tail: Buffer[] = [];
  #headSize = 0;
  #tailSize = 0;
  #dropped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const room = Math.max(0, Math.floor(this.#limit / 4) - this.#headSize);
    const head = chunk.subarray(0, room);
    if (head.length > 0) {
      this.#head.push(head);
      this.#headSize += head.length;
    }
    const rest = chunk.subarray(head.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailSize += rest.length;
    this.#trim();
  }

  #trim(): void {
    const limit = this.#limit - Math.floor(this.#limit / 4);
    while (this.#tailSize > limit) {
      const [first] = this.#tail;
      if (first === undefined) return;
      const excess = this.#tailSize - limit;
      const cut = Math.min(excess, first.length);
      if (cut === first.length) this.#tail.shift();
      else this.#tail[0] = first.subarray(cut);
      this.#tailSize -= cut;
      this.#dropped += cut;
    }
  }

  /** The kept text; a gap is marked where bytes were dropped. */
  get(): Kept {
    const head = Buffer.concat(this.#head).toString("utf8");
    const tail = Buffer.concat(this.#tail).toString("utf8");
    const gap = this.#dropped === 0 ? "" : `\n… ${this.#dropped} bytes left out …\n`;
    return { text: head + gap + tail, dropped: this.#dropped };
  }
}

/** Reads a stream to its end into a bounded buffer. */
export function collect(stream: Readable | null | undefined, limit: number): BoundedOutput {
  const output = new BoundedOutput(limit);
  stream?.on("data", (chunk: Buffer) => output.push(chunk));
  return output;
}
