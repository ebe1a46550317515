// Owns how every child is started: no shell, an environment by allow-list, a process group of its own, so that its tree can be
// ended as one; the guard replaces execa's clean-up, which `detached` disables.
import { childEnv, type Env } from "./env.ts";

/** execa's options for a child in `cwd`, with what it needs of the environment beside the allow-list. */
export function isolated(cwd: string, env: Env | undefined) {
  return {
    cwd,
    env: childEnv(process.env, env),
    extendEnv: false,
    shell: false,
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    stdout: "pipe",
    stderr: "pipe",
  } as const;
}
