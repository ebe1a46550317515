// Holds the agent that is any program to the contract of agents, and to E1 and E2.
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ExecWork } from "@firm/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent, isAgentName, readinessOfAll, type Programs } from "../../registry.ts";
import { backendContract } from "../../testing/backend-contract.ts";
import { agentInput, eventsOf, resultOf } from "../../testing/input.ts";
import type { Agent } from "../../types.ts";

const EXAMPLES = resolve(import.meta.dirname, "../../../../../examples/agents");
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "firm-exec-"));
});
afterAll(() => rm(folder, { recursive: true }));

const read = `const lines = require("node:readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (event) => process.stdout.write(JSON.stringify(event) + "\\n");
const next = async () => JSON.parse((await lines.next()).value);`;
const done = `say({ type: "result", result: { summary: "done", output: "Done." } });`;

/** An agent whose program is this script, after its work was read into `work`. */
async function agentOf(script: string, env: string[] = []): Promise<Agent> {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.cjs`);
  await writeFile(file, `${read}\n(async () => { const work = await next(); ${script} })();`);
  return createAgent("exec:test", {
    stateDir: folder,
    env: { PATH: process.env["PATH"], SECRET: "s3cret", OTHER: "o" },
    programs: { test: { command: [process.execPath, file], env } },
  });
}
const failure = async (agent: Agent): Promise<string> => {
  const error: unknown = await eventsOf(agent, agentInput()).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return String(error);
};

backendContract({
  name: "exec",
  agent: () =>
    agentOf(
      `say({ type: "text", text: "hm" }); say({ type: "checkpoint", note: "half", partial: { output: "half" } }); ${done} process.exit();`,
    ),
});

describe("a program that plays a role", () => {
  test("is told all of its work on one line, in its workspace, and what it says comes out as events", async () => {
    const agent = await agentOf(
      `require("node:fs").writeFileSync("seen.json", JSON.stringify(work));
       say({ type: "usage", usage: { input_tokens: 3, output_tokens: 4 } });
       say({ type: "result", result: { status: "partial", summary: "s", output: "o", findings: [{ title: "t", objective_key: "k" }] } }); say({ type: "text", text: "too late" });`,
    );
    const events = await eventsOf(
      agent,
      agentInput({ workspace: folder, history: [{ at: 1, from: "user", kind: "said", text: "hello" }] }),
    );
    expect(events).toMatchObject([
      { type: "usage", usage: { input_tokens: 3, output_tokens: 4, usd: 0 } },
      {
        type: "result",
        result: {
          status: "partial",
          objective_key: "build-a-payment-api",
          agent: { name: "exec:test" },
          findings: [{ title: "t" }],
        },
      },
    ]);
    const seen = ExecWork.parse(JSON.parse(await readFile(join(folder, "seen.json"), "utf8")));
    expect(seen).toMatchObject({
      role: "employee:implementer",
      objective_key: "build-a-payment-api",
      workspace: folder,
      history: [{ text: "hello" }],
    });
  });

  test("asks, and reads the answer from its next line", async () => {
    const agent = await agentOf(
      `say({ type: "invocation", role: "cfo", question: "Runway?" }); const { text } = await next(); say({ type: "result", result: { summary: "s", output: text } });`,
    );
    const events = agent.run(agentInput());
    expect((await events.next()).value).toEqual({ type: "invocation", role: "cfo", question: "Runway?" });
    expect((await events.next("Nine months")).value).toMatchObject({
      type: "result",
      result: { output: "Nine months" },
    });
    await events.return();
  });

  test("sees the variables that firm.yaml names, and no other", async () => {
    const output = (
      await resultOf(
        await agentOf(
          `say({ type: "result", result: { summary: "s", output: [process.env.SECRET, process.env.OTHER].join() } });`,
          ["SECRET"],
        ),
        agentInput(),
      )
    ).output;
    expect(output).toBe("s3cret,");
  });

  test.each([
    [
      "a line that is not JSON",
      `process.stdout.write("Hello!\\n"); ${done}`,
      "line 1 of its output is not JSON: Hello!",
    ],
    [
      "an event that there is not",
      `say({ type: "text", text: "a" }); say({ type: "shout" }); ${done}`,
      "line 2 of its output",
    ],
    ["a wrong field", `say({ type: "result", result: { output: 7 } });`, "result.output"],
    [
      "an end without a result",
      `process.stderr.write("no key\\n"); process.exit(3);`,
      "ended with 3 without a result: no key",
    ],
    ["a crash", `process.kill(process.pid, "SIGKILL");`, "ended by a signal without a result"],
    [
      "a flood",
      `const line = JSON.stringify({ type: "text", text: "x".repeat(1e6) }); for (let i = 0; i < 80; i++) process.stdout.write(line + "\\n");`,
      "wrote more than",
    ],
  ])("%s is a failure that says so", async (_, script, message) => {
    expect(await failure(await agentOf(script))).toContain(message);
  });

  test("a program that is not there is not ready, and cannot be started", async () => {
    const programs: Programs = { gone: { command: ["/nowhere/agent"], env: [] } };
    const options = { stateDir: folder, env: {}, programs };
    expect(isAgentName("exec:gone", programs)).toBe(true);
    expect(isAgentName("exec:toString", programs)).toBe(false);
    expect((await readinessOfAll(options)).at(-1)).toMatchObject({
      name: "exec:gone",
      ready: false,
      detail: expect.stringContaining("agents.programs.gone.command"),
    });
    expect(await failure(await createAgent("exec:gone", options))).toContain("cannot start /nowhere/agent");
  });

  test("ends with its whole tree when it is stopped", async () => {
    const pidFile = join(folder, "child.pid");
    const agent = await agentOf(
      `const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
       require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(child.pid)); say({ type: "text", text: "working" }); setInterval(() => {}, 1000);`,
    );
    const controller = new AbortController();
    const events = agent.run(agentInput({ signal: controller.signal }));
    await events.next();
    const child = Number(await readFile(pidFile, "utf8"));
    controller.abort(new Error("stopped"));
    expect(await events.next()).toEqual({ done: true, value: undefined });
    const isThere = (): boolean => {
      try {
        return process.kill(child, 0);
      } catch {
        return false;
      }
    };
    while (isThere()) await delay(20);
  });
});

describe("the examples", () => {
  const example = (command: string[]): Promise<Agent> =>
    createAgent("exec:example", {
      stateDir: folder,
      env: { PATH: process.env["PATH"] },
      programs: { example: { command, env: [] } },
    });

  test("in shell", async () => {
    const { output } = await resultOf(
      await example(["sh", join(EXAMPLES, "line-count.sh")]),
      agentInput({ workspace: EXAMPLES }),
    );
    expect(output).toMatch(/^The workspace has [1-9]\d* lines\.$/);
  });

  test.skipIf(spawnSync("python3", ["--version"]).status !== 0)("in Python, with a question", async () => {
    const input = agentInput();
    const asking = { ...input, contract: { ...input.contract, objective: "Cut the cost of hosting" } };
    const events = (await example(["python3", join(EXAMPLES, "summarise.py")])).run(asking);
    expect((await events.next()).value).toMatchObject({ type: "checkpoint" });
    expect((await events.next()).value).toMatchObject({ type: "invocation", role: "cfo" });
    expect((await events.next("Not much.")).value).toMatchObject({ type: "usage" });
    expect((await events.next()).value).toMatchObject({
      type: "result",
      result: { output: expect.stringContaining("Not much.") },
    });
    await events.return();
  });
});
