// Owns what a role without reports does with its work: its agent does it; what there is at the deadline rises as partial.
import type { WorkHandler } from "@firm/actor";
import { FirmError } from "@firm/protocol";
import { playRole } from "./agent-run.ts";
import type { RoleContext } from "./role-context.ts";

/** One agent's work, measured. */
export function workingHandler({ agent, role, chart, metrics }: RoleContext): WorkHandler {
  return async (work) => {
    const began = performance.now();
    try {
      const played = await playRole(agent, role, work, {
        children: [],
        expertise: chart.expertiseOf(role),
        onError: (code) => metrics.agentErrors.inc({ role, agent: agent.name, code }),
      });
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
