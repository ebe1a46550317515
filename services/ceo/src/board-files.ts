// Owns a board meeting's memory as files: layer 1 a file a meeting, layer 2 one file of decisions (board meeting, phase 6).
// F1 A run stands in the decisions once; what it says there is its last decision. F2 Writing again changes nothing.
import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { boardTranscript, decisionSection, type BoardDecision } from "@firm/orchestration";
import { slugOf, type Deliverable, type HistoryEntry } from "@firm/protocol";

const DIRECTORY = "board";
const DECISIONS = "decisions.md";
const TITLE = "# Board decisions\n\n";

/** A meeting that was decided. */
export interface DecidedMeeting extends BoardDecision {
  readonly deliverable: Deliverable;
  /** Contributions and critique, oldest first. */
  readonly said: readonly HistoryEntry[];
}

export class BoardFiles {
  readonly #directory: string;
  /** One write after the other: the decisions are read and written. */
  #writing: Promise<void> = Promise.resolve();

  /** @param stateDir the firm's own directory, absolute */
  constructor(stateDir: string) {
    this.#directory = join(stateDir, DIRECTORY);
  }

  write(meeting: DecidedMeeting): Promise<void> {
    const written = this.#writing.then(() => this.#write(meeting));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #write(meeting: DecidedMeeting): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const name = `${meeting.date}-${slugOf(meeting.question)}-${meeting.run}.md`;
    await this.#replace(name, boardTranscript(meeting.deliverable, meeting.said));
    const section = decisionSection(meeting);
    const before = await this.#read(DECISIONS);
    const parts = before.split(/^(?=## )/m);
    const at = parts.findIndex(
      (part) => part.startsWith("## ") && part.split("\n", 1)[0]?.includes(`run ${meeting.run})`) === true,
    );
    if (at === -1)
      await appendFile(
        join(this.#directory, DECISIONS),
        before === "" ? `${TITLE}${section}\n` : `${section}\n`,
      );
    else if (parts[at]?.trim() !== section.trim())
      await this.#replace(DECISIONS, parts.with(at, `${section}\n`).join(""));
  }

  async #read(name: string): Promise<string> {
    try {
      return await readFile(join(this.#directory, name), "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
      throw error;
    }
  }

  /** Whole or not at all, whenever the process is killed. */
  async #replace(name: string, text: string): Promise<void> {
    const path = join(this.#directory, name);
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
}
