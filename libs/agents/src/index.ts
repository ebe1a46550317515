export type * from "./types.ts";
export {
  agentNames,
  isAgentName,
  createAgent,
  readinessOfAll,
  type AgentOptions,
  type Programs,
} from "./registry.ts";
export { runProcess, type RunOptions, type RunResult } from "./process/run.ts";
export { checkPullRequest, REVIEW_LABEL } from "./workspace/pull-request.ts";
export { parseCompany, type Company } from "./company/schema.ts";
export { SAMPLE_COMPANY_YAML } from "./company/sample.ts";
export { ownerOf, type CsuiteRole } from "./company/owners.ts";
export {
  answer as answerQuestion,
  type Answer as QuestionAnswer,
  type AnswerInput as QuestionInput,
  type ExecutiveResponse,
} from "./company/answer.ts";
export type { Colleague } from "./company/figures.ts";
export { boardTopicOf, rolesForTopic } from "./company/topics.ts";
export {
  contribution,
  stanceOf,
  type Contribution as BoardContribution,
  type ContributionInput,
} from "./company/board/contribution.ts";
export { critique, type Critique as BoardCritique } from "./company/board/critique.ts";
export { synthesise, type ActionItem, type Synthesis as BoardSynthesis } from "./company/board/synthesis.ts";
