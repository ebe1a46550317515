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
export { participantsOf, topicOf, type BoardRole } from "./board/topics.ts";
export { Contribution, isConsensus, readContribution, type Position } from "./board/contribution.ts";
export { Critique, readCritique, withoutBleed, type CriticReport } from "./board/critique.ts";
export {
  CHAIR,
  initialMeeting,
  meeting,
  MENTOR,
  noteIssued,
  noteOwn,
  noteRefused,
  type Meeting,
  type MeetingCommand,
  type MeetingOutcome,
  type MeetingSetup,
} from "./board/meeting.ts";
export {
  boardDeliverable,
  decidedDeliverable,
  minutesOf,
  withAddendum,
  type BoardInput,
  type SynthesisInput,
} from "./board/deliverable.ts";
export type { ActionItem, Synthesis } from "./board/minutes.ts";
export {
  BoardDecision,
  decisionDocument,
  decisionSection,
  FOUNDER_VERBS,
  type FounderVerb,
} from "./board/decisions.ts";
export { boardTranscript, CONTRIBUTION_KIND } from "./board/transcript.ts";
export { DO_NOT_RESURFACE, rejectedIn, resurfacedBy } from "./board/resurface.ts";
export { proposalsOf } from "./board/proposal.ts";
