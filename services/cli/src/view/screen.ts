// Owns the terminal while a run is watched: the live tree where stderr is one, plain lines elsewhere.
import type { LoggedEvent } from "@firm/protocol";
import { createLogUpdate } from "log-update";
import { eventLines } from "./lines.ts";
import { NO_RUN, withEvent, type RunView } from "./run-view.ts";
import { renderTree, spinner } from "./tree.ts";

/** Shows a run. */
export interface Screen {
  event(logged: LoggedEvent): void;
  /** A line of the supervisor's. */
  say(line: string): void;
  /** Leaves the last state on the screen. */
  close(): void;
  readonly view: RunView;
}

export type ScreenMode = "tree" | "lines" | "json" | "quiet";

const FRAME_MS = 100;

/** How to show a run here. Pure but for the stream's nature. */
export function screenMode(
  options: { json?: boolean; quiet?: boolean },
  stream: NodeJS.WriteStream,
): ScreenMode {
  if (options.json === true) return "json";
  if (options.quiet === true) return "quiet";
  return stream.isTTY && process.env.TERM !== "dumb" && process.env.CI === undefined ? "tree" : "lines";
}

export function openScreen(mode: ScreenMode): Screen {
  return mode === "tree" ? treeScreen() : lineScreen(mode);
}

function lineScreen(mode: Exclude<ScreenMode, "tree">): Screen {
  let view = NO_RUN;
  return {
    event: ({ seq, event }) => {
      if (mode === "json") process.stdout.write(`${JSON.stringify({ seq, event })}\n`);
      else if (mode === "lines") {
        for (const line of eventLines(view, event)) process.stderr.write(`${line}\n`);
      }
      view = withEvent(view, event);
    },
    say: (line) => void process.stderr.write(`firm: ${line}\n`),
    close: () => undefined,
    get view() {
      return view;
    },
  };
}

function treeScreen(): Screen {
  let view = NO_RUN;
  const update = createLogUpdate(process.stderr);
  let open = true;
  const draw = (): void => {
    if (!open) return;
    const now = Date.now();
    const width = process.stderr.columns || 80;
    update(
      view.run === ""
        ? `${spinner(now)} starting the firm …`
        : renderTree(view, { now, width: width - 1, color: process.stderr.hasColors() }),
    );
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    event: ({ event }) => {
      view = withEvent(view, event);
    },
    say: (line) => {
      update.clear();
      process.stderr.write(`firm: ${line}\n`);
      draw();
    },
    close: () => {
      if (!open) return;
      clearInterval(timer);
      if (view.run === "") update.clear();
      else draw();
      update.done();
      open = false;
    },
    get view() {
      return view;
    },
  };
}
