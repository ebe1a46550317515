// The promise: however a run is ended, by Ctrl-C, by kill -9, by a crash below it, no process stays and nothing accepted is lost.
import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { readFile } from "node:fs/promises";
import type { RunEvent } from "@firm/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { cliHome, type CliHome } from "../harness/cli.ts";

let home: CliHome;
beforeEach(async () => {
  home = await cliHome();
});
afterEach(() => home.remove());

const works =
  (role: string) =>
  (event: RunEvent): boolean =>
    event.type === "started" && event.role === role;
const hanging = { "employee:auditor": [{ do: "hang" }] };
const State = z.object({
  pid: z.number(),
  processes: z.array(z.object({ name: z.string(), pid: z.number().optional() })),
});

async function pidOf(name: string): Promise<number> {
  const state = State.parse(JSON.parse(await readFile(join(home.dir, ".firm", "supervisor.json"), "utf8")));
  const pid = state.processes.find((one) => one.name === name)?.pid;
  if (pid === undefined) throw new Error(`${name} does not run`);
  return pid;
}

/** The Node that a user's shell finds, which may be an old one. */
function nodeOnPath(): string {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((dir) => !dir.includes("node_modules"));
  return execFileSync("/bin/sh", ["-c", "command -v node"], { env: { PATH: path.join(delimiter) } })
    .toString()
    .trim();
}

describe("Ctrl-C", () => {
  it("cancels the run, down to the leaves, and exits with 4", async () => {
    await home.script(hanging);
    const run = home.start(["run", "Audit", "--json", "--deadline", "120"]);
    await run.event(works("employee:auditor"));
    run.interrupt();
    const { code, stdout } = await run.ended;
    expect(code).toBe(4);
    expect(stdout).toContain('"type":"control"');
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      event: { type: "finished", status: "cancelled" },
    });
    await home.empty();
    expect((await home.run(["runs"])).stdout).toContain("cancelled");
  });

  it("before the run is accepted stops what was started", async () => {
    const run = home.start(["run", "x"]);
    while ((await home.processes()).length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    run.interrupt();
    expect([0, 4]).toContain((await run.ended).code);
    await home.empty();
  });

  it("is one, although the launcher under another Node forwards it", async () => {
    await home.script(hanging);
    const run = home.start(["run", "Audit", "--json", "--deadline", "120"], { node: nodeOnPath() });
    await run.event(works("employee:auditor"));
    run.interrupt();
    expect((await run.ended).code).toBe(4);
    await home.empty();
  });
});

describe("kill -9", () => {
  it.each([
    ["the supervisor", undefined],
    ["the launcher", "launcher"],
  ])("of %s ends all processes; the next firm goes on with the run", async (_, launcher) => {
    await home.script(hanging);
    const run = home.start(
      ["run", "Audit", "--json", "--deadline", "120"],
      launcher === undefined ? {} : { node: nodeOnPath() },
    );
    await run.event(works("employee:auditor"));
    run.kill("SIGKILL");
    await run.ended;
    await home.empty();
    // A launcher that is gone means that the user has left: the run was cancelled. A killed supervisor had no time for that.
    await home.script({});
    const { code } = await home.run(["watch", "-q"]);
    expect([0, 3, 4]).toContain(code);
    await home.empty();
  });

  it("of the supervisor loses nothing: the run goes on where it was", async () => {
    await home.script(hanging);
    const run = home.start(["run", "Audit", "--json", "--deadline", "120"]);
    await run.event(works("employee:auditor"));
    run.kill("SIGKILL");
    await run.ended;
    await home.script({});
    const { code, stdout, stderr } = await home.run(["watch"]);
    expect([code, stdout.split("\n")[0]], stderr).toEqual([0, "# Audit"]);
    await home.empty();
  });

  it.each(["nats-server", "gateway", "department:quality", "employee:auditor"])(
    "of %s: it comes back, and the run delivers",
    async (name) => {
      await home.script({ "employee:auditor": [{ do: "result", delay_ms: 3_000 }] });
      const run = home.start(["run", "Audit", "--json", "--deadline", "90"]);
      await run.event(works("employee:auditor"));
      process.kill(await pidOf(name), "SIGKILL");
      const { code, stderr } = await run.ended;
      expect([code, stderr]).toEqual([0, expect.stringContaining(`${name} ended (signal SIGKILL)`)]);
      await home.empty();
    },
  );
});

it("firm cancel ends a run that another command waits for", async () => {
  await home.script(hanging);
  const run = home.start(["run", "Audit", "--json", "--deadline", "120"]);
  const { event } = await run.event(works("employee:auditor"));
  const cancel = await home.run(["cancel", event.run, "--reason", "wrong repository"]);
  expect([cancel.code, cancel.stderr]).toEqual([0, expect.stringContaining("is cancelled")]);
  const { code, stdout } = await run.ended;
  expect([code, stdout]).toEqual([4, expect.stringContaining("wrong repository")]);
  await home.empty();
});
