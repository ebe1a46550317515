// Pure: what can be wrong with an envelope, and where.
import { FirmError, type ErrorCode } from "../errors.ts";
import type { Keyword } from "./heads.ts";

/** What is wrong → the code the bus carries. */
export const ENVELOPE_PROBLEMS = {
  /** Strict: the text begins with no envelope. */
  "not-an-envelope": "invalid-input",
  /** Something else has to stand here; the message says what. */
  unexpected: "invalid-input",
  /** Not a role that can be asked, answer, or stand in a chain. */
  "unknown-role": "unknown-role",
  /** The closing bracket or tag is missing. */
  unclosed: "invalid-input",
  /** A closing tag that closes nothing. */
  "stray-close": "invalid-input",
  /** A question or a text is missing or blank. */
  empty: "invalid-input",
  /** Larger, or more of them, than `ENVELOPE_LIMITS` allows. */
  "too-large": "too-large",
  /** A control, invisible or unpaired character where it is refused. */
  "control-character": "invalid-input",
  /** Strict: something follows the envelope. */
  "stray-text": "invalid-input",
  /** Strict: readable, but the printer writes it otherwise. */
  "not-canonical": "invalid-input",
} as const satisfies Record<string, ErrorCode>;

export type EnvelopeProblem = keyof typeof ENVELOPE_PROBLEMS;

/** A place in a text. */
export interface Position {
  /** Unicode code points before it. */
  readonly offset: number;
  /** From 1; lines end at LF, CR LF or CR. */
  readonly line: number;
  /** From 1, in Unicode code points. */
  readonly column: number;
}

/** An envelope that cannot be read; `problem` says what, `position` where. */
export class EnvelopeError extends FirmError {
  readonly problem: EnvelopeProblem;
  readonly position: Position;
  /** Which envelope it would have been, where the reader knows. */
  readonly keyword: Keyword | undefined;

  constructor(problem: EnvelopeProblem, message: string, position: Position, keyword?: Keyword) {
    super(
      ENVELOPE_PROBLEMS[problem],
      `${message} (line ${String(position.line)}, column ${String(position.column)})`,
      { field: "envelope" },
    );
    this.name = "EnvelopeError";
    this.problem = problem;
    this.position = position;
    this.keyword = keyword;
  }
}

/** A problem at an index of a JavaScript string, before it has a position. */
export interface Fault {
  readonly problem: EnvelopeProblem;
  readonly message: string;
  readonly at: number;
}

export function fault(problem: EnvelopeProblem, message: string, at: number): Fault {
  return { problem, message, at };
}

export function isFault(value: object): value is Fault {
  return "problem" in value;
}
