// Owns a board meeting from the command line: followed to its draft, decided on by whoever sits at the terminal, or left for later.
import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "@firm/bus";
import {
  FirmError,
  INVOCABLE_ROLES,
  Objective,
  toFirmError,
  type LoggedEvent,
  type Role,
} from "@firm/protocol";
import {
  followBoard,
  openDraft,
  sayWord,
  type BoardWord,
  type Draft,
  type FollowedBoard,
  type Outcome,
} from "./client/boards.ts";
import { reachFirm, type Firm } from "./client/firm.ts";
import { cancelRun, publishObjective, readRun, resolveRun } from "./client/runs.ts";
import type { BoardOptions } from "./commands/board.ts";
import type { DecideOptions } from "./commands/decide.ts";
import { deliver, print, say, type Context } from "./commands/context.ts";
import { EXIT, exitCodeOf, type ExitCode } from "./exit-codes.ts";
import { takeInterrupts, type Interrupts } from "./interrupt.ts";
import { openScreen, screenMode, type Screen } from "./view/screen.ts";

/** The draft comes by the deadline; after this much more, something is wrong with the gateway, ms. */
const OVERDUE_MS = 30_000;

/** Holds a meeting. @returns 0 decided and complete, 3 the draft waits for its decision. */
export async function holdBoard(
  question: string,
  options: BoardOptions,
  context: Context,
): Promise<ExitCode> {
  const objective = objectiveOf(question, options);
  return atTheFirm(options, context, ["ceo", ...(objective.board?.roles ?? [])], async (meeting) => {
    const { bus } = meeting;
    const { run, deadline } = await publishObjective(bus, objective);
    const followed = await followBoard(bus, run, { fromSeq: 1, after: 0 }, (logged) =>
      meeting.screen.event(logged),
    );
    const outcome = await meeting.wait(run, followed, deadline);
    if (outcome === undefined) return EXIT.cancelled;
    return conclude(meeting, run, outcome, options);
  });
}

/** Decides on a meeting's draft. @returns as `holdBoard`. */
export async function decideBoard(
  named: string,
  word: BoardWord,
  text: string,
  options: DecideOptions,
  context: Context,
): Promise<ExitCode> {
  return atTheFirm(options, context, ["ceo"], async (meeting) => {
    const run = await resolveRun(meeting.bus, named);
    const outcome = await speak(meeting, run, word, text);
    if (outcome === undefined) return EXIT.cancelled;
    return conclude(meeting, run, outcome, options);
  });
}

/** Follows a meeting to its draft or its end; an interrupt leaves it as it is. */
export async function watchBoard(
  { bus, screen, interrupts }: Omit<Meeting, "wait">,
  run: string,
  known: readonly LoggedEvent[],
  options: { json?: boolean; out?: string },
): Promise<ExitCode | 130> {
  const waiting = openDraft(known);
  const after = waiting === undefined ? (known.at(-1)?.seq ?? 0) : 0;
  const followed = await followBoard(bus, run, { fromSeq: 1, after }, (logged) => screen.event(logged));
  const first = await Promise.race([followed.outcome, interrupts.first]);
  await followed.stop();
  screen.close();
  if (typeof first === "string") return INTERRUPTED;
  if (first.type === "draft") {
    const draft = waiting ?? first.draft;
    if (options.json !== true) await deliver(draft.draft, options.out);
    return leave(run, draft);
  }
  const { finished } = first;
  if (finished.deliverable !== undefined && options.json !== true)
    await deliver(finished.deliverable, options.out);
  return finished.status === "delivered" ? EXIT.delivered : exitCodeOf(finished);
}

/** As shells say of a program that an interrupt ended. */
const INTERRUPTED = 130;

/** What a meeting is held with. */
interface Meeting {
  readonly bus: Bus;
  readonly screen: Screen;
  readonly interrupts: Interrupts;
  /** The next draft or the end; undefined where an interrupt cancelled the meeting. */
  wait(run: string, followed: FollowedBoard, deadline: number): Promise<Outcome | undefined>;
}

async function atTheFirm(
  options: { json?: boolean; quiet?: boolean; agent?: string },
  context: Context,
  first: readonly Role[],
  hold: (meeting: Meeting) => Promise<ExitCode>,
): Promise<ExitCode> {
  const interrupts = takeInterrupts();
  const screen = openScreen(screenMode(options, process.stderr));
  let firm: Firm | undefined;
  try {
    firm = await reachFirm({
      ...context,
      need: "full",
      first,
      say: (line) => screen.say(line),
      signal: interrupts.signal,
      ...(options.agent === undefined ? {} : { agent: options.agent }),
    });
    const { bus } = firm;
    return await hold({ bus, screen, interrupts, wait: (...args) => wait(bus, screen, interrupts, ...args) });
  } catch (error) {
    if (!interrupts.signal.aborted) throw error;
    return EXIT.cancelled;
  } finally {
    screen.close();
    await (interrupts.signal.aborted ? firm?.abort() : firm?.close());
    interrupts.release();
  }
}

async function wait(
  bus: Bus,
  screen: Screen,
  interrupts: Interrupts,
  run: string,
  followed: FollowedBoard,
  deadline: number,
): Promise<Outcome | undefined> {
  const over = new AbortController();
  const overdue = sleep(Math.max(0, deadline - Date.now()) + OVERDUE_MS, "overdue" as const, {
    signal: over.signal,
  });
  overdue.catch(() => undefined);
  try {
    const first = await Promise.race([followed.outcome, interrupts.first, overdue]);
    if (first === "overdue")
      throw new FirmError("deadline-passed", `board meeting ${run} has no draft after its deadline`, {
        hint: "look at `firm status` and the logs below .firm/logs",
      });
    if (typeof first !== "string") return first;
    screen.say("cancelling the meeting …");
    await cancelRun(bus, run, "interrupted by the user");
    return undefined;
  } finally {
    over.abort();
    await followed.stop();
  }
}

/** The end, printed; or the draft, decided on here where somebody sits at the terminal. */
async function conclude(
  meeting: Meeting,
  run: string,
  outcome: Outcome,
  options: BoardOptions | DecideOptions,
): Promise<ExitCode> {
  let current = outcome;
  meeting.screen.close();
  for (;;) {
    if (current.type === "end") {
      const { finished } = current;
      if (finished.deliverable !== undefined && (options.json !== true || options.out !== undefined))
        await deliver(finished.deliverable, options.out);
      if (finished.status !== "delivered") return exitCodeOf(finished);
      say(`the minutes are filed: firm show ${run}, and below .firm/board`);
      // Questions that a decided meeting leaves open are part of its minutes.
      return EXIT.delivered;
    }
    const approves = "approve" in options && options.approve === true;
    if (options.json !== true && !approves) print(current.draft.draft.body);
    const spoken = approves
      ? { word: "approve" as const, text: "" }
      : await asked(options, meeting.interrupts);
    if (spoken === undefined) return leave(run, current.draft);
    const next = await speak(meeting, run, spoken.word, spoken.text);
    if (next === undefined) return EXIT.cancelled;
    current = next;
  }
}

/** Says that a draft waits, and how to decide. */
export function leave(run: string, { decideBy }: Draft): ExitCode {
  const until =
    decideBy === undefined
      ? ""
      : ` until ${new Date(decideBy).toISOString()}, later after \`firm decide ${run} resume\``;
  say(`the draft of ${run} awaits your decision${until}`);
  say(`firm decide ${run} approve | reject ["why"] | modify "the correction" | ask "a question"`);
  return EXIT.openItems;
}

/** Says the word and waits for what comes of it; a pending meeting is opened again first. */
async function speak(
  meeting: Meeting,
  run: string,
  word: BoardWord,
  text: string,
): Promise<Outcome | undefined> {
  const { bus, screen } = meeting;
  const after = (await readRun(bus, run)).at(-1)?.seq ?? 0;
  await sayWord(bus, run, word, text);
  const followed = await followBoard(bus, run, { fromSeq: after + 1, after }, (logged) =>
    screen.event(logged),
  );
  return meeting.wait(run, followed, Date.now() + OVERDUE_MS * 4);
}

/** Asks at the terminal; undefined where nobody sits there, or later is soon enough. */
async function asked(
  { json }: { json?: boolean },
  interrupts: Interrupts,
): Promise<{ word: BoardWord; text: string } | undefined> {
  if (json === true || !process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const line = await terminal.question(
        "\nYour decision: approve | reject [why] | modify <correction> | ask <question> | later: ",
        { signal: interrupts.signal },
      );
      const [, verb = "", text = ""] = /^\s*(\w*)\s*([^]*)$/.exec(line) ?? [];
      if (verb === "later" || verb === "") return undefined;
      const word = (["approve", "reject", "modify", "ask"] as const).find(
        (known) => known === verb.toLowerCase(),
      );
      if (word !== undefined && (text.trim() !== "" || word === "approve" || word === "reject"))
        return { word, text: text.trim() };
      process.stderr.write(word === undefined ? `"${verb}" is no decision\n` : `${word} needs a text\n`);
    }
  } finally {
    terminal.close();
  }
}

/** Pure. @throws FirmError `invalid-input` that names the option. */
export function objectiveOf(question: string, options: BoardOptions): Objective {
  const roles = options.roles?.flatMap((names) => names.split(",")).map((name) => name.trim().toLowerCase());
  const unknown = roles?.find((role) => !INVOCABLE_ROLES.some((known) => known === role));
  if (unknown !== undefined)
    throw new FirmError(
      "invalid-input",
      `--roles: there is no role "${unknown}": ${INVOCABLE_ROLES.join(", ")}`,
      {
        field: "board.roles",
      },
    );
  const minutes = options.decisionMinutes === undefined ? undefined : Number(options.decisionMinutes);
  const board = {
    ...(roles === undefined ? {} : { roles }),
    ...(minutes === undefined ? {} : { decision_minutes: minutes }),
  };
  const parsed = Objective.safeParse({
    objective: question,
    kind: "board",
    board,
    ...(options.deadline === undefined ? {} : { deadline_seconds: Number(options.deadline) }),
  });
  if (parsed.success) return parsed.data;
  throw toFirmError(parsed.error, "board");
}
