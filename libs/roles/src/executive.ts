// Owns how C-suite roles answer and sit on the board: by calculation from company.yaml where the playbook plays them, else by their agent.
import type { AskHandler, WorkHandler } from "@firm/actor";
import { INVOCABLE_ROLES } from "@firm/protocol";
import { agentAsk } from "./agent-ask.ts";
import { companyAsk } from "./company/ask.ts";
import { companyBoard } from "./company/board.ts";
import { CompanyFile } from "./company/file.ts";
import type { RoleContext } from "./role-context.ts";
import { workingHandler } from "./working.ts";

/** The agent that needs no model; executives play it from the company's figures. */
const OFFLINE = "playbook";

/** How a role answers questions; undefined for the mentor, whom nobody may ask. */
export function executiveAsk(context: RoleContext): AskHandler | undefined {
  const { role, agent, stateDir } = context;
  if (!INVOCABLE_ROLES.some((one) => one === role)) return undefined;
  return agent.name === OFFLINE ? companyAsk(role, new CompanyFile(stateDir)) : agentAsk(context);
}

/** What an executive does with work: that of board meetings. */
export function executiveHandler(context: RoleContext): WorkHandler {
  const { role, agent, stateDir } = context;
  return agent.name === OFFLINE ? companyBoard(role, new CompanyFile(stateDir)) : workingHandler(context);
}
