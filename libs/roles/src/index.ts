export { playRole, reserveOf, type Briefing, type Played } from "./agent-run.ts";
export { delegatingHandler, handDown } from "./delegating.ts";
export { endsWork, pursue, type Finish, type Pursuit } from "./delegate.ts";
export type { RoleContext } from "./role-context.ts";
export { runRole, type RoleService } from "./run-role.ts";
