// Owns the questions of one piece of work or of one answer: asked in parallel and without a slot, each refusal followed by an assumption
// (seed: agent-protocol, "Loop Prevention", "When to Invoke vs When to Assume"; DESIGN, rule 3).
//
// Q1  A refusal, a timeout or a failure is an answer too: the agent goes on, and what it goes on with is reported once.
// Q2  A report that cannot be made does not take the work with it.
import type { Ask, Log } from "@firm/actor";
import { FirmError } from "@firm/protocol";

/** What asks: a piece of work or a question in hand. */
export interface Asker {
  readonly gateway: Pick<Ask["gateway"], "invoke" | "assume">;
  readonly signal: AbortSignal;
  readonly log: Log;
  away<T>(wait: () => Promise<T>): Promise<T>;
}

/** A question to a C-suite role. */
export interface Question {
  readonly role: string;
  readonly question: string;
}

/** What came back; where `answered` is false, `text` says why not, e.g. `[BLOCKED: …]`. */
export interface Heard extends Question {
  readonly answered: boolean;
  readonly text: string;
}

/** Characters of an assumption that are reported. */
const LONGEST = 2_000;

export class Questions {
  readonly #asker: Asker;
  readonly #role: string;
  /** The question that is being answered, if any: assumptions belong to it. */
  readonly #invocation: string | undefined;
  readonly #assumptions = new Set<string>();
  /** Refused, and nothing assumed instead yet. */
  #open: Heard[] = [];

  constructor(asker: Asker, role: string, invocation?: string) {
    this.#asker = asker;
    this.#role = role;
    this.#invocation = invocation;
  }

  /** What was assumed so far, in words. */
  get assumptions(): readonly string[] {
    return [...this.#assumptions];
  }

  /** Asks all at once. @throws the signal's reason where the work is stopped, or the bus's own failure. */
  async ask(questions: readonly Question[]): Promise<Heard[]> {
    const { signal } = this.#asker;
    const heard = await this.#asker.away(() => Promise.all(questions.map((question) => this.#one(question))));
    signal.throwIfAborted();
    this.#open.push(...heard.filter(({ answered }) => !answered));
    return heard;
  }

  /** The agent said what it takes as given: that stands for every refusal up to here. */
  async assume(...texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return;
    this.#open = [];
    await this.#report(texts);
  }

  /** The agent has finished: a refusal that it passed over becomes an assumption all the same. */
  async close(): Promise<void> {
    const passedOver = this.#open.map(
      ({ role, question, text }) => `no answer from ${role} to "${question.slice(0, 500)}": ${text}`,
    );
    this.#open = [];
    await this.#report(passedOver);
  }

  /** Keeps what a colleague assumed in its answer; it has reported that itself. */
  note(texts: readonly string[]): void {
    for (const text of texts) this.#assumptions.add(text.slice(0, LONGEST));
  }

  async #one({ role, question }: Question): Promise<Heard> {
    const { gateway, signal, log } = this.#asker;
    try {
      const { text } = await gateway.invoke(role, question);
      return { role, question, answered: true, text };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FirmError)) throw error;
      log.info({ asked: role, code: error.code, reason: error.message }, "a question was not answered");
      return { role, question, answered: false, text: error.message };
    }
  }

  async #report(texts: readonly string[]): Promise<void> {
    const fresh = texts.map((text) => text.slice(0, LONGEST)).filter((text) => !this.#assumptions.has(text));
    this.note(fresh);
    await Promise.all([...new Set(fresh)].map((text) => this.#reportOne(text)));
  }

  async #reportOne(assumption: string): Promise<void> {
    const { gateway, signal, log } = this.#asker;
    try {
      await gateway.assume({
        role: this.#role,
        assumption,
        ...(this.#invocation === undefined ? {} : { invocation: this.#invocation }),
      });
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error }, "an assumption could not be reported");
    }
  }
}
