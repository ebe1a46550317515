// What others may use of a run's orchestration.
export type { Decider } from "./decider.ts";
export {
  contractFor,
  defaultDefinitionOfDone,
  objectiveKeyFor,
  planTargets,
  RESOLVE_BLOCKER,
} from "./contract.ts";
export { decide, delegation, workingDeadline } from "./delegation.ts";
export {
  evolve,
  initialDelegation,
  refused,
  type Delegation,
  type DelegationCommand,
  type DelegationSetup,
  type HandoffCommand,
  type Refused,
  type SpawnCommand,
} from "./facts.ts";
export { delivered, type BlockerIteration, type BlockerReport, type ChildOutcome } from "./outcome.ts";
export { condense, type CondenseInput } from "./condense.ts";
export { checkDefinitionOfDone, validated, type DoneCheck } from "./done.ts";
export { draftPullRequest, pullRequestTitle } from "./formats/github-pr.ts";
export { mergeRun, type MergeInput, type MergeOutcome, type RunRefusal } from "./merge.ts";
