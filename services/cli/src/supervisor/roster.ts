// Owns the gateway's and the roles' processes: at most one of each here, started when it is wanted.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Role } from "@firm/protocol";
import { join } from "node:path";
import { Child, type ChildEvents } from "./child.ts";
import { topFirst } from "./demand.ts";
import {
  environmentOf,
  fileNameOf,
  httpFileOf,
  serviceOf,
  type Member,
  type MemberSettings,
} from "./services.ts";
import type { ProcessState } from "./state.ts";

const SERVICES = fileURLToPath(new URL("../../../", import.meta.url));
/** A service gives up its own drain after 9 s. */
const GRACE_MS = 10_000;
const READY_MS = 1_000;

/**
 * How every service process starts Node. A small young generation costs little speed here and saves each worker some 14 MiB.
 */
export const NODE_ARGS = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=1"] as const;

export class Roster {
  readonly #settings: MemberSettings;
  readonly #events: ChildEvents;
  readonly #children = new Map<Member, Child>();
  readonly #leaving = new Set<Promise<void>>();
  /** The compile cache is still to be filled. */
  readonly #cold: boolean;
  #closed = false;

  constructor(settings: MemberSettings, events: ChildEvents) {
    this.#settings = settings;
    this.#events = events;
    mkdirSync(settings.paths.http, { recursive: true });
    this.#cold = !existsSync(settings.paths.compileCache);
  }

  /** What an earlier supervisor's processes wrote names ports that are no longer theirs. */
  static async clear(httpDirectory: string): Promise<void> {
    await rm(httpDirectory, { recursive: true, force: true });
    await mkdir(httpDirectory, { recursive: true, mode: 0o700 });
  }

  /** Starts those that do not run yet, top level first. */
  ensure(members: readonly Member[]): void {
    if (this.#closed) return;
    const roles = members.filter((member) => member !== "gateway");
    const ordered: Member[] = [...(members.includes("gateway") ? ["gateway"] : []), ...topFirst(roles)];
    for (const member of ordered) {
      if (!this.#children.has(member)) this.#children.set(member, this.#spawn(member));
    }
  }

  has(member: Member): boolean {
    return this.#children.has(member);
  }

  /** The member's process as it is; undefined while it is not wanted. */
  child(member: Member): Child | undefined {
    return this.#children.get(member);
  }

  /** True once the member says that it can take work. */
  async isReady(member: Member): Promise<boolean> {
    const http = this.#httpOf(member);
    if (http === undefined) return false;
    try {
      return (await fetch(`http://${http}/readyz`, { signal: AbortSignal.timeout(READY_MS) })).ok;
    } catch {
      // It is between two starts.
      return false;
    }
  }

  /** Lets every role's process go; the gateway stays. */
  releaseRoles(): void {
    for (const [member, child] of this.#children) {
      if (member === "gateway") continue;
      this.#children.delete(member);
      const left: Promise<void> = child.stop().finally(() => this.#leaving.delete(left));
      this.#leaving.add(left);
    }
  }

  get roles(): readonly Role[] {
    return [...this.#children.keys()].filter((member) => member !== "gateway");
  }

  states(): ProcessState[] {
    return [...this.#children].map(([member, child]) => stateOf(child, this.#httpOf(member)));
  }

  /** Resolves when all are gone: the roles first, since they ask the gateway while they drain. */
  async stop(): Promise<void> {
    this.#closed = true;
    this.releaseRoles();
    await Promise.all(this.#leaving);
    await this.#children.get("gateway")?.stop();
  }

  #spawn(member: Member): Child {
    const { paths } = this.#settings;
    const service = serviceOf(member);
    const env = environmentOf(member, this.#settings, process.env);
    // Who fills the cache pays for it when it ends, seconds where all do at once: the gateway fills it first, since it
    // shares nearly all its modules with the roles; they add theirs the next time.
    if (this.#cold && member !== "gateway") delete env.NODE_COMPILE_CACHE;
    return new Child(
      {
        name: member,
        command: process.execPath,
        args: [...NODE_ARGS, join(SERVICES, service, "src", "main.ts")],
        env,
        cwd: paths.home,
        logFile: join(paths.logs, `${fileNameOf(member)}.log`),
        stopBy: "sigterm",
        graceMs: GRACE_MS,
      },
      this.#events,
    );
  }

  #httpOf(member: Member): string | undefined {
    try {
      return readFileSync(httpFileOf(this.#settings.paths, member), "utf8").trim();
    } catch {
      // It does not listen yet.
      return undefined;
    }
  }
}

/** A child as the state file shows it. Pure but for the child. */
export function stateOf(child: Child, http: string | undefined): ProcessState {
  return {
    name: child.spec.name,
    ...(child.pid === undefined ? {} : { pid: child.pid }),
    ...(http === undefined ? {} : { http }),
    restarts: child.restarts,
    crashes: child.crashes,
    ...(child.lastExit === undefined ? {} : { last_exit: child.lastExit }),
  };
}
