// Owns a piece of work's signs of progress to the gateway: "started" and partial output, throttled.
//
// C1  Nothing is sent before the work has lasted a while: instant work costs no request.
// C2  At most one request is under way, and between two lie at least `everyMs`; the latest state wins.
// C3  After close nothing is sent, so no checkpoint follows the result.
import { FirmError, type CheckpointRequest, type Result } from "@firm/protocol";
import type { Logger } from "./log.ts";

/** ms that work may last before it is worth a request of its own. */
const QUIET = 50;
/** ms between two checkpoints of one piece of work. */
const EVERY = 250;

export interface CheckpointOptions {
  readonly send: (request: CheckpointRequest) => Promise<void>;
  /** Who works: host and process. */
  readonly worker: string;
  readonly log: Logger;
  /** The gateway wants no more of this attempt. */
  readonly onRefused: (error: FirmError) => void;
  readonly quietMs?: number;
  readonly everyMs?: number;
}

/** What `save` keeps. */
interface Progress {
  readonly note: string;
  readonly result: Result | undefined;
}

export class Checkpoints {
  readonly #options: CheckpointOptions;
  #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #pending: Progress | undefined;
  #latest: Result | undefined;
  #started = false;
  #closed = false;

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#everyMs = options.everyMs ?? EVERY;
    this.#timer = setTimeout(() => this.#fire(), options.quietMs ?? QUIET);
  }

  /** The latest partial result that was saved. */
  get latest(): Result | undefined {
    return this.#latest;
  }

  /** A longer pause between two, ms, for roles whose partial picture is large. */
  throttle(everyMs: number): void {
    this.#everyMs = Math.max(this.#everyMs, everyMs);
  }

  /** Keeps progress; it is sent when it is due. */
  save(note: string, result?: Result): void {
    if (this.#closed) return;
    this.#latest = result ?? this.#latest;
    this.#pending = { note: note.slice(0, 500), result: result ?? this.#pending?.result };
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
    const { note = "", result } = this.#pending ?? {};
    this.#pending = undefined;
    const request: CheckpointRequest = {
      note,
      ...(this.#started ? {} : { started: this.#options.worker }),
      ...(result === undefined ? {} : { result }),
    };
    this.#started = true;
    this.#sending = this.#send(request).finally(() => {
      this.#sending = undefined;
      if (!this.#closed) this.#timer = setTimeout(() => this.#fire(), this.#everyMs);
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
