// Holds what the supervisor promises of one process (child.ts C1–C4), of the guardian, of a log and of the lock (lock.ts L1–L3).
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Child, type ChildEvents } from "./child.ts";
import { guarded } from "./guardian.ts";
import { acquireLock, holderOf } from "./lock.ts";
import { LogFile } from "./log-file.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "firm-process-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const childOf = (script: string, events: ChildEvents = {}, graceMs = 5_000): Child =>
  new Child(
    {
      name: "one",
      command: process.execPath,
      args: ["-e", script],
      env: process.env,
      cwd: dir,
      logFile: join(dir, "one.log"),
      stopBy: "sigterm",
      graceMs,
    },
    events,
  );
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("a child", () => {
  it("is a process group of its own (C1)", async () => {
    const child = childOf("setInterval(() => {}, 1000)");
    const group = execFileSync("ps", ["-o", "pgid=", "-p", String(child.pid)])
      .toString()
      .trim();
    expect(Number(group)).toBe(child.pid);
    await child.stop();
  });

  it("starts again after a crash and keeps its last words", async () => {
    const crashed = Promise.withResolvers<string>();
    const again = Promise.withResolvers<number>();
    let starts = 0;
    const child = childOf("console.error('the reason'); process.exit(7)", {
      crashed: (_, how) => crashed.resolve(how),
      started: (_, pid) => void (++starts === 2 && again.resolve(pid)),
    });
    expect(await crashed.promise).toBe("exit code 7");
    expect(await again.promise).toBeGreaterThan(0);
    await child.stop();
    expect(await readFile(join(dir, "one.log"), "utf8")).toContain("the reason");
  });

  it("says why a program does not start at all", async () => {
    const crashed = Promise.withResolvers<string>();
    const child = new Child(
      { ...childSpec(), command: join(dir, "missing") },
      { crashed: (_, how) => crashed.resolve(how) },
    );
    expect(await crashed.promise).toContain("ENOENT");
    await child.stop();
  });

  it("is gone after stop, even where it does not listen (C3)", async () => {
    const killed = Promise.withResolvers<void>();
    const child = childOf(
      "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)",
      {
        killed: () => killed.resolve(),
      },
      300,
    );
    const pid = child.pid ?? 0;
    await until(() => child.lastLines(1)[0] === "up");
    await child.stop();
    await killed.promise;
    expect(isAlive(pid)).toBe(false);
  });

  it("leaves nothing of its group behind when it crashes (C4)", async () => {
    const crashed = Promise.withResolvers<void>();
    const script = `const c = require('node:child_process').spawn('sleep', ['100'], {stdio: 'ignore'});
      console.log(c.pid); setTimeout(() => process.exit(1), 50)`;
    const child = childOf(script, { crashed: () => crashed.resolve() });
    await crashed.promise;
    const grandchild = Number(child.lastLines(9)[0]);
    await child.stop();
    await until(() => !isAlive(grandchild));
  });
});

function childSpec() {
  return {
    name: "one",
    command: process.execPath,
    args: [],
    env: process.env,
    cwd: dir,
    logFile: join(dir, "one.log"),
    stopBy: "sigterm" as const,
    graceMs: 1_000,
  };
}

/** Looks again until it holds; the test's own limit is the end. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("the guardian", () => {
  const start = (script: string) => {
    const { command, args } = guarded(process.execPath, ["-e", script]);
    return spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  };

  it("ends the server at the end of its input", async () => {
    const guardian = start("console.log(process.pid); setInterval(() => {}, 1000)");
    const [line] = await once(guardian.stdout, "data");
    const server = Number(String(line));
    expect(isAlive(server)).toBe(true);
    guardian.stdin.end();
    await once(guardian, "exit");
    expect(isAlive(server)).toBe(false);
  });

  it("ends the server even when the guardian was killed first", async () => {
    const guardian = start("console.log(process.pid); setInterval(() => {}, 1000)");
    const [line] = await once(guardian.stdout, "data");
    guardian.kill("SIGKILL");
    await once(guardian, "exit");
    guardian.stdin.destroy();
    await until(() => !isAlive(Number(String(line))));
  });

  it("takes over the server's exit code", async () => {
    const [code] = await once(start("process.exit(3)"), "exit");
    expect(code).toBe(3);
  });
});

describe("a log", () => {
  it("is bounded, keeps one older file, and is the user's alone", async () => {
    const path = join(dir, "x.log");
    const log = new LogFile(path, 1_000);
    for (let i = 0; i < 100; i++) log.write(`line ${i} ${"x".repeat(90)}\n`);
    log.close();
    expect((await stat(path)).size).toBeLessThanOrEqual(1_000);
    expect((await stat(`${path}.1`)).size).toBeLessThanOrEqual(1_000);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(log.lastLines(1)[0]).toContain("line 99");
  });
});

describe("the lock", () => {
  it("is held by one, and free after release", async () => {
    const file = join(dir, "lock");
    const lock = await acquireLock(file);
    expect(await holderOf(file)).toEqual(lock.content);
    await expect(acquireLock(file)).rejects.toMatchObject({ code: "already-ended" });
    await lock.release();
    expect(await holderOf(file)).toBeUndefined();
    await (await acquireLock(file)).release();
  });

  it("is taken over where its holder is gone, also where the pid lives on as another's (L2)", async () => {
    const file = join(dir, "lock");
    await writeFile(file, JSON.stringify({ pid: process.pid, port: 1, nonce: "n" }));
    await (await acquireLock(file)).release();
    await writeFile(file, "half a lo");
    await (await acquireLock(file)).release();
  });

  it("goes to exactly one of many who find it stale at once (L3)", async () => {
    const file = join(dir, "lock");
    for (let round = 0; round < 20; round++) {
      await writeFile(
        file,
        round % 2 === 0 ? "damaged" : JSON.stringify({ pid: 1, port: 1, nonce: `n${round}` }),
      );
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(file)));
      const held = tries.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(held).toHaveLength(1);
      await Promise.all(held.map((lock) => lock.release()));
      expect(await readdir(dir)).toEqual([]);
    }
  });

  it("is not lost by a holder that is too busy to answer (L2)", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const file = join(dir, "lock");
    await writeFile(file, JSON.stringify({ pid: process.pid, port, nonce: "n" }));
    await expect(acquireLock(file)).rejects.toMatchObject({ code: "already-ended" });
    silent.close();
  });
});
