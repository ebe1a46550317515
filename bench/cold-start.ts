// Owns the measurement of a first start: `firm run` in an empty directory until a department has its work.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod";

const FIRM = resolve(import.meta.dirname, "../services/cli/bin/firm.js");
/** The part of a `--json` event that tells a department's start. */
const Started = z.object({
  event: z.object({ type: z.literal("started"), role: z.string().startsWith("department:") }),
});

/** ms from the start of the process to the first department's `started`; nothing is cached before, nothing runs after. */
export async function coldStart(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "firm-bench-"));
  const began = performance.now();
  const firm = spawn(process.execPath, [FIRM, "run", "Audit", "--json"], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<void>((done) => {
    firm.once("exit", () => done());
  });
  let took = Number.NaN;
  for await (const line of createInterface(firm.stdout)) {
    if (!Number.isNaN(took) || !Started.safeParse(JSON.parse(line)).success) continue;
    took = performance.now() - began;
    firm.kill("SIGINT");
  }
  await exited;
  await rm(directory, { recursive: true, force: true });
  return took;
}
