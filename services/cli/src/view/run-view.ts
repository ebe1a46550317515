// Pure: what a run's events say about each role, for those who watch.
import { ROOT_HANDOFF, type RunEvent, type RunFinished } from "@firm/protocol";

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

/** One handoff. */
export interface NodeView {
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
    case "accepted":
      return withNode(
        {
          ...view,
          run: event.run,
          objective: event.objective.objective,
          acceptedAt: event.at,
          deadline: event.deadline,
        },
        newNode(ROOT_HANDOFF, undefined, "ceo", event.at, event.deadline, 0),
      );
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
