import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentNames, createAgent, readinessOfAll, type AgentOptions } from "./registry.ts";
import { backendContract } from "./testing/backend-contract.ts";
import { agentInput, eventsOf, resultOf } from "./testing/input.ts";
import { testRepo, type TestFolder } from "./testing/repo.ts";
import { scriptedCalls } from "./testing/scripted.ts";

let folder = "";
let repo: TestFolder;
let script = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "firm-registry-"));
  script = join(folder, "script.json");
  await writeFile(script, "{}");
  repo = await testRepo({ "package.json": '{"name":"x"}', "src/a.ts": "eval(x);\n// TODO: more\n" });
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await repo.remove();
});
const options = (): AgentOptions => ({
  stateDir: join(folder, "state"),
  env: { FIRM_SCRIPTED_FILE: script },
});

backendContract({ name: "playbook", agent: () => createAgent("playbook", options()) });
backendContract({
  name: "playbook on a workspace",
  agent: () => createAgent("playbook", options()),
  input: () => Promise.resolve({ workspace: repo.path }),
});
backendContract({ name: "instant", agent: () => createAgent("instant", options()) });
backendContract({ name: "scripted", agent: () => createAgent("scripted", options()) });

test("users are offered no test agent; an unknown name is refused and says what there is", async () => {
  expect(agentNames()).toEqual(["playbook"]);
  expect(await readinessOfAll(options())).toEqual([
    { name: "playbook", ready: true, detail: expect.stringContaining("no model") },
  ]);
  await expect(createAgent("toString", options())).rejects.toMatchObject({
    code: "invalid-config",
    message: expect.stringContaining("playbook"),
  });
});

describe("the scripted agent", () => {
  test("without a script it is not ready, and says which variable is missing", async () => {
    const agent = await createAgent("scripted", { stateDir: folder, env: {} });
    expect(await agent.readiness()).toMatchObject({
      ready: false,
      detail: expect.stringContaining("FIRM_SCRIPTED_FILE"),
    });
  });

  test("takes one step a call, the last again and again, and notes its calls", async () => {
    const file = join(folder, "steps.json");
    await writeFile(
      file,
      JSON.stringify({
        "employee:implementer": [
          { do: "blocked", by: "department:legal", reason: "licence" },
          { do: "result", result: { summary: "second" } },
        ],
        "*": [{ do: "fail", message: "no" }],
        "department:legal#resolve_blocker": [{ do: "result", result: { summary: "go on" } }],
      }),
    );
    const agent = await createAgent("scripted", { stateDir: folder, env: { FIRM_SCRIPTED_FILE: file } });
    expect(await eventsOf(agent, agentInput())).toMatchObject([
      { type: "blocked", by: "department:legal", reason: "licence" },
    ]);
    expect(await resultOf(agent, agentInput())).toMatchObject({
      summary: "second",
      agent: { name: "scripted" },
    });
    expect(await resultOf(agent, agentInput({ attempt: 2 }))).toMatchObject({ summary: "second" });
    expect(await eventsOf(agent, agentInput({ run: "01JTESTRUN0000000000000001" }))).toMatchObject([
      { type: "blocked" },
    ]);
    await expect(eventsOf(agent, agentInput({ role: "ceo" }))).rejects.toMatchObject({
      code: "agent-failed",
      message: "no",
    });
    const resolving = {
      ...agentInput().contract,
      objective: "resolve_blocker: x is blocked by department:legal: licence",
    };
    expect(
      await resultOf(agent, agentInput({ role: "department:legal", contract: resolving })),
    ).toMatchObject({ summary: "go on" });
    expect((await scriptedCalls(file)).map((call) => `${call.key} ${call.attempt}`)).toEqual([
      "employee:implementer 1",
      "employee:implementer 1",
      "employee:implementer 2",
      "employee:implementer 1",
      "ceo 1",
      "department:legal#resolve_blocker 1",
    ]);
  });

  test("keeps a checkpoint, then hangs until it is stopped", async () => {
    const file = join(folder, "hang.json");
    await writeFile(
      file,
      JSON.stringify({ "*": [{ do: "checkpoint-hang", note: "half", output: "partial text" }] }),
    );
    const agent = await createAgent("scripted", { stateDir: folder, env: { FIRM_SCRIPTED_FILE: file } });
    const controller = new AbortController();
    const seen = [];
    for await (const event of agent.run(agentInput({ signal: controller.signal }))) {
      seen.push(event);
      controller.abort();
    }
    expect(seen).toMatchObject([
      { type: "checkpoint", note: "half", partial: { output: "partial text", status: "partial" } },
    ]);
  });

  test("a script with a step of no known kind is refused by name", async () => {
    const file = join(folder, "bad.json");
    await writeFile(file, JSON.stringify({ "*": [{ do: "dance" }] }));
    const agent = await createAgent("scripted", { stateDir: folder, env: { FIRM_SCRIPTED_FILE: file } });
    await expect(eventsOf(agent, agentInput())).rejects.toMatchObject({
      code: "invalid-input",
      field: "*.0.do",
    });
  });
});
