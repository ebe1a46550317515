// Owns what an employee does with its work: its agent does it; what there is at the deadline rises as partial.
import type { WorkHandler } from "@firm/actor";
import { FirmError } from "@firm/protocol";
import { playRole, type RoleContext } from "@firm/roles";

/** One agent's work, measured. */
export function employeeHandler({ agent, role, chart, metrics }: RoleContext): WorkHandler {
  return async (work) => {
    const began = performance.now();
    try {
      const played = await playRole(agent, role, work, { children: [], expertise: chart.expertiseOf(role) });
      if (played.type === "result") return played.result;
      if (played.partial === undefined)
        throw new FirmError("deadline-passed", `${agent.name} had no output by the deadline`);
      const { partial } = played;
      return {
        ...partial,
        open_items: [...partial.open_items, `${role}: stopped at the deadline, not finished`],
      };
    } finally {
      metrics.agentDuration.observe({ role, agent: agent.name }, (performance.now() - began) / 1_000);
    }
  };
}
