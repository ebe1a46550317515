// Pure: what a run's events say about each role, for those who watch.
import { ROOT_HANDOFF, type InvocationItem, type RunEvent, type RunFinished } from "@firm/protocol";

/** What a handoff is doing; `waiting` until a worker has taken it. */
export type NodeStatus =
  | "waiting"
  | "working"
  | "ok"
  | "partial"
  | "blocked"
  | "failed"
  | "timeout"
  | "cancelled";

/** One handoff, or one question. */
export interface NodeView {
  /** A question's is `ask:<id>`. */
  readonly handoff: string;
  readonly parent: string | undefined;
  readonly role: string;
  readonly status: NodeStatus;
  /** Epoch ms. */
  readonly since: number;
  readonly endedAt: number | undefined;
  readonly deadline: number;
  /** The latest line about it. */
  readonly note: string;
  readonly attempt: number;
  readonly cycle: number;
  /** Of a question: whom it came through, the asked role last. */
  readonly chain: readonly string[];
}

export interface RunView {
  readonly run: string;
  readonly objective: string;
  readonly acceptedAt: number;
  readonly deadline: number;
  /** In the order of their handoffs. */
  readonly nodes: ReadonlyMap<string, NodeView>;
  readonly finished: RunFinished | undefined;
}

export const NO_RUN: RunView = {
  run: "",
  objective: "",
  acceptedAt: 0,
  deadline: 0,
  nodes: new Map(),
  finished: undefined,
};

/** The view after one more event. */
export function withEvent(view: RunView, event: RunEvent): RunView {
  switch (event.type) {
    case "accepted": {
      const accepted = {
        ...view,
        run: event.run,
        objective: event.objective.objective,
        acceptedAt: event.at,
        deadline: event.deadline,
      };
      // A user's question has no CEO above it.
      if (event.kind === "ask") return accepted;
      return withNode(accepted, newNode(ROOT_HANDOFF, undefined, "ceo", event.at, event.deadline, 0));
    }
    case "handoff":
      return withNode(
        view,
        newNode(event.handoff, event.parent, event.contract.to, event.at, event.deadline, event.cycle),
      );
    case "started":
      return changed(view, event.handoff, { status: "working", attempt: event.attempt });
    case "checkpoint":
      return changed(view, event.handoff, event.note === "" ? {} : { note: event.note });
    case "end":
      return changed(view, event.handoff, {
        status: event.status,
        endedAt: event.at,
        note: event.reason ?? event.result?.summary ?? "",
      });
    case "invocations":
      return event.items.reduce(withItem, view);
    case "board":
      return changed(view, ROOT_HANDOFF, { note: `board phase ${event.phase}: ${event.state}` });
    case "finished": {
      const status =
        event.status === "delivered"
          ? event.deliverable?.status === "complete"
            ? "ok"
            : "partial"
          : event.status;
      const ended = changed(view, ROOT_HANDOFF, { status, endedAt: event.at, note: event.reason ?? "" });
      return { ...(event.status === "cancelled" ? allEnded(ended, event.at) : ended), finished: event };
    }
    default:
      return view;
  }
}

/** A question is a node below who asked it. */
function withItem(view: RunView, item: InvocationItem): RunView {
  const handoff = `ask:${item.id}`;
  if (item.state === "asked") {
    const node = newNode(handoff, askerOf(view, item), item.role, item.at, view.deadline, 0);
    return withNode(view, { ...node, status: "working", note: item.question, chain: item.chain });
  }
  if (item.state === "assumed") return view;
  const status = item.outcome === "answered" ? "ok" : item.outcome;
  return changed(view, handoff, { status, endedAt: item.at, note: endNote(item) });
}

/** The open question of who asks, else the handoff it works on; undefined for a user's own question. */
function askerOf(
  view: RunView,
  { chain, handoff }: Extract<InvocationItem, { state: "asked" }>,
): string | undefined {
  const through = chain.slice(0, -1).join("→");
  const open = [...view.nodes.values()].findLast(
    (node) => node.endedAt === undefined && node.chain.length > 0 && node.chain.join("→") === through,
  );
  return open?.handoff ?? view.nodes.get(handoff)?.handoff;
}

/** The line that stands for an end: the key finding of an answer, else the reason. */
export function endNote({ text, reason, outcome }: Extract<InvocationItem, { state: "ended" }>): string {
  if (outcome !== "answered") return reason ?? outcome;
  return /^\W*key finding\W*:\W*(.*)$/im.exec(text ?? "")?.[1] ?? text ?? "";
}

function newNode(
  handoff: string,
  parent: string | undefined,
  role: string,
  at: number,
  deadline: number,
  cycle: number,
): NodeView {
  return {
    handoff,
    parent,
    role,
    status: "waiting",
    since: at,
    endedAt: undefined,
    deadline,
    note: "",
    attempt: 0,
    cycle,
    chain: [],
  };
}

function withNode(view: RunView, node: NodeView): RunView {
  return { ...view, nodes: new Map(view.nodes).set(node.handoff, node) };
}

/** A cancelled run takes everything with it. */
function allEnded(view: RunView, at: number): RunView {
  const open = [...view.nodes.values()].filter(({ endedAt }) => endedAt === undefined);
  return open.reduce((all, { handoff }) => changed(all, handoff, { status: "cancelled", endedAt: at }), view);
}

/** A handoff's end is its one end: nothing changes it afterwards. */
function changed(view: RunView, handoff: string, change: Partial<NodeView>): RunView {
  const node = view.nodes.get(handoff);
  if (node === undefined || node.endedAt !== undefined) return view;
  return withNode(view, { ...node, ...change });
}
