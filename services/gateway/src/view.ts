// Pure but for its own argument: what the gateway knows of one run, evolved from the run's log in any order of arrival.
// V1 Applying an event twice changes nothing. V2 The first `end` and the first `finished` stand. V3 A handoff's attempt never falls.
import {
  ROOT_HANDOFF,
  sessionKeyOf,
  type Deliverable,
  type HandoffContract,
  type HandoffEnded,
  type InvocationItem,
  type LoggedEvent,
  type Objective,
  type Result,
  type Role,
  type RunAccepted,
  type RunEvent,
  type RunFinished,
} from "@firm/protocol";

/** One handoff as the gateway sees it. */
export interface HandoffView {
  readonly id: string;
  readonly parent: string;
  readonly role: Role;
  /** Undefined for the root, whose contract follows from the objective. */
  readonly contract: HandoffContract | undefined;
  readonly objectiveKey: string;
  readonly cycle: number;
  readonly session: string;
  readonly deadline: number;
  readonly issuedAt: number;
  readonly cleanup: "keep" | "delete";
  /** Board meeting phase, 0 outside one. */
  readonly phase: number;
  /** Lowest attempt that may still be claimed: a founder's decision fences the work before it. */
  readonly floor: number;
  /** Highest attempt that was claimed or started; 1 at first. */
  attempt: number;
  started: boolean;
  checkpoint: { readonly seq: number; readonly result: Result } | undefined;
  ended: HandoffEnded | undefined;
  endedAt: number | undefined;
}

/** A message or deed in a session. */
export interface SessionView {
  readonly key: string;
  readonly kind: "main" | "role" | "joint";
  readonly participants: readonly string[];
  readonly objective: string;
  readonly createdAt: number;
}

/** One invocation as the gateway sees it. */
export interface InvocationView {
  readonly asked: Extract<InvocationItem, { state: "asked" }> | undefined;
  readonly ended: Extract<InvocationItem, { state: "ended" }> | undefined;
}

/** Where a board meeting is. */
export interface BoardView {
  /** Sequence of the event that says so; tells one decision from the next. */
  readonly seq: number;
  readonly phase: number;
  readonly state: "open" | "awaiting-decision" | "pending-review";
  readonly draft: Deliverable | undefined;
  readonly decideBy: number | undefined;
}

/** One run as the gateway sees it. */
export interface RunView {
  readonly run: string;
  readonly kind: "run" | "board" | "ask";
  readonly objective: Objective;
  readonly acceptedAt: number;
  readonly deadline: number;
  readonly accepted: RunAccepted;
  readonly handoffs: Map<string, HandoffView>;
  /** Events a parent may collect, by parent handoff, rising by sequence. */
  readonly children: Map<string, LoggedEvent[]>;
  readonly sessions: Map<string, SessionView>;
  readonly messages: LoggedEvent[];
  readonly refusals: RunEvent[];
  readonly spent: { usd: number; tokens: number; invocations: number };
  readonly invocations: Map<string, InvocationView>;
  /** What askers went on with instead of answers. */
  readonly assumptions: string[];
  board: BoardView | undefined;
  /** What the founder said last to a board's draft. */
  decision: { readonly verb: string; readonly text: string; readonly at: number } | undefined;
  cancelled: boolean;
  finished: RunFinished | undefined;
  /** Sequences applied. */
  readonly seen: Set<number>;
  lastSeq: number;
}

/** The view that a run begins with. */
export function viewOf(accepted: RunAccepted, seq: number): RunView {
  const view: RunView = {
    run: accepted.run,
    kind: accepted.kind ?? "run",
    objective: accepted.objective,
    acceptedAt: accepted.at,
    deadline: accepted.deadline,
    accepted,
    handoffs: new Map(),
    children: new Map(),
    sessions: new Map(),
    messages: [],
    refusals: [],
    spent: { usd: 0, tokens: 0, invocations: 0 },
    invocations: new Map(),
    assumptions: [],
    board: undefined,
    decision: undefined,
    cancelled: false,
    finished: undefined,
    seen: new Set([seq]),
    lastSeq: seq,
  };
  // A question from outside has no CEO in between: whoever is asked holds the run's root.
  const holder = accepted.kind === "ask" ? (accepted.roles[0] ?? "ceo") : "ceo";
  const session = sessionKeyOf(accepted.run, holder);
  view.handoffs.set(ROOT_HANDOFF, {
    id: ROOT_HANDOFF,
    parent: "",
    role: holder,
    contract: undefined,
    objectiveKey: ROOT_HANDOFF,
    cycle: 0,
    session,
    deadline: accepted.deadline,
    issuedAt: accepted.at,
    cleanup: "keep",
    phase: 0,
    floor: 1,
    attempt: 1,
    started: false,
    checkpoint: undefined,
    ended: undefined,
    endedAt: undefined,
  });
  view.sessions.set(session, {
    key: session,
    kind: "role",
    participants: [holder],
    objective: accepted.objective.objective,
    createdAt: accepted.at,
  });
  return view;
}

/** Applies one event; returns the parent handoff whose collectors have news, if any. */
export function evolveView(view: RunView, seq: number, event: RunEvent): string | undefined {
  if (view.seen.has(seq)) return undefined;
  view.seen.add(seq);
  view.lastSeq = Math.max(view.lastSeq, seq);
  switch (event.type) {
    case "accepted":
      return undefined;
    case "handoff": {
      if (!view.handoffs.has(event.handoff)) {
        view.handoffs.set(event.handoff, {
          id: event.handoff,
          parent: event.parent,
          role: event.contract.to,
          contract: event.contract,
          objectiveKey: event.objective_key,
          cycle: event.cycle,
          session: event.session,
          deadline: event.deadline,
          issuedAt: event.at,
          cleanup: event.cleanup ?? "keep",
          phase: event.phase ?? 0,
          floor: 1,
          attempt: 1,
          started: false,
          checkpoint: undefined,
          ended: undefined,
          endedAt: undefined,
        });
        if (!view.sessions.has(event.session)) {
          view.sessions.set(event.session, {
            key: event.session,
            kind: "role",
            participants: [event.contract.to],
            objective: event.contract.objective,
            createdAt: event.at,
          });
        }
      }
      return news(view, event.parent, seq, event);
    }
    case "started": {
      const handoff = view.handoffs.get(event.handoff);
      if (handoff === undefined) return undefined;
      handoff.started = true;
      handoff.attempt = Math.max(handoff.attempt, event.attempt);
      return undefined;
    }
    case "checkpoint": {
      const handoff = view.handoffs.get(event.handoff);
      if (handoff === undefined || event.result === undefined) return undefined;
      if (handoff.checkpoint === undefined || handoff.checkpoint.seq < seq)
        handoff.checkpoint = { seq, result: event.result };
      return undefined;
    }
    case "end": {
      const handoff = view.handoffs.get(event.handoff);
      if (handoff !== undefined && handoff.ended === undefined) {
        handoff.ended = event;
        handoff.endedAt = event.at;
        spend(view, event);
      }
      return news(view, event.parent, seq, event);
    }
    case "session":
      view.sessions.set(event.session, {
        key: event.session,
        kind: event.participants.length > 1 ? "joint" : "role",
        participants: event.participants,
        objective: event.objective,
        createdAt: event.at,
      });
      return news(view, event.by, seq, event);
    case "message":
      view.messages.push({ seq, event });
      return undefined;
    case "refused":
      view.refusals.push(event);
      return undefined;
    case "control":
      if (event.verb === "cancel") view.cancelled = true;
      else if (event.deadline !== undefined) decided(view, event, event.deadline);
      return undefined;
    case "finished":
      view.finished ??= event;
      return undefined;
    case "invocations":
      for (const item of event.items) noteInvocation(view, item);
      return undefined;
    case "board":
      if (seq > (view.board?.seq ?? 0))
        view.board = {
          seq,
          phase: event.phase,
          state: event.state,
          draft: event.draft ?? view.board?.draft,
          decideBy: event.decide_by,
        };
      return undefined;
    case "late":
      return undefined;
  }
}

function noteInvocation(view: RunView, item: InvocationItem): void {
  const known = view.invocations.get(item.id);
  if (item.state === "asked") {
    view.spent.invocations++;
    view.invocations.set(item.id, { asked: item, ended: known?.ended });
  } else if (item.state === "ended") {
    view.invocations.set(item.id, { asked: known?.asked, ended: known?.ended ?? item });
  } else {
    view.assumptions.push(`${item.role}: ${item.assumption}`);
  }
}

/** The founder has spoken: the CEO works on under a new attempt, with a new deadline. */
function decided(
  view: RunView,
  { verb, reason, at }: Extract<RunEvent, { type: "control" }>,
  deadline: number,
): void {
  view.decision = { verb, text: reason ?? "", at };
  view.board = view.board === undefined ? undefined : { ...view.board, state: "open" };
  const root = view.handoffs.get(ROOT_HANDOFF);
  if (root === undefined) return;
  const attempt = root.attempt + 1;
  view.handoffs.set(ROOT_HANDOFF, { ...root, deadline, attempt, floor: attempt });
}

/** A result's usage is that of its whole subtree: what its children reported is counted already. */
function spend(view: RunView, { handoff, result }: HandoffEnded): void {
  if (result?.usage === undefined) return;
  const own = { usd: result.usage.usd, tokens: result.usage.input_tokens + result.usage.output_tokens };
  for (const child of view.handoffs.values()) {
    const usage = child.parent === handoff ? child.ended?.result?.usage : undefined;
    if (usage === undefined) continue;
    own.usd -= usage.usd;
    own.tokens -= usage.input_tokens + usage.output_tokens;
  }
  view.spent.usd += Math.max(0, own.usd);
  view.spent.tokens += Math.max(0, own.tokens);
}

function news(view: RunView, parent: string, seq: number, event: RunEvent): string {
  let events = view.children.get(parent);
  if (events === undefined) view.children.set(parent, (events = []));
  let at = events.length;
  while (at > 0 && (events[at - 1]?.seq ?? 0) > seq) at--;
  events.splice(at, 0, { seq, event });
  return parent;
}

/** Roles a handoff came through, the CEO first, its own role last. */
export function pathOf(view: RunView, handoffId: string): Role[] {
  const path: Role[] = [];
  for (
    let handoff = view.handoffs.get(handoffId);
    handoff !== undefined;
    handoff = view.handoffs.get(handoff.parent)
  ) {
    path.unshift(handoff.role);
  }
  return path;
}

/** Handoffs that have not ended, the root left out. */
export function openHandoffs(view: RunView): HandoffView[] {
  return [...view.handoffs.values()].filter(
    (handoff) => handoff.ended === undefined && handoff.id !== ROOT_HANDOFF,
  );
}
