import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProcess } from "./run.ts";
import { BoundedOutput } from "./output.ts";
import { signalTo } from "./tree.ts";

const node = process.execPath;
const base = { cwd: process.cwd(), timeoutMs: 20_000, graceMs: 200 };

/** A parent that starts a child, prints both ids, says so in the file of its argument, and hangs; `stubborn` ones ignore SIGTERM, `stray` ones leave the group. */
const family = (stubborn: boolean, stray: boolean): string => `
  const { spawn } = require("node:child_process");
  ${stubborn ? 'process.on("SIGTERM", () => {});' : ""}
  const c = spawn(process.execPath, ["-e", ${JSON.stringify(`${stubborn ? 'process.on("SIGTERM", () => {});' : ""}setInterval(() => {}, 1e6); process.send("up")`)}], { stdio: ["ignore", "inherit", "inherit", "ipc"], detached: ${stray} });
  c.on("message", () => { console.log(process.pid + " " + c.pid); require("node:fs").writeFileSync(process.argv[1], "up"); });
  setInterval(() => {}, 1e6);`;

const pidsOf = (text: string): number[] => text.trim().split(/\s+/).map(Number);
const gone = async (pids: number[]): Promise<void> => {
  await expect.poll(() => pids.filter((pid) => signalTo(pid, 0)), { timeout: 10_000 }).toEqual([]);
};

test("gives exit code and both outputs, and the input", async () => {
  const script =
    'process.stdin.on("data", (d) => process.stdout.write(d)).on("end", () => { console.error("e"); process.exitCode = 3; })';
  const result = await runProcess(node, ["-e", script], { ...base, input: "hello" });
  expect(result).toMatchObject({
    exitCode: 3,
    ended: "exit",
    stdout: "hello",
    stderr: "e\n",
    truncated: false,
  });
});

test("starts no shell: arguments are literal", async () => {
  const result = await runProcess(node, ["-p", "process.argv[1]", "$(id); `id` && true"], base);
  expect(result.stdout).toBe("$(id); `id` && true\n");
});

test("the environment is an allow-list", async () => {
  process.env["FIRM_SECRET_FOR_TEST"] = "x";
  const result = await runProcess(node, ["-p", "JSON.stringify(process.env)"], {
    ...base,
    env: { EXTRA: "1" },
  });
  delete process.env["FIRM_SECRET_FOR_TEST"];
  const seen: unknown = JSON.parse(result.stdout);
  expect(seen).toMatchObject({ EXTRA: "1", PATH: process.env["PATH"] });
  expect(seen).not.toHaveProperty("FIRM_SECRET_FOR_TEST");
});

test("a program that is not there is an error that names it", async () => {
  await expect(runProcess("no-such-program", [], base)).rejects.toMatchObject({
    code: "agent-failed",
    message: expect.stringContaining("no-such-program"),
  });
});

test.each([
  [false, false],
  [true, false],
  [false, true],
  [true, true],
])(
  "T1–T3: an abort ends the whole tree (ignores SIGTERM: %s, left the group: %s)",
  async (stubborn, stray) => {
    const folder = await mkdtemp(join(tmpdir(), "firm-tree-"));
    const ready = join(folder, "ready");
    const controller = new AbortController();
    const running = runProcess(node, ["-e", family(stubborn, stray), ready], {
      ...base,
      signal: controller.signal,
    });
    await expect.poll(() => readFile(ready, "utf8").catch(() => ""), { timeout: 15_000 }).not.toBe("");
    controller.abort();
    const result = await running;
    expect(result.ended).toBe("aborted");
    const pids = pidsOf(result.stdout);
    expect(pids).toHaveLength(2);
    await gone(pids);
    await rm(folder, { recursive: true });
  },
  30_000,
);

test("the time limit ends it", async () => {
  const result = await runProcess(node, ["-e", "setInterval(() => {}, 1e6)"], { ...base, timeoutMs: 300 });
  expect(result).toMatchObject({ ended: "timeout", exitCode: undefined });
});

test("an abort before the start starts nothing", async () => {
  const result = await runProcess("no-such-program", [], { ...base, signal: AbortSignal.abort() });
  expect(result.ended).toBe("aborted");
});

test("what a child leaves running ends with it", async () => {
  const script =
    'const c=require("node:child_process").spawn(process.execPath,["-e","setInterval(()=>{},1e6)"],{stdio:"inherit"}); console.log(c.pid); c.unref(); process.exit(0)';
  const result = await runProcess(node, ["-e", script], base);
  expect(result.exitCode).toBe(0);
  await gone(pidsOf(result.stdout));
});

test("output is bounded and keeps beginning and end", async () => {
  const script = 'process.stdout.write("start" + "x".repeat(1e6) + "finish")';
  const result = await runProcess(node, ["-e", script], { ...base, maxOutputBytes: 1_000 });
  expect(result.truncated).toBe(true);
  expect(result.stdout.length).toBeLessThan(1_100);
  expect(result.stdout).toMatch(/^startx+\n… \d+ bytes left out …\nx+finish$/);
});

test("bounded output counts what it drops", () => {
  const output = new BoundedOutput(8);
  for (const part of ["ab", "cd", "efgh", "ijkl"]) output.push(Buffer.from(part));
  expect(output.get()).toEqual({ text: "ab\n… 4 bytes left out …\nghijkl", dropped: 4 });
});

test("children end with a worker that is killed", async () => {
  const module = fileURLToPath(new URL("run.ts", import.meta.url));
  const script = `
    const { runProcess } = await import(${JSON.stringify(module)});
    void runProcess(process.execPath, ["-e", "require('node:fs').writeFileSync(process.argv[1], String(process.pid)); setInterval(()=>{},1e6)", process.argv[1]], { cwd: process.cwd(), timeoutMs: 60000 });
    setInterval(() => {}, 1e6);`;
  const folder = await mkdtemp(join(tmpdir(), "firm-guard-"));
  const file = join(folder, "pid");
  const worker = spawn(node, ["--input-type=module", "-e", script, file], { stdio: "ignore" });
  await expect
    .poll(async () => Number(await readFile(file, "utf8").catch(() => "0")), { timeout: 15_000 })
    .toBeGreaterThan(0);
  const pid = Number(await readFile(file, "utf8"));
  worker.kill("SIGKILL");
  await once(worker, "exit");
  await gone([pid]);
  await rm(folder, { recursive: true });
}, 30_000);
