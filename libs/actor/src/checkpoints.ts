// Owns a piece of work's signs of progress to the gateway: "started" and partial output, throttled.
//
// C1  Nothing is sent before the work has lasted a while: instant work costs no request.
// C2  At most one request is under way, and between two lie at least `everyMs`; the latest state wins.
// C3  After close nothing is sent, so no checkpoint follows the result.
import { FirmError, type CheckpointRequest, type Result } from "@firm/protocol";
import type { Log } from "./log.ts";

/** ms that work may last before it is worth a request of its own. */
const QUIET = 50;
/** ms between two checkpoints of one piece of work. */
const EVERY = 250;

export interface CheckpointOptions {
  readonly send: (request: CheckpointRequest) => Promise<void>;
  /** Who works: host and process. */
  readonly worker: string;
  readonly log: Log;
  /** The gateway wants no more of this attempt. */
  readonly onRefused: (error: FirmError) => void;
  readonly quietMs?: number;
  readonly everyMs?: number;
}

/** A partial result, or how to make it once it is needed. */
type Partial = Result | (() => Result | undefined) | undefined;

/** What `save` keeps. */
interface Progress {
  readonly note: string;
  readonly partial: Partial;
}

export class Checkpoints {
  readonly #options: CheckpointOptions;
  #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #pending: Progress | undefined;
  #latest: Partial;
  #started = false;
  #closed = false;

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#everyMs = options.everyMs ?? EVERY;
    this.#timer = setTimeout(() => this.#fire(), options.quietMs ?? QUIET);
  }

  /** The latest partial result that was saved. */
  get latest(): Result | undefined {
    return made(this.#latest);
  }

  /** A longer pause between two, ms, for roles whose partial picture is large. */
  throttle(everyMs: number): void {
    this.#everyMs = Math.max(this.#everyMs, everyMs);
  }

  /** Keeps progress; it is sent, and made where it is a function, when it is due. */
  save(note: string, partial?: Partial): void {
    if (this.#closed) return;
    this.#latest = partial ?? this.#latest;
    this.#pending = { note: note.slice(0, 500), partial: partial ?? this.#pending?.partial };
    if (this.#timer === undefined && this.#sending === undefined) this.#fire();
  }

  /** Ends it; resolves once no request is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#sending;
  }

  #fire(): void {
    this.#timer = undefined;
    if (this.#closed || (this.#started && this.#pending === undefined)) return;
    let request: CheckpointRequest = { note: "", started: this.#options.worker };
    if (this.#started && this.#pending !== undefined) {
      const { note, partial } = this.#pending;
      const result = made(partial);
      this.#pending = undefined;
      request = { note, ...(result === undefined ? {} : { result }) };
    }
    this.#started = true;
    this.#sending = this.#send(request).finally(() => {
      this.#sending = undefined;
      // "Started" is no progress: what was saved meanwhile follows at once.
      if (!this.#closed)
        this.#timer = setTimeout(() => this.#fire(), "started" in request ? 0 : this.#everyMs);
    });
  }

  async #send(request: CheckpointRequest): Promise<void> {
    try {
      await this.#options.send(request);
    } catch (error) {
      if (!(error instanceof FirmError)) {
        this.#options.log.warn({ err: error }, "a checkpoint was not sent");
        return;
      }
      this.#options.log.info({ code: error.code, reason: error.message }, "a checkpoint was refused");
      this.#options.onRefused(error);
    }
  }
}

function made(partial: Partial): Result | undefined {
  return typeof partial === "function" ? partial() : partial;
}
