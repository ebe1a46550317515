// The one interface of everything that thinks inside a worker: playbook, CLI, model API, program, person.
import type {
  DeliveryFormat,
  HandoffContract,
  HistoryEntry,
  Result,
  ResultInput,
  Role,
  Usage,
} from "@firm/protocol";

/** A report of a direct subordinate, to be condensed. */
export interface ChildReport {
  readonly role: Role;
  readonly status: string;
  readonly result: Result | undefined;
  readonly reason: string | undefined;
}

/** A question to a C-suite role (seed: agent-protocol). */
export interface AskedQuestion {
  readonly question: string;
  /** Roles it came through, this one last. */
  readonly chain: readonly string[];
  /** What this role answered before, and what is wrong with its form. */
  readonly complaint?: { readonly text: string; readonly problems: readonly string[] };
}

/** All that an agent is told. */
export interface AgentInput {
  readonly run: string;
  readonly handoff: string;
  readonly role: Role;
  readonly attempt: number;
  readonly contract: HandoffContract;
  readonly objectiveKey: string;
  readonly deliveryFormat: DeliveryFormat;
  /** What `context_ref` names. */
  readonly context: string;
  readonly history: readonly HistoryEntry[];
  /** Reports from below; empty for employees. */
  readonly children: readonly ChildReport[];
  /** Absolute path; undefined where the run has none. */
  readonly workspace: string | undefined;
  /** The workspace's own checks may be run. */
  readonly allowRun: boolean;
  readonly expertise: string;
  /** Epoch ms. */
  readonly deadline: number;
  /** Partial output of an earlier attempt. */
  readonly checkpoint: Result | undefined;
  /** Set where it answers a question rather than works on a handoff: the result's `output` is the reply, word for word. */
  readonly ask?: AskedQuestion;
  /** How to work with others here, for agents that read instructions. */
  readonly instructions?: string;
  /** Aborted on cancel, stop and deadline: end all work and every child process. */
  readonly signal: AbortSignal;
}

/** What an agent says while it works; `result` or `blocked` is the last. */
export type AgentEvent =
  | { readonly type: "text"; readonly text: string }
  /** Partial output worth keeping; `note` is one line for those who watch. */
  | { readonly type: "checkpoint"; readonly note: string; readonly partial?: ResultInput }
  | { readonly type: "usage"; readonly usage: Usage }
  /** A question to a C-suite role; the answer comes back through the generator's `next(answer)`. */
  | { readonly type: "invocation"; readonly role: string; readonly question: string }
  | {
      readonly type: "blocked";
      readonly by: Role | undefined;
      readonly reason: string;
      readonly partial?: ResultInput;
    }
  | { readonly type: "result"; readonly result: ResultInput };

/** Whether an agent could work here now, and why not. */
export interface AgentReadiness {
  readonly ready: boolean;
  readonly detail: string;
}

export interface Agent {
  /** As in firm.yaml, e.g. `playbook`. */
  readonly name: string;
  /**
   * The envelopes in its output are its own words: `[INVOKE:role|question]` asks, and it is run again with the answers in
   * its history. Absent: its output is text and nothing else, so an agent that quotes what it reads asks nobody.
   */
  readonly speaksProtocol?: true;
  readiness(): Promise<AgentReadiness>;
  /** Works on one handoff. Throws FirmError `agent-failed` where it cannot. */
  run(input: AgentInput): AsyncGenerator<AgentEvent, void, string | undefined>;
}
