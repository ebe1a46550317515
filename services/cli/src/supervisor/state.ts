// Owns what the supervisor tells others in files: `.firm/supervisor.json` and `.firm/targets.json`.
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { errnoOf } from "../errors.ts";
import type { FirmPaths } from "../paths.ts";
import { writePrivate } from "./credentials.ts";

const ProcessState = z.object({
  name: z.string(),
  pid: z.int().optional(),
  /** `host:port` of /metrics, /healthz and /readyz. */
  http: z.string().optional(),
  restarts: z.int(),
  /** Crashes in a row; 5 and more are a loop. */
  crashes: z.int(),
  last_exit: z.string().optional(),
});
export type ProcessState = z.infer<typeof ProcessState>;

export const SupervisorState = z.object({
  pid: z.int(),
  started_at: z.number(),
  nats_url: z.string(),
  /** Version and path of the server that the supervisor started; absent where it runs elsewhere. */
  nats_server: z.string().optional(),
  /** Seed file for users; absent where the server asks for no credentials. */
  user_nkey_file: z.string().optional(),
  config_file: z.string().optional(),
  /** Agent that plays all roles by `--agent`. */
  agent: z.string().optional(),
  http: z.string(),
  processes: z.array(ProcessState),
});
export type SupervisorState = z.infer<typeof SupervisorState>;

export async function writeState(paths: FirmPaths, state: SupervisorState): Promise<void> {
  await writePrivate(paths.supervisor, `${JSON.stringify(state, null, 2)}\n`);
  await writePrivate(paths.targets, `${JSON.stringify(targetsOf(state), null, 2)}\n`);
}

/** What the supervisor wrote last; undefined where there is nothing or an older layout. */
export async function readState(paths: FirmPaths): Promise<SupervisorState | undefined> {
  try {
    const parsed = SupervisorState.safeParse(JSON.parse(await readFile(paths.supervisor, "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Prometheus' file_sd: one group for each process that listens. Pure. */
export function targetsOf(state: SupervisorState): { targets: string[]; labels: Record<string, string> }[] {
  const group = (name: string, http: string) => ({ targets: [http], labels: { job: "firm", process: name } });
  return [
    group("supervisor", state.http),
    ...state.processes.flatMap(({ name, http }) => (http === undefined ? [] : [group(name, http)])),
  ];
}
