// Owns what follows when nats-server finds no room on its disk.
//
// D1  A server that met a full disk stores nothing more, also when there is room again: it has to start anew.
// D2  It starts anew once there is room, not before: on a full disk it might not come back.
// D3  The shortage is said once, with what to do.
import { statfs } from "node:fs/promises";

/** What nats-server writes when a store fails so; the words are the operating system's. */
const NO_ROOM = /no space left on device|disk quota exceeded/i;
/** Bytes that a restart is worth: with less the disk is full again at once. */
export const ENOUGH_BYTES = 16 * 1024 * 1024;
const LOOK_MS = 500;

export interface DiskWatchOptions {
  /** Where the server stores. */
  readonly directory: string;
  readonly restart: () => void;
  readonly say: (line: string) => void;
}

export class DiskWatch {
  readonly #options: DiskWatchOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  /** Reads what the server wrote. */
  heard(text: string): void {
    if (this.#timer !== undefined || !NO_ROOM.test(text)) return;
    const { directory, say } = this.#options;
    say(
      `nats-server finds no room in ${directory}: free at least ${ENOUGH_BYTES / 1_048_576} MiB there, and the firm goes on by itself`,
    );
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const { directory, restart, say } = this.#options;
    try {
      const { bavail, bsize } = await statfs(directory);
      if (this.#timer === undefined || bavail * bsize < ENOUGH_BYTES) return;
    } catch (error) {
      // A file system that is gone for a moment has no room either.
      if (error instanceof Error) return;
      throw error;
    }
    this.stop();
    say("there is room again: nats-server starts anew");
    restart();
  }
}
