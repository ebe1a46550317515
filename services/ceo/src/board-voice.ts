// Owns how the CEO speaks in a board meeting: by calculation from company.yaml where the playbook plays it, else by its agent.
import type { Work } from "@firm/actor";
import { critique, synthesise, type BoardContribution } from "@firm/agents";
import { CHAIR, proposalsOf, type Synthesis, type SynthesisInput } from "@firm/orchestration";
import { FirmError, INVOCABLE_ROLES, type Result, type Role } from "@firm/protocol";
import { CompanyFile, contributionOf, executiveAsk, playRole, type RoleContext } from "@firm/roles";

/** The agent that needs no model; the CEO plays it from the company's figures. */
const OFFLINE = "playbook";

export interface BoardVoice {
  /** The CEO's independent contribution; nobody is asked. */
  contribute(work: Work): Promise<Result>;
  /** An answer to the founder. */
  answer(work: Work, role: Role, question: string): Promise<string>;
}

export function boardVoice(context: RoleContext): BoardVoice {
  const file = new CompanyFile(context.stateDir);
  return {
    contribute: async (work) => {
      const { contract, objective_key, cycle } = work.order;
      if (context.agent.name !== OFFLINE) return played(context, work);
      return contributionOf(CHAIR, await file.load(), {
        question: contract.objective,
        objectiveKey: objective_key,
        forceAgainst: cycle > 0,
      });
    },
    answer: async (work, role, question) => {
      try {
        if (role !== CHAIR) return (await work.away(() => work.gateway.invoke(role, question))).text;
        return await ownAnswer(context, work, question);
      } catch (error) {
        work.signal.throwIfAborted();
        // A question without an answer must not cost the founder the draft.
        if (!(error instanceof FirmError) || !UNANSWERED.has(error.code)) throw error;
        return error.message;
      }
    },
  };
}

/** What the founder is told instead of an answer. */
const UNANSWERED: ReadonlySet<string> = new Set([
  "agent-failed",
  "unknown-role",
  "deadline-passed",
  "budget-spent",
  "invalid-input",
  "isolated-phase",
]);

async function played({ agent, role, chart }: RoleContext, work: Work): Promise<Result> {
  const end = await playRole(agent, role, work, { children: [], expertise: chart.expertiseOf(role) });
  if (end.type === "result") return end.result;
  if (end.partial === undefined)
    throw new FirmError("agent-failed", `${agent.name} had no contribution in time`);
  return end.partial;
}

async function ownAnswer(context: RoleContext, work: Work, question: string): Promise<string> {
  const handler = executiveAsk(context);
  if (handler === undefined) throw new FirmError("unknown-role", `${context.role} is not asked questions`);
  const { run, handoff, session, token, deadline } = work.order;
  const { gateway, signal, log } = work;
  const order = {
    run,
    invocation: handoff,
    role: CHAIR,
    question,
    chain: [CHAIR],
    path: [CHAIR],
    phase: 0,
    session,
    token,
    deadline,
  };
  return handler({ order, gateway, signal, log, trace: work.trace, away: (wait) => work.away(wait) });
}

/** Phase 4: themes, conflicts, actions and questions by the offline synthesis; the proposals as the votes are counted. */
export function synthesis({ question, positions, outcome, date }: SynthesisInput): Synthesis {
  const stated = positions.flatMap(({ role, contribution, assumptions }): BoardContribution[] => {
    const known = INVOCABLE_ROLES.find((one) => one === role);
    if (known === undefined || contribution === undefined) return [];
    const { key_points, recommendation, confidence, would_change_my_mind } = contribution;
    return [
      {
        role: known,
        keyPoints: key_points,
        recommendation,
        confidence,
        wouldChangeMyMind: would_change_my_mind,
        assumptions,
      },
    ];
  });
  const found = critique(stated, question);
  const made = synthesise(stated, found, date);
  const risks = (outcome.critic?.critique?.unnamed_risks ?? []).filter(
    (risk) => !made.openQuestions.some((question) => question.includes(risk.replace(/ \([A-Z]+\)$/, ""))),
  );
  return {
    themes: made.themes.map(({ title, text }) => `${title}: ${text}`),
    conflicts: made.conflicts,
    decisions: proposalsOf(question, positions),
    action_items: made.actions.map(({ text, owner, deadline }) => ({ action: text, owner, due: deadline })),
    open_questions: [...new Set([...made.openQuestions, ...risks.map((risk) => `Nobody named: ${risk}`)])],
  };
}
