// Owns `invoke` and `assume`: a question to a C-suite role under rules 1 to 4, wherever it comes from.
// V1 Every invocation is noted once as asked and once as ended: answered, blocked, timeout, cancelled or failed.
// V2 The record of an answer follows the answer: it is stored in the next write of the journal, and a drain waits for it. V3 No chain is read from a worker's own words.
import { randomUUID } from "node:crypto";
import {
  AssumeRequest,
  checkResponse,
  FirmError,
  HEADERS,
  InvokeRequest,
  parseJson,
  sessionKeyOf,
  spans,
  subjects,
  traceparentOf,
  type AskOrder,
  type InvocationItem,
  type InvokeReply,
  type TokenClaims,
} from "@firm/protocol";
import { blockedText, checkBudget, checkInvocation, childDeadline } from "@firm/policy";
import { enforce, type Admitted } from "./admit.ts";
import type { Gateway } from "./deps.ts";
import { traceInvocation } from "./traces.ts";
import type { RunView } from "./view.ts";

/** While nobody serves a role it is asked again after this: its process may be starting, ms. */
const NOBODY_MS = 100;

/** Serves `invoke`: the role's answer, word for word. */
export async function invoke(
  gateway: Gateway,
  { view, claims }: Admitted,
  body: string,
  traceparent: string | undefined,
): Promise<InvokeReply> {
  const { role, question } = parseJson(InvokeRequest, body, "invoke");
  return ask(gateway, view, claims, role, question, traceparent);
}

/**
 * Asks a role on behalf of whoever bears the claims.
 * @throws FirmError with the rule's code and the seed's wording where a rule refuses; else why there is no answer.
 */
export async function ask(
  gateway: Gateway,
  view: RunView,
  claims: TokenClaims,
  role: string,
  question: string,
  traceparent?: string,
): Promise<InvokeReply> {
  const id = randomUUID();
  const chain = [...claims.chain, role];
  const asked: Asked = {
    state: "asked",
    id,
    at: gateway.now(),
    role,
    chain,
    question,
    handoff: claims.handoff,
    phase: claims.phase,
  };
  record(gateway, view, asked);
  try {
    refuse(gateway, view, claims, role);
    const text = await answerOf(gateway, view, claims, { id, chain, role, question });
    ended(gateway, view, asked, { outcome: "answered", text }, traceparent);
    return { invocation: id, role, text };
  } catch (error) {
    ended(gateway, view, asked, outcomeOf(view, error), traceparent);
    throw error;
  }
}

type Asked = Extract<InvocationItem, { state: "asked" }>;
type Ended = Extract<InvocationItem, { state: "ended" }>;

function ended(
  gateway: Gateway,
  view: RunView,
  asked: Asked,
  end: Pick<Ended, "outcome" | "text" | "reason">,
  traceparent: string | undefined,
): void {
  const item: Ended = { state: "ended", id: asked.id, at: gateway.now(), role: asked.role, ...end };
  traceInvocation(gateway.tracing, view, asked, item, traceparent);
  gateway.metrics.invocations.inc({
    role: gateway.executives.has(item.role) ? item.role : "other",
    outcome: item.outcome,
  });
  record(gateway, view, item);
}

function record(gateway: Gateway, view: RunView, item: InvocationItem): void {
  gateway.journal
    .note(view.run, item)
    .catch((error: unknown) =>
      gateway.log.error({ err: error, run: view.run }, "an invocation could not be recorded"),
    );
}

/** The rules, in the gateway and nowhere else. */
function refuse(gateway: Gateway, view: RunView, { path, chain, phase }: TokenClaims, role: string): void {
  const verdict = checkInvocation({ path, chain, role, phase });
  if (!verdict.ok) throw new FirmError(verdict.code, blockedText({ role, reason: verdict.reason }));
  if (chain.length > 0) gateway.metrics.chainDepth.observe(chain.length);
  enforce(
    checkBudget(
      view.objective.budget,
      { ...view.spent, spawns: view.sessions.size - 1, startedAt: view.acceptedAt },
      gateway.now(),
      "invocation",
    ),
  );
}

interface Question {
  readonly id: string;
  readonly chain: readonly string[];
  readonly role: string;
  readonly question: string;
}

/** Asks; an answer that is not well-formed is said again once, with the complaint. */
async function answerOf(
  gateway: Gateway,
  view: RunView,
  claims: TokenClaims,
  { id, chain, role, question }: Question,
): Promise<string> {
  const deadline = childDeadline(claims.deadline, gateway.now());
  const session = sessionKeyOf(view.run, role);
  const next: TokenClaims = { ...claims, chain: [...chain], session, deadline };
  const order: AskOrder = {
    run: view.run,
    invocation: id,
    role,
    question,
    chain: [...chain],
    path: claims.path,
    phase: claims.phase,
    session,
    token: gateway.tokens.sign(next),
    deadline,
  };
  const first = await put(gateway, view, order);
  const { problems } = checkResponse(first, role);
  if (problems.length === 0) return first;
  const second = await put(gateway, view, { ...order, complaint: { text: first, problems: [...problems] } });
  const { problems: still } = checkResponse(second, role);
  if (still.length === 0) return second;
  throw new MalformedAnswer(role, still, second);
}

/** A role answered twice without keeping to the format; the raw text goes into the log. */
class MalformedAnswer extends FirmError {
  readonly raw: string;
  constructor(role: string, problems: readonly string[], raw: string) {
    super("agent-failed", `${role} did not keep to the response format: ${problems.join("; ")}`, {
      hint: "the raw text is in the run's log",
    });
    this.raw = raw;
  }
}

/** One request to whoever serves the role; waits for a process that is still starting. */
async function put(gateway: Gateway, view: RunView, order: AskOrder): Promise<string> {
  const headers = {
    [HEADERS.run]: order.run,
    [HEADERS.chain]: order.chain.join(" → "),
    [HEADERS.deadline]: String(order.deadline),
    [HEADERS.traceparent]: traceparentOf(order.run, spans.invocation(order.run, order.invocation)),
  };
  const signal = gateway.cancels.of(view);
  for (;;) {
    const left = order.deadline - gateway.now();
    if (left <= 0) throw new FirmError("deadline-passed", `${order.role} did not answer by the deadline`);
    try {
      const reply = await gateway.bus.request(subjects.ask(order.role), JSON.stringify(order), {
        headers,
        timeoutMs: left,
        signal,
      });
      return reply.text();
    } catch (error) {
      if (!(error instanceof FirmError) || error.name !== "NoRespondersError") throw error;
      await pause(Math.min(NOBODY_MS, left), signal);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
  signal.throwIfAborted();
}

const BLOCKING: ReadonlySet<string> = new Set([
  "self-invocation",
  "depth-exceeded",
  "circular-call",
  "isolated-phase",
  "unknown-role",
  "budget-spent",
]);

/** How a question ended that has no answer. */
export function outcomeOf(
  view: RunView,
  error: unknown,
): Pick<Extract<InvocationItem, { state: "ended" }>, "outcome" | "reason" | "text"> {
  const reason = error instanceof Error ? error.message : String(error);
  if (view.cancelled) return { outcome: "cancelled", reason };
  if (!(error instanceof FirmError)) return { outcome: "failed", reason };
  if (BLOCKING.has(error.code)) return { outcome: "blocked", reason };
  if (error.code === "deadline-passed" || error.message.startsWith("no answer on"))
    return { outcome: "timeout", reason };
  return { outcome: "failed", reason, ...(error instanceof MalformedAnswer ? { text: error.raw } : {}) };
}

/** Serves `assume`: what the asker goes on with instead of an answer. */
export async function assume(
  gateway: Gateway,
  { view, sender }: Admitted,
  body: string,
): Promise<{ seq: number }> {
  const request = parseJson(AssumeRequest, body, "assume");
  await gateway.journal.note(view.run, {
    state: "assumed",
    id: request.invocation ?? randomUUID(),
    at: gateway.now(),
    role: sender,
    assumption: request.assumption,
  });
  gateway.metrics.assumptions.inc({ role: sender });
  return { seq: view.lastSeq };
}
