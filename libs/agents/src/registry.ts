// Owns the names of the agents: name → factory. A backend's code is loaded when it is first asked for, so that a worker holds
// only what it uses.
import { FirmError } from "@firm/protocol";
import type { ExecProgram } from "./backends/exec/index.ts";
import type { Env } from "./process/env.ts";
import type { Agent, AgentReadiness } from "./types.ts";

/** What a factory gets from the process that hosts it. */
export interface AgentOptions {
  /** The firm's own directory, absolute: worktrees and files of runs. */
  readonly stateDir: string;
  /** The worker's environment: keys of model APIs, paths of programs. */
  readonly env: Env;
  /** Programs of firm.yaml, played as `exec:<name>`. */
  readonly programs?: Programs;
}

/** Name → program. */
export type Programs = Readonly<Record<string, ExecProgram>>;

const EXEC = "exec:";

interface Entry {
  readonly load: () => Promise<(options: AgentOptions) => Agent>;
  /** For tests and measurements; not offered to users. */
  readonly testing?: true;
}

const BACKENDS: Readonly<Record<string, Entry>> = {
  playbook: { load: async () => (await import("./backends/playbook/index.ts")).playbook },
  instant: { load: async () => (await import("./testing/instant.ts")).instant, testing: true },
  scripted: { load: async () => (await import("./testing/scripted.ts")).scripted, testing: true },
};

/** Names a user may put into firm.yaml. */
export function agentNames(programs: Programs = {}): readonly string[] {
  const own = Object.entries(BACKENDS).flatMap(([name, entry]) => (entry.testing === true ? [] : [name]));
  return [...own, ...Object.keys(programs).map((name) => EXEC + name)];
}

/** True for a name that `createAgent` knows, those for tests included; loads nothing. */
export function isAgentName(name: string, programs: Programs = {}): boolean {
  return Object.hasOwn(BACKENDS, name) || programOf(name, programs) !== undefined;
}

function programOf(name: string, programs: Programs): ExecProgram | undefined {
  const program = name.startsWith(EXEC) ? name.slice(EXEC.length) : "";
  return Object.hasOwn(programs, program) ? programs[program] : undefined;
}

/**
 * Makes the agent of a name.
 * @throws FirmError `invalid-config` where there is none of that name.
 */
export async function createAgent(name: string, options: AgentOptions): Promise<Agent> {
  const program = programOf(name, options.programs ?? {});
  if (program !== undefined) {
    const { exec } = await import("./backends/exec/index.ts");
    return exec(name.slice(EXEC.length), program, options);
  }
  const entry = Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined;
  if (entry === undefined) {
    throw new FirmError(
      "invalid-config",
      `there is no agent "${name}": ${agentNames(options.programs).join(", ")}`,
      {
        field: "agents",
      },
    );
  }
  return (await entry.load())(options);
}

/** Whether each agent could work here, in the order of the registry. */
export async function readinessOfAll(
  options: AgentOptions,
): Promise<(AgentReadiness & { readonly name: string })[]> {
  return Promise.all(
    agentNames(options.programs).map(async (name) => ({
      name,
      ...(await (await createAgent(name, options)).readiness()),
    })),
  );
}
