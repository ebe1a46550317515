export type * from "./types.ts";
export { agentNames, isAgentName, createAgent, readinessOfAll, type AgentOptions } from "./registry.ts";
export { runProcess, type RunOptions, type RunResult } from "./process/run.ts";
export { checkPullRequest, REVIEW_LABEL } from "./workspace/pull-request.ts";
