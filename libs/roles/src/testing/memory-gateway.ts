// Owns a gateway in memory: it keeps a log of one handoff's children and ends them as a test's script says.
import type { Gateway } from "@firm/actor";
import {
  FirmError,
  HandoffContract,
  handoffIdOf,
  Result,
  type AssumeRequest,
  type CheckpointRequest,
  type CollectReply,
  type LoggedEvent,
  type ResultInput,
  type RunEvent,
  type WorkOrder,
} from "@firm/protocol";

/** What becomes of a child: its result, a typed refusal of the handoff, or nothing until the deadline. */
export type ChildScript = Partial<ResultInput> | FirmError | "silent";

export interface MemoryGateway extends Gateway {
  readonly log: LoggedEvent[];
  readonly checkpoints: CheckpointRequest[];
  /** Contracts in the order they were handed down. */
  readonly contracts: HandoffContract[];
  collects: number;
  /** Questions in the order they were asked. */
  readonly invoked: { role: string; question: string }[];
  readonly assumed: AssumeRequest[];
}

/**
 * @param script by role and cycle, e.g. `department:quality#1`; without a cycle for the first
 * @param log events of an earlier attempt
 * @param answers by C-suite role; every other invocation is blocked
 */
export function memoryGateway(
  order: WorkOrder,
  script: Readonly<Record<string, ChildScript>>,
  log: LoggedEvent[] = [],
  answers: Readonly<Record<string, string>> = {},
): MemoryGateway {
  let news = Promise.withResolvers<void>();
  const base = { run: order.run, at: 1_000 };
  const append = (event: RunEvent): number => {
    const seq = 100 + log.length;
    log.push({ seq, event });
    news.resolve();
    news = Promise.withResolvers();
    return seq;
  };
  const gateway: MemoryGateway = {
    log,
    checkpoints: [],
    contracts: [],
    collects: 0,
    invoked: [],
    assumed: [],
    handoff: async (request) => {
      const contract = HandoffContract.parse(request.contract);
      const { objective_key, cycle = 0 } = request;
      const child = script[cycle === 0 ? contract.to : `${contract.to}#${cycle}`] ?? {};
      if (child instanceof FirmError) throw child;
      gateway.contracts.push(contract);
      const handoff = handoffIdOf(order.run, order.handoff, contract.to, objective_key, cycle);
      const deadline = order.deadline - 100;
      const session = request.session ?? `${order.run}:${contract.to}`;
      const issued = {
        handoff,
        parent: order.handoff,
        contract,
        objective_key,
        cycle,
        session,
        spawned: true,
        deadline,
      };
      const seq = append({ ...base, type: "handoff", ...issued });
      if (child !== "silent") {
        const result = Result.parse({
          status: "ok",
          objective_key,
          summary: `${contract.to} did it`,
          ...child,
        });
        const end = {
          handoff,
          parent: order.handoff,
          role: contract.to,
          attempt: 1,
          status: result.status,
          result,
        };
        setImmediate(() => append({ ...base, at: 1_500, type: "end", ...end }));
      }
      return { handoff, session, spawned: true, spawns_left: 19, deadline, seq };
    },
    collect: async (after, until): Promise<CollectReply> => {
      gateway.collects++;
      for (;;) {
        const events = log.filter(({ seq }) => seq > after);
        const left = until - Date.now();
        if (events.length > 0 || left <= 0) return { events, seq: events.at(-1)?.seq ?? after };
        const timer = Promise.withResolvers<void>();
        const timeout = setTimeout(timer.resolve, left);
        await Promise.race([news.promise, timer.promise]);
        clearTimeout(timeout);
      }
    },
    result: () => Promise.resolve(1),
    checkpoint: async (request) => {
      gateway.checkpoints.push(request);
    },
    claim: () => Promise.resolve({ ended: true, attempt: 2 }),
    spawn: async ({ participants, objective, label }) => {
      const session = `${order.run}:joint:${[...participants].toSorted().join("+")}`;
      const seq = append({
        ...base,
        type: "session",
        session,
        participants,
        objective,
        label,
        by: order.handoff,
      });
      return { session, spawned: true, spawns_left: 18, seq };
    },
    invoke: async (role, question) => {
      gateway.invoked.push({ role, question });
      const text = answers[role];
      if (text === undefined)
        throw new FirmError("depth-exceeded", `[BLOCKED: cannot invoke ${role} — depth]`);
      return { invocation: `i${gateway.invoked.length}`, role, text };
    },
    assume: async (request) => {
      gateway.assumed.push(request);
    },
  };
  return gateway;
}
