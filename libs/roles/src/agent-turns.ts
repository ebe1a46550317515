// Owns an agent's turns on one piece of work or one question: it speaks, its questions are asked, it goes on with the answers
// (seed: agent-protocol, "Invocation Syntax"; DESIGN, rule 3).
//
// T1  At most `ROUNDS` times the questions in an output are asked; what is asked beyond becomes an assumption.
// T2  What an agent merely repeats asks nobody: an envelope that it was given, or has written before, is data.
import type { Agent, AgentEvent, AgentInput } from "@firm/agents";
import type { Checkpoints, TraceScope } from "@firm/actor";
import {
  FirmError,
  INVOCABLE_ROLES,
  parseWith,
  Result,
  type HistoryEntry,
  type ResultInput,
  type Role,
  type Usage,
} from "@firm/protocol";
import type { Asker, Heard, Questions } from "./questions.ts";
import { heardFrom, isRepeated, saidIn, wordsOf } from "./said.ts";

/** Rounds of questions in the text of one piece of work. */
export const ROUNDS = 3;

/** Characters of running text kept for a partial result. */
const TEXT_LIMIT = 65_536;

/** What the turns belong to. */
export interface TurnsOptions {
  readonly role: Role;
  readonly objectiveKey: string;
  readonly asker: Asker;
  readonly questions: Questions;
  readonly trace: TraceScope;
  /** Told of each turn that failed, by its code; a stop is none. */
  readonly onError?: ((code: string) => void) | undefined;
  /** Absent where nobody waits for partial output. */
  readonly checkpoints?: Pick<Checkpoints, "save" | "latest">;
  /** Partial output of an earlier attempt. */
  readonly checkpoint?: Result | undefined;
}

export class AgentTurns {
  readonly #agent: Agent;
  readonly #options: TurnsOptions;
  #usage: Usage | undefined;
  #text = "";
  #turn = 0;

  constructor(agent: Agent, options: TurnsOptions) {
    this.#agent = agent;
    this.#options = options;
  }

  /**
   * @param inputWith the input, with what was said and heard in earlier turns at the end of its history
   * @throws FirmError `agent-failed`; the signal's reason.
   */
  async play(inputWith: (heard: readonly HistoryEntry[]) => AgentInput): Promise<Result> {
    const { questions, role } = this.#options;
    const heard: HistoryEntry[] = [];
    let complained = false;
    for (let round = 0; ; round++) {
      const input = inputWith(heard);
      const result = await this.#follow(input);
      if (this.#agent.speaksProtocol !== true) return this.#finish(result);
      const said = saidIn(result.output);
      await questions.assume(...said.assumptions);
      const given = wordsOf(input);
      const fresh = said.questions.filter((question) => !isRepeated(question, given));
      // A question that cannot be read is said again once; it was meant for somebody.
      const isTold = said.broken.length > 0 && fresh.length === 0 && !complained && round < ROUNDS;
      if (isTold && result.status !== "blocked") {
        complained = true;
        heard.push(...complaint(role, result.output, said.broken));
        continue;
      }
      if (fresh.length === 0 || result.status === "blocked") return this.#finish(result);
      if (round === ROUNDS) {
        await questions.assume(
          ...fresh.map(
            ({ role: asked, question }) =>
              `${asked} was not asked "${question.slice(0, 500)}": ${ROUNDS} rounds of questions are used up`,
          ),
        );
        return this.#finish(result);
      }
      const answers = await questions.ask(fresh);
      for (const answer of answers) questions.note(heardFrom(answer));
      const at = Date.now();
      heard.push(
        { at, from: role, kind: "said", text: result.output },
        ...answers.map((answer) => entryOf(answer, at)),
      );
    }
  }

  /** What it had when it was stopped; undefined: nothing worth keeping. */
  partial(): Result | undefined {
    const kept = this.#options.checkpoints?.latest ?? this.#options.checkpoint;
    if (kept !== undefined) return this.#complete({ ...kept, status: "partial" });
    if (this.#text.trim() === "") return undefined;
    return this.#complete(
      this.#result({
        status: "partial",
        objective_key: this.#options.objectiveKey,
        summary: "",
        output: this.#text,
      }),
    );
  }

  async #finish(result: Result): Promise<Result> {
    await this.#options.questions.close();
    return this.#complete(result);
  }

  /** One turn, with its span (OpenTelemetry's GenAI conventions). */
  async #follow(input: AgentInput): Promise<Result> {
    const { trace } = this.#options;
    const turn = ++this.#turn;
    const start = Date.now();
    const before = this.#usage;
    let error: string | undefined = "stopped";
    try {
      const result = await this.#turnOf(input, trace.idOf(["agent", turn]));
      error = result.status === "failed" ? result.summary : undefined;
      return result;
    } catch (thrown) {
      error = thrown instanceof FirmError ? thrown.code : String(thrown);
      if (!input.signal.aborted)
        this.#options.onError?.(thrown instanceof FirmError ? thrown.code : "internal");
      throw thrown;
    } finally {
      trace.record(["agent", turn], this.#agentSpan(input, start, before, error));
    }
  }

  #agentSpan(input: AgentInput, start: number, before: Usage | undefined, error: string | undefined) {
    const spent = this.#usage;
    return {
      name: `invoke_agent ${this.#options.role}`,
      start,
      end: Date.now(),
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": this.#agent.name,
        "gen_ai.agent.name": this.#options.role,
        "gen_ai.conversation.id": `${input.run}:${this.#options.role}`,
        ...(spent === undefined
          ? {}
          : {
              "gen_ai.usage.input_tokens": spent.input_tokens - (before?.input_tokens ?? 0),
              "gen_ai.usage.output_tokens": spent.output_tokens - (before?.output_tokens ?? 0),
            }),
      },
      ...(error === undefined ? {} : { error }),
    };
  }

  async #turnOf(input: AgentInput, span: string): Promise<Result> {
    const { signal } = input;
    const events = this.#agent.run(input);
    const aborted = rejectOnAbort(signal);
    try {
      let answer: string | undefined;
      for (;;) {
        const next = await Promise.race([events.next(answer), aborted.promise]);
        signal.throwIfAborted();
        if (next.done === true)
          throw new FirmError("agent-failed", `${this.#agent.name} ended without a result`);
        answer = undefined;
        const event = next.value;
        if (event.type === "result") return this.#result(event.result);
        if (event.type === "blocked") return this.#blocked(event);
        if (event.type === "invocation") answer = await this.#invoke(event.role, event.question, span);
        else this.#note(event);
      }
    } finally {
      aborted.dispose();
      // An agent that ignores its signal is not waited for; what it does after this is nobody's result.
      void events
        .return()
        .catch((error: unknown) =>
          this.#options.asker.log.debug({ err: error }, "the agent failed after its end"),
        );
    }
  }

  #note(event: Exclude<AgentEvent, { type: "result" | "blocked" | "invocation" }>): void {
    const { checkpoints } = this.#options;
    if (event.type === "usage") {
      this.#usage = sum(this.#usage, event.usage);
    } else if (event.type === "text") {
      this.#text = (this.#text + event.text).slice(-TEXT_LIMIT);
      checkpoints?.save(lastLine(this.#text));
    } else {
      const partial =
        event.partial === undefined
          ? undefined
          : this.#complete(this.#result({ ...event.partial, status: "partial" }));
      checkpoints?.save(event.note, partial);
    }
  }

  #blocked(event: Extract<AgentEvent, { type: "blocked" }>): Result {
    return this.#result({
      objective_key: this.#options.objectiveKey,
      summary: event.reason.slice(0, 4_000),
      ...event.partial,
      status: "blocked",
      blocked_by: event.by,
      blocker: event.reason.slice(0, 4_000),
    });
  }

  /** A question by tool: the answer goes back into the same turn. */
  async #invoke(role: string, question: string, parent: string): Promise<string> {
    const { questions, trace } = this.#options;
    const start = Date.now();
    const [heard] = await questions.ask([{ role, question }]);
    trace.record(["tool", this.#turn, start, role], {
      parent,
      name: "execute_tool invoke",
      start,
      end: Date.now(),
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "invoke",
        "gen_ai.tool.type": "function",
        "firm.role": role,
      },
      ...(heard?.answered === false ? { error: heard.text } : {}),
    });
    if (heard === undefined) throw new FirmError("internal", `no answer and no refusal from ${role}`);
    questions.note(heardFrom(heard));
    return textFor(heard);
  }

  /** @throws FirmError `agent-failed` naming the field that is not valid. */
  #result(input: ResultInput): Result {
    return parseWith(Result, input, `the result of ${this.#agent.name}`, "agent-failed");
  }

  #complete(result: Result): Result {
    const { objectiveKey, questions } = this.#options;
    return {
      ...result,
      objective_key: objectiveKey,
      agent: result.agent ?? { name: this.#agent.name },
      assumptions: [...new Set([...result.assumptions, ...questions.assumptions])].slice(0, 200),
      // What the agent said while it worked is the whole; a result's own figure stands where it said nothing.
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
  }
}

/** What an agent said and what of it could not be read. */
function complaint(role: Role, text: string, broken: readonly string[]): HistoryEntry[] {
  const at = Date.now();
  return [
    { at, from: role, kind: "said", text },
    {
      at,
      from: "gateway",
      kind: "complaint",
      text: `A question could not be read and was not asked: ${broken.join("; ")}. Ask it again as [INVOKE:role|question] with one of ${INVOCABLE_ROLES.join(", ")}, or state an [ASSUMPTION: …].`,
    },
  ];
}

function entryOf(heard: Heard, at: number): HistoryEntry {
  return { at, from: heard.role, kind: heard.answered ? "answer" : "refusal", text: textFor(heard) };
}

/** What the agent reads: the answer, or the refusal and what it is to do now. */
function textFor({ answered, text }: Heard): string {
  return answered ? text : `${text}\nState assumption used instead: [the explicit assumption you are making]`;
}

function sum(a: Usage | undefined, b: Usage): Usage {
  return {
    input_tokens: (a?.input_tokens ?? 0) + b.input_tokens,
    cached_tokens: (a?.cached_tokens ?? 0) + b.cached_tokens,
    output_tokens: (a?.output_tokens ?? 0) + b.output_tokens,
    usd: (a?.usd ?? 0) + b.usd,
  };
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.slice(0, 500) ?? "";
}

function rejectOnAbort(signal: AbortSignal): { readonly promise: Promise<never>; dispose(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  // Whoever races it handles it; with nobody racing, an abort is no unhandled rejection.
  promise.catch(() => undefined);
  const onAbort = (): void =>
    reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return { promise, dispose: () => signal.removeEventListener("abort", onAbort) };
}
