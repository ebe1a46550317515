export { playRole, reserveOf, type Briefing, type Played } from "./agent-run.ts";
export { contributionOf, type Motion } from "./company/board.ts";
export { COMPANY_FILE, CompanyFile, type KnownCompany } from "./company/file.ts";
export { delegatingHandler, handDown } from "./delegating.ts";
export { endsWork, pursue, type Finish, type Pursuit } from "./delegate.ts";
export { executiveAsk, executiveHandler } from "./executive.ts";
export type { RoleContext } from "./role-context.ts";
export { runRole, type RoleService } from "./run-role.ts";
export { workingHandler } from "./working.ts";
