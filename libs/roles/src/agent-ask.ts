// Owns how an agent answers a question: the question as a piece of work of its own, its output as the reply, word for word.
import type { Ask, AskHandler } from "@firm/actor";
import type { AgentInput } from "@firm/agents";
import type { HandoffContract, HistoryEntry } from "@firm/protocol";
import { AgentTurns } from "./agent-turns.ts";
import { ANSWER_FORMAT, INVOKE_OR_ASSUME } from "./instructions.ts";
import { Questions } from "./questions.ts";
import type { RoleContext } from "./role-context.ts";

/** Answers have one key each: nothing is merged by it. */
const KEY = "question";

/** Lets the role's agent answer. */
export function agentAsk({ agent, role, chart, metrics }: RoleContext): AskHandler {
  return async (ask) => {
    const { order, signal } = ask;
    const contract: HandoffContract = {
      from: order.chain.at(-2) ?? "user",
      to: role,
      objective: order.question,
      constraints: [],
      definition_of_done: ANSWER_FORMAT,
      context_ref: "memory:delivery/latest",
      reply_session: "main",
    };
    const before = objections(ask);
    const inputWith = (heard: readonly HistoryEntry[]): AgentInput => ({
      run: order.run,
      handoff: order.invocation,
      role,
      attempt: 1,
      contract,
      objectiveKey: KEY,
      deliveryFormat: "markdown_report",
      context: "",
      history: [...before, ...heard],
      children: [],
      workspace: undefined,
      allowRun: false,
      expertise: chart.expertiseOf(role),
      deadline: order.deadline,
      checkpoint: undefined,
      ask: {
        question: order.question,
        chain: order.chain,
        ...(order.complaint === undefined ? {} : { complaint: order.complaint }),
      },
      instructions: INVOKE_OR_ASSUME,
      signal,
    });
    const turns = new AgentTurns(agent, {
      role,
      objectiveKey: KEY,
      asker: ask,
      questions: new Questions(ask, role, order.invocation),
      trace: ask.trace,
      onError: (code) => metrics.agentErrors.inc({ role, agent: agent.name, code }),
    });
    const began = performance.now();
    try {
      const { output, summary } = await turns.play(inputWith);
      return output === "" ? summary : output;
    } finally {
      metrics.agentDuration.observe({ role, agent: agent.name }, (performance.now() - began) / 1_000);
    }
  };
}

/** What the role said before and what was wrong with it. */
function objections({ order }: Ask): HistoryEntry[] {
  if (order.complaint === undefined) return [];
  const at = Date.now();
  const { text, problems } = order.complaint;
  return [
    { at, from: order.role, kind: "said", text },
    {
      at,
      from: "gateway",
      kind: "complaint",
      text: `Your answer does not keep to the form: ${problems.join("; ")}. Say it again, corrected.`,
    },
  ];
}
