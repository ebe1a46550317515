// What others may use of the rules.
export type { Refusal, Verdict } from "./verdict.ts";
export { checkAttempt } from "./attempt.ts";
export { checkBoardEdge, checkSessionsInPhase, type BoardHandoff } from "./board.ts";
export { checkBudget, isWarning, type Spending, type Spent } from "./budget.ts";
export { checkDeadline, childDeadline } from "./deadline.ts";
export { checkEdge } from "./edges.ts";
export { blockedText, checkInvocation, type Invocation } from "./invocation.ts";
export { MAX_DEPTH } from "./depth.ts";
export { CRITIC_PHASE, ISOLATED_PHASE } from "./isolation.ts";
export { checkPullRequest, REVIEW_LABEL } from "./pull-request.ts";
export { fullBucket, take, type Bucket } from "./rate.ts";
export { checkSender } from "./sender.ts";
export { checkSpawns, type SpawnVerdict } from "./spawn-limit.ts";
