// Owns the start of a process that serves one role: its seat in the org chart, its agent, its worker.
import {
  createWorkerMetrics,
  runProcess,
  startActor,
  variableError,
  type AskHandler,
  type ProcessBase,
  type WorkHandler,
} from "@firm/actor";
import { createAgent } from "@firm/agents";
import { orgChartOf } from "@firm/config";
import { FirmError, isExecutive, levelOf, type Role } from "@firm/protocol";
import type { RoleContext } from "./role-context.ts";

/** A service that serves roles of one level. */
export interface RoleService {
  /** Also the level of the roles it serves; `ceo` serves the CEO, `executive` the rest of the C-suite and the mentor. */
  readonly name: "ceo" | "department" | "service" | "employee" | "executive";
  /** What the role does with its work. */
  readonly handler: (context: RoleContext) => WorkHandler;
  /** How the role answers questions; absent or undefined: it is not asked. */
  readonly ask?: (context: RoleContext) => AskHandler | undefined;
}

/** Runs the process until it is told to stop; sets the exit code. */
export function runRole(service: RoleService): Promise<void> {
  return runProcess(service.name, async (base) => {
    const chart = orgChartOf(base.config);
    const role = roleOf(service.name, base);
    if (!isExecutive(role) && !chart.roles.includes(role)) {
      throw new FirmError(
        "invalid-config",
        `FIRM_ROLE: ${role} is not in the org chart: ${chart.roles.join(", ")}`,
        {
          field: "FIRM_ROLE",
        },
      );
    }
    const { agents } = base.config;
    const agent = await createAgent(agents.roles[role] ?? agents.default, {
      stateDir: base.environment.stateDir,
      env: base.environment.variables,
      programs: agents.programs,
    });
    const metrics = createWorkerMetrics(base.metrics.registry);
    const context: RoleContext = {
      role,
      chart,
      config: base.config,
      agent,
      metrics,
      stateDir: base.environment.stateDir,
    };
    return startActor({
      role,
      base,
      metrics,
      work: service.handler(context),
      ask: service.ask?.(context),
    });
  });
}

function roleOf(service: RoleService["name"], { environment }: ProcessBase): Role {
  const { role } = environment;
  if (service === "ceo") {
    if (role === undefined || role === "ceo") return "ceo";
  } else if (role === undefined) {
    throw variableError("FIRM_ROLE", "is not set");
  } else if (levelOf(role) === service || (service === "executive" && isExecutive(role))) {
    return role;
  }
  throw variableError("FIRM_ROLE", `is ${role}, which the ${service} service does not serve`);
}
