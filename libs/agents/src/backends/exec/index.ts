// Owns the agent that is any program: work as a JSON line on its input, events as JSON lines on its output (docs/agents.md).
//
// E1  A line that is no event ends the work as `agent-failed`, with its number and what is wrong; nothing of it counts.
// E2  The first `result` or `blocked` is the last line that counts; the program's tree is ended after it.
import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { ExecEvent, FirmError, Result, toFirmError, type ExecWork } from "@firm/protocol";
import { openProcess } from "../../process/open.ts";
import type { AgentOptions } from "../../registry.ts";
import type { Agent, AgentEvent, AgentInput } from "../../types.ts";

/** A program of firm.yaml. */
export interface ExecProgram {
  /** File and arguments; no shell reads them. */
  readonly command: readonly string[];
  /** Names of variables of the worker that it may see. */
  readonly env: readonly string[];
}

/** Bytes of output after which a program is ended. */
const MOST_OUTPUT = 64 * 1024 * 1024;

/** The agent of one program. @param name as in firm.yaml, after `exec:` */
export function exec(name: string, program: ExecProgram, { env, stateDir }: AgentOptions): Agent {
  const full = `exec:${name}`;
  const [file = "", ...args] = program.command;
  const own = Object.fromEntries(program.env.map((variable) => [variable, env[variable]]));
  return {
    name: full,
    speaksProtocol: true,
    readiness: async () => {
      const found = await findProgram(file, env.PATH ?? "");
      return found === undefined
        ? {
            ready: false,
            detail: `${file} is not on PATH, or not executable (agents.programs.${name}.command)`,
          }
        : { ready: true, detail: `${[found, ...args].join(" ").slice(0, 200)}` };
    },
    async *run(input): AsyncGenerator<AgentEvent, void, string | undefined> {
      if (input.signal.aborted) return;
      const child = await openProcess(file, args, {
        cwd: input.workspace ?? stateDir,
        env: own,
        signal: input.signal,
        maxOutputBytes: MOST_OUTPUT,
      });
      try {
        child.write(JSON.stringify(workLine(input)));
        let number = 0;
        for await (const line of child.lines) {
          number++;
          if (input.signal.aborted) return;
          // What a flood ends with is cut off.
          if (child.flooded) break;
          if (line.trim() === "") continue;
          const event = eventOf(line, number, full, input);
          const answer = yield event;
          if (event.type === "invocation")
            child.write(JSON.stringify({ type: "answer", role: event.role, text: answer ?? "" }));
          if (event.type === "result" || event.type === "blocked") return;
        }
        if (input.signal.aborted) return;
        throw endedTooEarly(full, await child.end());
      } finally {
        await child.end();
      }
    },
  };
}

function workLine(input: AgentInput): ExecWork {
  const { objectiveKey, deliveryFormat, allowRun, children, history, signal: _, ask, ...rest } = input;
  return {
    type: "work",
    ...rest,
    objective_key: objectiveKey,
    delivery_format: deliveryFormat,
    allow_run: allowRun,
    history: [...history],
    children: [...children],
    ...(ask === undefined
      ? {}
      : {
          ask: {
            question: ask.question,
            chain: [...ask.chain],
            ...(ask.complaint === undefined
              ? {}
              : { complaint: { text: ask.complaint.text, problems: [...ask.complaint.problems] } }),
          },
        }),
  };
}

/** @throws FirmError `agent-failed` for a line that is no event. */
function eventOf(line: string, number: number, agent: string, { objectiveKey }: AgentInput): AgentEvent {
  const parsed = ExecEvent.safeParse(jsonOf(line, number, agent));
  if (!parsed.success) {
    const { message } = toFirmError(parsed.error, "event");
    throw new FirmError(
      "agent-failed",
      `${agent}: line ${number} of its output: ${message}: ${line.slice(0, 200)}`,
    );
  }
  const event = parsed.data;
  /** What the program left out is filled in; the key and the name are not its own to choose. */
  const resultOf = (status: Result["status"], said: object): Result =>
    Result.parse({ summary: "", ...said, status, objective_key: objectiveKey, agent: { name: agent } });
  switch (event.type) {
    case "text":
    case "usage":
    case "invocation":
      return event;
    case "checkpoint":
      return {
        type: "checkpoint",
        note: event.note,
        ...(event.partial === undefined ? {} : { partial: resultOf("partial", event.partial) }),
      };
    case "blocked":
      return {
        type: "blocked",
        by: event.by,
        reason: event.reason,
        ...(event.partial === undefined ? {} : { partial: resultOf("partial", event.partial) }),
      };
    case "result":
      return { type: "result", result: resultOf(event.result.status, event.result) };
  }
}

function jsonOf(line: string, number: number, agent: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new FirmError(
      "agent-failed",
      `${agent}: line ${number} of its output is not JSON: ${line.slice(0, 200)}`,
      { hint: "what is for people goes to stderr", cause },
    );
  }
}

function endedTooEarly(
  agent: string,
  { exitCode, stderr, flooded }: { exitCode: number | undefined; stderr: string; flooded: boolean },
): FirmError {
  if (flooded)
    return new FirmError("agent-failed", `${agent} wrote more than ${MOST_OUTPUT} bytes and was ended`);
  const how = exitCode === undefined ? "was ended by a signal" : `ended with ${exitCode}`;
  const said = stderr.trim().slice(-1_000);
  return new FirmError("agent-failed", `${agent} ${how} without a result${said === "" ? "" : `: ${said}`}`);
}

async function findProgram(file: string, path: string): Promise<string | undefined> {
  const places =
    isAbsolute(file) || file.includes("/")
      ? [file]
      : path.split(delimiter).map((directory) => join(directory, file));
  for (const place of places) {
    const executable = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return place;
  }
  return undefined;
}
