// Owns the inputs that tests give to agents, and the reading of what comes back.
import { FirmError, Result } from "@firm/protocol";
import type { Agent, AgentEvent, AgentInput } from "../types.ts";

/** A valid input; what a test needs different comes over it. */
export function agentInput(over: Partial<AgentInput> = {}): AgentInput {
  const role = over.role ?? "employee:implementer";
  return {
    run: "01JTESTRUN0000000000000000",
    handoff: "handoff-1",
    role,
    attempt: 1,
    contract: {
      from: "service:backend",
      to: role,
      objective: "Build a payment API",
      constraints: [],
      definition_of_done: "A plan with named endpoints and tests",
      context_ref: "memory:delivery/latest",
      reply_session: "main",
    },
    objectiveKey: "build-a-payment-api",
    deliveryFormat: "markdown_report",
    context: "",
    history: [],
    children: [],
    workspace: undefined,
    allowRun: false,
    expertise: "",
    deadline: Date.now() + 20_000,
    checkpoint: undefined,
    signal: AbortSignal.timeout(25_000),
    ...over,
  };
}

/** All events of one run. */
export async function eventsOf(agent: Agent, input: AgentInput): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.run(input)) events.push(event);
  return events;
}

/** The last event, which must be a result. */
export async function resultOf(agent: Agent, input: AgentInput): Promise<Result> {
  const last = (await eventsOf(agent, input)).at(-1);
  if (last?.type !== "result")
    throw new FirmError("agent-failed", `the agent ended with ${last?.type ?? "nothing"}`);
  return Result.parse(last.result);
}
