// Owns one run of an agent: its events become checkpoints, answers and a valid result, and it ends in time for a partial one to rise.
import type { Agent, AgentEvent, AgentInput } from "@firm/agents";
import { clamp, deadlineSignal, type Work } from "@firm/actor";
import { FirmError, parseWith, Result, type ResultInput, type Role, type Usage } from "@firm/protocol";

/** What the agent is told beyond the work itself. */
export type Briefing = Pick<AgentInput, "children" | "expertise">;

/** How an agent's run ended. */
export type Played =
  | { readonly type: "result"; readonly result: Result }
  /** Stopped before the deadline; `partial` is what it had by then. */
  | { readonly type: "out-of-time"; readonly partial: Result | undefined };

/** Characters of running text kept for a partial result. */
const TEXT_LIMIT = 65_536;

/**
 * ms before a handoff's deadline at which its agent is stopped, so that what it has still reaches the gateway.
 * Well below half of the margin between a child's deadline and its parent's (policy, `childDeadline`).
 */
export function reserveOf(deadline: number, now: number): number {
  return clamp((deadline - now) / 100, 10, 200);
}

/**
 * Runs an agent on the work.
 * @throws FirmError `agent-failed` where it cannot work or gives no valid result; the signal's reason where the work is stopped.
 */
export async function playRole(agent: Agent, role: Role, work: Work, briefing: Briefing): Promise<Played> {
  const { order } = work;
  const now = Date.now();
  const until = deadlineSignal(work.signal, order.deadline - reserveOf(order.deadline, now));
  const run = new AgentRun(agent, work);
  try {
    const input: AgentInput = {
      run: order.run,
      handoff: order.handoff,
      role,
      attempt: work.attempt,
      contract: order.contract,
      objectiveKey: order.objective_key,
      deliveryFormat: order.objective.delivery_format,
      context: order.context.text,
      history: order.history,
      children: briefing.children,
      workspace: order.objective.workspace,
      allowRun: order.objective.allow_run,
      expertise: briefing.expertise,
      deadline: order.deadline - reserveOf(order.deadline, now),
      checkpoint: work.checkpoint,
      signal: until.signal,
    };
    const result = await run.follow(agent.run(input), until.signal);
    return { type: "result", result };
  } catch (error) {
    if (!until.signal.aborted || work.signal.aborted) throw error;
    return { type: "out-of-time", partial: run.partial() };
  } finally {
    until.dispose();
  }
}

/** Follows the events of one run. */
class AgentRun {
  readonly #agent: Agent;
  readonly #work: Work;
  #usage: Usage | undefined;
  #text = "";
  readonly #assumptions: string[] = [];

  constructor(agent: Agent, work: Work) {
    this.#agent = agent;
    this.#work = work;
  }

  async follow(events: ReturnType<Agent["run"]>, signal: AbortSignal): Promise<Result> {
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
        if (event.type === "invocation") answer = await this.#invoke(event.role, event.question);
        else this.#note(event);
      }
    } finally {
      aborted.dispose();
      // An agent that ignores its signal is not waited for; what it does after this is nobody's result.
      void events
        .return()
        .catch((error: unknown) => this.#work.log.debug({ err: error }, "the agent failed after its end"));
    }
  }

  /** What it had when it was stopped; undefined: nothing worth keeping. */
  partial(): Result | undefined {
    const kept = this.#work.checkpoints.latest ?? this.#work.checkpoint;
    if (kept !== undefined) return this.#finish({ ...kept, status: "partial" });
    if (this.#text.trim() === "") return undefined;
    return this.#result({
      status: "partial",
      objective_key: this.#work.order.objective_key,
      summary: "",
      output: this.#text,
    });
  }

  #note(event: Exclude<AgentEvent, { type: "result" | "blocked" | "invocation" }>): void {
    if (event.type === "usage") {
      this.#usage = sum(this.#usage, event.usage);
    } else if (event.type === "text") {
      this.#text = (this.#text + event.text).slice(-TEXT_LIMIT);
      this.#work.checkpoints.save(lastLine(this.#text));
    } else {
      const partial =
        event.partial === undefined ? undefined : this.#result({ ...event.partial, status: "partial" });
      this.#work.checkpoints.save(event.note, partial);
    }
  }

  #blocked(event: Extract<AgentEvent, { type: "blocked" }>): Result {
    return this.#result({
      objective_key: this.#work.order.objective_key,
      summary: event.reason.slice(0, 4_000),
      ...event.partial,
      status: "blocked",
      blocked_by: event.by,
      blocker: event.reason.slice(0, 4_000),
    });
  }

  /** A refusal is an answer too: the agent goes on with a stated assumption (DESIGN, rule 3). */
  async #invoke(role: string, question: string): Promise<string> {
    try {
      const { text } = await this.#work.away(() => this.#work.gateway.invoke(role, question));
      return text;
    } catch (error) {
      this.#work.signal.throwIfAborted();
      if (!(error instanceof FirmError)) throw error;
      this.#assumptions.push(
        `no answer from ${role} to "${question.slice(0, 500)}": ${error.message}`.slice(0, 2_000),
      );
      return error.message;
    }
  }

  /** @throws FirmError `agent-failed` naming the field that is not valid. */
  #result(input: ResultInput): Result {
    return this.#finish(parseWith(Result, input, `the result of ${this.#agent.name}`, "agent-failed"));
  }

  #finish(result: Result): Result {
    return {
      ...result,
      objective_key: this.#work.order.objective_key,
      agent: result.agent ?? { name: this.#agent.name },
      assumptions: [...result.assumptions, ...this.#assumptions].slice(0, 200),
      // What the agent said while it worked is the whole; a result's own figure stands where it said nothing.
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
  }
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
