// Owns what every delegating role does with its work: hand down, wait without a slot, judge, let its agent condense.
import type { Work, WorkHandler } from "@firm/actor";
import { condense, contractFor, decide, type Delegation, type DelegationSetup } from "@firm/orchestration";
import { FirmError, type Result, type Role } from "@firm/protocol";
import { playRole } from "./agent-run.ts";
import { delegate, type Finish } from "./delegate.ts";
import { judged, reportsOf } from "./reports.ts";
import type { RoleContext } from "./role-context.ts";

/** ms between two partial pictures of a delegating role: each carries what its whole subtree has so far. */
const PICTURE_EVERY = 500;

/** Departments and services: the order goes to every direct report; what they bring is condensed into one result. */
export function delegatingHandler(context: RoleContext): WorkHandler {
  const { role, chart } = context;
  return async (work) => {
    const finish = await handDown(context, work, chart.reportsOf(role));
    return condensed(context, work, finish);
  };
}

/** Hands the work down to `targets` and keeps the partial picture at the gateway, so that it rises if this worker is lost. */
export async function handDown(context: RoleContext, work: Work, targets: readonly Role[]): Promise<Finish> {
  const { role, chart, config } = context;
  const { order } = work;
  const setup: DelegationSetup = {
    self: role,
    order,
    targets,
    allReports: chart.reportsOf(role),
    knownRoles: chart.roles,
    blockerCycles: config.limits.blocker_cycles,
    contractFor: (to) => contractFor(order, to, chart.expertiseOf(to)),
  };
  work.checkpoints.throttle(PICTURE_EVERY);
  const finish = await delegate(work, setup, (state) => {
    work.checkpoints.save(`${state.ends.size} of ${targets.length} reports are in`, () =>
      pictureOf(setup, state),
    );
  });
  return { ...finish, children: judged(finish.children) };
}

/** What would be there if the waiting ended now. */
function pictureOf({ self, order }: DelegationSetup, state: Delegation): Result | undefined {
  if (state.ends.size === 0 && state.checkpoints.size === 0) return undefined;
  const finish = decide(state, Number.POSITIVE_INFINITY).find((command) => command.type === "finish");
  if (finish === undefined) return undefined;
  const { children, blockers } = finish;
  return {
    ...condense({ role: self, objectiveKey: order.objective_key, children, blockers }),
    status: "partial",
  };
}

/** The agent condenses; where it is out of time or cannot, the reports are put together as they are. */
async function condensed(context: RoleContext, work: Work, { children, blockers }: Finish): Promise<Result> {
  const { agent, role, chart, metrics } = context;
  const asTheyAre = condense({ role, objectiveKey: work.order.objective_key, children, blockers });
  // Whom only those above can bring together, an agent here cannot.
  if (asTheyAre.status === "blocked") return asTheyAre;
  const began = performance.now();
  try {
    const played = await playRole(agent, role, work, {
      children: reportsOf(children),
      expertise: chart.expertiseOf(role),
      onError: (code) => metrics.agentErrors.inc({ role, agent: agent.name, code }),
    });
    return played.type === "result" ? withFactsOf(asTheyAre, played.result) : asTheyAre;
  } catch (error) {
    if (!(error instanceof FirmError) || error.code !== "agent-failed") throw error;
    work.log.warn({ err: error }, "the agent could not condense; the reports stand as they are");
    return {
      ...asTheyAre,
      open_items: [...asTheyAre.open_items, `${role}: ${error.message}`.slice(0, 2_000)].slice(0, 500),
    };
  } finally {
    metrics.agentDuration.observe({ role, agent: agent.name }, (performance.now() - began) / 1_000);
  }
}

/** An agent words the result; it cannot undo what happened below: status, quality, assumptions, usage, commits and pull request are facts. */
function withFactsOf(facts: Result, worded: Result): Result {
  const own = worded.usage;
  return {
    ...worded,
    status: facts.status === "ok" ? worded.status : facts.status,
    quality: facts.quality === "partial" ? "partial" : worded.quality,
    unmet: [...new Set([...worded.unmet, ...facts.unmet])],
    open_items: [...new Set([...worded.open_items, ...facts.open_items])].slice(0, 500),
    assumptions: [...new Set([...worded.assumptions, ...facts.assumptions])].slice(0, 200),
    findings: worded.findings.length === 0 ? facts.findings : worded.findings,
    commits: worded.commits.length === 0 ? facts.commits : worded.commits,
    ...(worded.pull_request === undefined && facts.pull_request !== undefined
      ? { pull_request: facts.pull_request }
      : {}),
    usage: {
      input_tokens: (facts.usage?.input_tokens ?? 0) + (own?.input_tokens ?? 0),
      cached_tokens: (facts.usage?.cached_tokens ?? 0) + (own?.cached_tokens ?? 0),
      output_tokens: (facts.usage?.output_tokens ?? 0) + (own?.output_tokens ?? 0),
      usd: (facts.usage?.usd ?? 0) + (own?.usd ?? 0),
    },
  };
}
