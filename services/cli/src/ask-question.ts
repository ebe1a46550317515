// Owns a question from the command line: who asks whom is shown while it is answered, then the answer.
import { text as readAll } from "node:stream/consumers";
import { FirmError, type LoggedEvent, type Role } from "@firm/protocol";
import { askRole, newAskRun, requireInvocable } from "./client/asks.ts";
import { reachFirm, type Firm } from "./client/firm.ts";
import { cancelRun, followRun } from "./client/runs.ts";
import type { AskOptions } from "./commands/ask.ts";
import { print, type Context } from "./commands/context.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { loadConfig } from "./home.ts";
import { takeInterrupts } from "./interrupt.ts";
import { readNamedFile } from "./read-input.ts";
import { chainText } from "./view/chain.ts";
import { openScreen, screenMode } from "./view/screen.ts";

/** Records follow answers; the end of a question's log is not long after its answer, ms. */
const LOG_MS = 5_000;

/** Asks a role. @returns the exit code for its end. */
export async function askQuestion(
  named: string,
  words: string | undefined,
  options: AskOptions,
  context: Context,
): Promise<ExitCode> {
  const role = requireInvocable(named);
  const question = await readQuestion(words, options);
  const deadlineSeconds = await deadlineOf(options, context);
  const interrupts = takeInterrupts();
  const screen = openScreen(screenMode(options, process.stderr));
  const say = (line: string): void => screen.say(line);
  const first: Role[] = [role];
  let firm: Firm | undefined;
  try {
    firm = await reachFirm({
      ...context,
      need: "full",
      first,
      say,
      signal: interrupts.signal,
      ...(options.agent === undefined ? {} : { agent: options.agent }),
    });
    const { bus } = firm;
    const run = newAskRun();
    const events: LoggedEvent[] = [];
    const following = await followRun(bus, run, 1, (logged) => {
      events.push(logged);
      screen.event(logged);
    });
    const answered = askRole(bus, run, { role, question, deadlineSeconds });
    const heard = await Promise.race([
      answered.then(
        (text) => ({ text }),
        (error: unknown) => ({ error }),
      ),
      interrupts.first.then(() => "interrupted" as const),
    ]);
    if (heard === "interrupted") {
      answered.catch(() => undefined);
      say("cancelling the question …");
      await cancelRun(bus, run, "interrupted by the user");
    }
    await within(following.finished, LOG_MS);
    await following.stop();
    screen.close();
    if (heard === "interrupted") return EXIT.cancelled;
    if (options.chain === true && options.json !== true) print(chainText(events.map(({ event }) => event)));
    if ("error" in heard) throw heard.error;
    if (options.json === true) print(JSON.stringify({ run, role, answer: heard.text }));
    else if (options.chain !== true) print(heard.text);
    return EXIT.delivered;
  } catch (error) {
    if (!interrupts.signal.aborted) throw error;
    screen.say("cancelled before the question was asked");
    return EXIT.cancelled;
  } finally {
    screen.close();
    await (interrupts.signal.aborted ? firm?.abort() : firm?.close());
    interrupts.release();
  }
}

async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([promise, new Promise((done) => (timer = setTimeout(done, ms)))]);
  clearTimeout(timer);
}

async function readQuestion(words: string | undefined, { file }: AskOptions): Promise<string> {
  const text =
    file === undefined ? (words === "-" ? await readAll(process.stdin) : words) : await readNamedFile(file);
  if (text !== undefined && text.trim() !== "") return text.trim();
  throw new FirmError("invalid-input", "question must not be empty: say what you want to know", {
    field: "question",
    hint: 'firm ask cfo "What does hiring 5 engineers in Q3 do to runway?"',
  });
}

async function deadlineOf({ deadline }: AskOptions, { paths, global }: Context): Promise<number> {
  if (deadline === undefined) return (await loadConfig(paths, global)).config.limits.deadline_seconds;
  const seconds = Number(deadline);
  if (seconds >= 0.05 && seconds <= 86_400) return seconds;
  throw new FirmError(
    "invalid-input",
    `--deadline: "${deadline}" is not a number of seconds, 0.05 to 86400`,
    {
      field: "--deadline",
    },
  );
}
