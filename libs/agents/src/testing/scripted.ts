// Owns an agent that does as a script file says: the behaviours that tests of the system need, crash and hang among them.
// The n-th call of a role within a run takes the n-th step (the last repeats); calls are counted in `<script>.calls`, beside
// the script, so that the count survives the crash of a worker and a test can read who was called, when and with what.
import { Finding, FirmError, parseJson, Result, Role } from "@firm/protocol";
import { appendFile, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import type { AgentOptions } from "../registry.ts";
import type { Agent, AgentEvent, AgentInput } from "../types.ts";

const partial = {
  summary: z.string().default(""),
  output: z.string().default(""),
  findings: z.array(Finding).default([]),
};
const after = { delay_ms: z.number().min(0).default(0) };

/** One behaviour. `delay_ms` is waited first. */
const Step = z.discriminatedUnion("do", [
  /** Ends with a result; fields of a result may be given, the rest is filled in. */
  z.strictObject({
    do: z.literal("result"),
    ...after,
    result: z.record(z.string(), z.unknown()).default({}),
  }),
  z.strictObject({
    do: z.literal("blocked"),
    ...after,
    by: Role.optional(),
    reason: z.string().default("blocked by the script"),
    ...partial,
  }),
  /** Works until it is told to stop. */
  z.strictObject({ do: z.literal("hang"), ...after }),
  /** Keeps a partial output, then hangs. */
  z.strictObject({
    do: z.literal("checkpoint-hang"),
    ...after,
    note: z.string().default("half done"),
    ...partial,
  }),
  /** Throws. */
  z.strictObject({ do: z.literal("fail"), ...after, message: z.string().default("failed by the script") }),
  /** Ends the worker's process as SIGKILL would: nothing is drained. */
  z.strictObject({ do: z.literal("crash"), ...after }),
  /** Ignores the stop, and returns its result after the delay all the same. */
  z.strictObject({ do: z.literal("late"), ...after, result: z.record(z.string(), z.unknown()).default({}) }),
  /** Returns that many bytes of output. */
  z.strictObject({ do: z.literal("large"), ...after, bytes: z.int().positive() }),
  /** Returns what is no result. */
  z.strictObject({ do: z.literal("invalid"), ...after }),
]);
type Step = z.infer<typeof Step>;

/** Steps by role, or by `<role>#resolve_blocker` for its joint sessions; `*` for every role not named. */
export const Script = z.record(z.string(), z.array(Step).min(1));

/** A line of the `.calls` file. */
export const ScriptedCall = z.object({
  run: z.string(),
  key: z.string(),
  handoff: z.string(),
  attempt: z.int(),
  objective: z.string(),
  at: z.number(),
  pid: z.int(),
  /** How many reports from below it was given, how much history. */
  children: z.int(),
  history: z.int(),
});
export type ScriptedCall = z.infer<typeof ScriptedCall>;

/** Variable that names the script file. */
export const SCRIPT_VARIABLE = "FIRM_SCRIPTED_FILE";

/** An agent that follows the script file; without one for a role it answers with a plain result. */
export function scripted(options: AgentOptions): Agent {
  const file = options.env[SCRIPT_VARIABLE];
  return {
    name: "scripted",
    speaksProtocol: true,
    readiness: () =>
      Promise.resolve(
        file === undefined
          ? { ready: false, detail: `${SCRIPT_VARIABLE} is not set` }
          : { ready: true, detail: `follows ${file}` },
      ),
    run: (input) => play(file, input),
  };
}

/** Reads the calls that were made under a script file. */
export async function scriptedCalls(file: string): Promise<ScriptedCall[]> {
  const text = await readFile(`${file}.calls`, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parseJson(ScriptedCall, line, "call"));
}

async function* play(
  file: string | undefined,
  input: AgentInput,
): AsyncGenerator<AgentEvent, void, string | undefined> {
  if (file === undefined)
    throw new FirmError("agent-failed", `the scripted agent has no script: ${SCRIPT_VARIABLE} is not set`);
  const step = await nextStep(file, input);
  const stopped = await pause(step.delay_ms, step.do === "late" ? undefined : input.signal);
  if (stopped) return;
  switch (step.do) {
    case "result":
    case "late":
      yield { type: "result", result: Result.parse({ ...base(input), ...step.result }) };
      return;
    case "blocked": {
      const said = {
        ...base(input),
        status: "blocked" as const,
        summary: step.summary,
        output: step.output,
        findings: step.findings,
      };
      yield { type: "blocked", by: step.by, reason: step.reason, partial: said };
      return;
    }
    case "checkpoint-hang": {
      const said = {
        ...base(input),
        status: "partial" as const,
        summary: step.summary,
        output: step.output,
        findings: step.findings,
      };
      yield { type: "checkpoint", note: step.note, partial: said };
      await pause(Number.POSITIVE_INFINITY, input.signal);
      return;
    }
    case "hang":
      await pause(Number.POSITIVE_INFINITY, input.signal);
      return;
    case "fail":
      throw new FirmError("agent-failed", step.message);
    case "crash":
      process.kill(process.pid, "SIGKILL");
      await pause(Number.POSITIVE_INFINITY, undefined);
      return;
    case "large":
      yield { type: "result", result: { ...base(input), output: "x".repeat(step.bytes) } };
      return;
    case "invalid":
      yield { type: "result", result: { ...base(input), objective_key: "" } };
  }
}

async function nextStep(file: string, input: AgentInput): Promise<Step> {
  const script = parseJson(Script, await readFile(file, "utf8"), "script");
  const joint = `${input.role}#resolve_blocker`;
  const key = input.contract.objective.startsWith("resolve_blocker") ? joint : input.role;
  const steps = script[key] ??
    (key === joint ? undefined : script["*"]) ?? [{ do: "result", delay_ms: 0, result: {} }];
  const earlier = (await scriptedCalls(file)).filter((call) => call.run === input.run && call.key === key);
  const call: ScriptedCall = {
    run: input.run,
    key,
    handoff: input.handoff,
    attempt: input.attempt,
    objective: input.contract.objective.slice(0, 500),
    at: Date.now(),
    pid: process.pid,
    children: input.children.length,
    history: input.history.length,
  };
  await appendFile(`${file}.calls`, `${JSON.stringify(call)}\n`);
  const step = steps[Math.min(earlier.length, steps.length - 1)];
  if (step === undefined) throw new FirmError("agent-failed", `the script has no step for ${key}`);
  return step;
}

function base(input: AgentInput): Result {
  return Result.parse({
    status: "ok",
    objective_key: input.objectiveKey,
    summary: `${input.role} followed the script`,
    output:
      input.ask === undefined
        ? `${input.role}: ${input.contract.definition_of_done}\n\nRisks: none seen.\n\nNext steps: none.`
        : answered(input.role),
    findings: [
      {
        objective_key: `${input.role}-scripted`,
        title: `${input.role} followed the script`,
        severity: "info",
        detail: "A finding with all that a definition of done may ask for.",
        recommendation: "Nothing to do.",
      },
    ],
    agent: { name: "scripted" },
  });
}

/** A well-formed answer. */
function answered(role: string): string {
  return `[RESPONSE:${role}]
Key finding: ${role} followed the script.
Supporting data:
  - The script has no step for this question
  - Nothing was calculated
Confidence: low
Caveat: This is a test.
[/RESPONSE]`;
}

/** @returns true where the signal came first. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted === true) return true;
  if (ms === 0) return false;
  try {
    // A timer holds at most 2^31 ms.
    await delay(Math.min(ms, 2_147_483_647), undefined, signal === undefined ? {} : { signal });
    return false;
  } catch (error) {
    if (signal !== undefined && error instanceof Error && error.name === "AbortError") return true;
    throw error;
  }
}
