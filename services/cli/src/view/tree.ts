// Pure: the run as a tree of roles with state, elapsed time and deadline, for a terminal.
import { styleText } from "node:util";
import stringWidth from "string-width";
import type { NodeStatus, NodeView, RunView } from "./run-view.ts";
import { duration, oneLine } from "./text.ts";

export interface TreeOptions {
  /** Epoch ms. */
  readonly now: number;
  /** Columns of the terminal. */
  readonly width: number;
  readonly color: boolean;
}

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPINNER_MS = 100;

/** The frame of the spinner for a moment. */
export function spinner(now: number): string {
  return SPINNER[Math.floor(now / SPINNER_MS) % SPINNER.length] ?? "…";
}

type Color = "green" | "yellow" | "red" | "cyan" | "gray";
const LOOKS: Readonly<Record<NodeStatus, { mark: string; color: Color }>> = {
  waiting: { mark: "·", color: "gray" },
  working: { mark: "", color: "cyan" },
  ok: { mark: "✔", color: "green" },
  partial: { mark: "◐", color: "yellow" },
  blocked: { mark: "■", color: "yellow" },
  failed: { mark: "✖", color: "red" },
  timeout: { mark: "⏱", color: "red" },
  cancelled: { mark: "⊘", color: "gray" },
};

/** The lines of the tree, each at most `width` wide. */
export function renderTree(view: RunView, options: TreeOptions): string {
  const { now, width, color } = options;
  const paint = (style: Color | "bold" | "dim", text: string): string =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const end = view.finished?.at ?? now;
  const left = view.finished === undefined ? `, ${duration(view.deadline - now)} left` : "";
  const clock = `${duration(end - view.acceptedAt)}${left}`;
  const title = oneLine(view.objective, Math.max(10, width - clock.length - 4));
  const lines = [`${paint("bold", title)}  ${paint("dim", clock)}`];
  const byParent = Map.groupBy(view.nodes.values(), (node) => node.parent);
  const walk = (node: NodeView, lead: string, branch: string, below: string): void => {
    lines.push(line(node, lead + branch, options, paint));
    const children = byParent.get(node.handoff) ?? [];
    for (const [i, child] of children.entries()) {
      const last = i === children.length - 1;
      walk(child, lead + below, last ? "└─ " : "├─ ", last ? "   " : "│  ");
    }
  };
  for (const root of byParent.get(undefined) ?? []) walk(root, "", "", "");
  return lines.join("\n");
}

function line(
  node: NodeView,
  lead: string,
  { now, width }: TreeOptions,
  paint: (style: Color | "bold" | "dim", text: string) => string,
): string {
  const { mark, color } = LOOKS[node.status];
  const shown = node.status === "working" ? spinner(now) : mark;
  const again =
    node.cycle > 0 ? ` (again ${node.cycle})` : node.attempt > 1 ? ` (attempt ${node.attempt})` : "";
  const name = `${node.role}${again}`;
  const time =
    node.endedAt === undefined
      ? `${duration(now - node.since)} of ${duration(node.deadline - node.since)}`
      : duration(node.endedAt - node.since);
  const used = stringWidth(`${lead}${shown} ${name}  ${node.status} ${time}  `);
  const room = width - used;
  const note = room > 8 && node.note !== "" ? `  ${paint("dim", oneLine(node.note, room))}` : "";
  return `${paint("dim", lead)}${paint(color, shown)} ${name}  ${paint(color, node.status)} ${paint("dim", time)}${note}`;
}
