// A small real gateway for tests: it does what a delegation asks, logs it, and ends handoffs when the test says so.
import {
  handoffIdOf,
  jointSessionKeyOf,
  parseWith,
  HandoffContract,
  SpawnRequest,
  type LoggedEvent,
  type RunEvent,
} from "@firm/protocol";
import { decide } from "../delegation.ts";
import {
  evolve,
  initialDelegation,
  type Delegation,
  type DelegationCommand,
  type DelegationSetup,
} from "../facts.ts";

type Ended = Extract<RunEvent, { type: "end" }>;
export type Finish = Extract<DelegationCommand, { type: "finish" }>;
export interface OpenHandoff {
  readonly id: string;
  readonly contract: HandoffContract;
  readonly key: string;
  readonly cycle: number;
  readonly session: string;
}

export class TestGateway {
  readonly log: LoggedEvent[] = [];
  readonly open: OpenHandoff[] = [];
  readonly setup: DelegationSetup;

  constructor(setup: DelegationSetup) {
    this.setup = setup;
  }

  /** What a fresh process knows after reading the log. */
  replay(events: readonly LoggedEvent[] = this.log): Delegation {
    return events.reduce(evolve, initialDelegation(this.setup));
  }

  /** Does requests, as often as they come; asking again is the same request. */
  execute(commands: readonly DelegationCommand[]): void {
    const { run, handoff: parent } = this.setup.order;
    for (const command of commands) {
      if (command.type === "spawn") {
        const { participants, objective } = parseWith(SpawnRequest, command.request, "spawn");
        const session = jointSessionKeyOf(run, participants);
        if (!this.log.some(({ event }) => event.type === "session" && event.session === session)) {
          this.append({ run, at: 0, type: "session", session, participants, objective, by: parent });
        }
      } else if (command.type === "handoff") {
        const contract = parseWith(HandoffContract, command.request.contract, "contract");
        const { objective_key: key, cycle = 0, session = `${run}:${contract.to}` } = command.request;
        const id = handoffIdOf(run, parent, contract.to, key, cycle);
        if (this.log.some(({ event }) => event.type === "handoff" && event.handoff === id)) continue;
        this.open.push({ id, contract, key, cycle, session });
        this.append({
          run,
          at: 0,
          type: "handoff",
          handoff: id,
          parent,
          contract,
          objective_key: key,
          cycle,
          session,
          spawned: true,
          deadline: 29_000,
        });
      }
    }
  }

  /** Ends an open handoff; a second end of the same is not open any more. */
  end(
    handoff: OpenHandoff,
    end: Pick<Ended, "status"> & Partial<Pick<Ended, "result" | "reason">>,
    at = 0,
  ): void {
    this.open.splice(this.open.indexOf(handoff), 1);
    const { run, handoff: parent } = this.setup.order;
    this.append({
      run,
      at,
      type: "end",
      handoff: handoff.id,
      parent,
      role: handoff.contract.to,
      attempt: 1,
      ...end,
    });
  }

  append(event: RunEvent): void {
    this.log.push({ seq: this.log.length + 1, event });
  }
}

/** The finish of a decision that must be one. */
export function finishOf(commands: readonly DelegationCommand[]): Finish {
  const last = commands.at(-1);
  if (last?.type !== "finish") throw new Error(`not finished: ${JSON.stringify(commands)}`);
  return last;
}

/** Decides, does, and lets `answer` end one open handoff at a time until the delegation finishes. */
export function runToEnd(gateway: TestGateway, answer: (open: readonly OpenHandoff[]) => void): Finish {
  for (let step = 0; step < 200; step++) {
    const commands = decide(gateway.replay(), 0);
    if (commands.at(-1)?.type === "finish") return finishOf(commands);
    gateway.execute(commands);
    if (gateway.open.length > 0) answer(gateway.open);
  }
  throw new Error("did not end in 200 steps");
}
