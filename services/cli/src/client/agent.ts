// Owns refusing an agent's name that names none, before anything starts.
import { agentNames, isAgentName, type Programs } from "@firm/agents";
import type { FirmConfig } from "@firm/config";
import { FirmError, type ErrorCode } from "@firm/protocol";

/** @throws FirmError `invalid-input` where `--agent` names none. */
export function requireAgent(name: string, { agents }: FirmConfig): void {
  check(name, "--agent", "invalid-input", agents.programs);
}

/** @throws FirmError `invalid-config` where firm.yaml names an agent that there is not. */
export function requireAgents({ agents }: FirmConfig): void {
  check(agents.default, "agents.default", "invalid-config", agents.programs);
  for (const [role, name] of Object.entries(agents.roles))
    check(name, `agents.roles.${role}`, "invalid-config", agents.programs);
}

function check(name: string | undefined, field: string, code: ErrorCode, programs: Programs): void {
  if (name === undefined || isAgentName(name, programs)) return;
  throw new FirmError(code, `${field}: there is no agent "${name}": ${agentNames(programs).join(", ")}`, {
    field,
  });
}
