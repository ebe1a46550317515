// Owns installing nats-server with the distribution's package, where the release archive cannot be reached.
import { execa } from "execa";
import { findProgram } from "./find.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A way to install, as the commands that do it. */
export interface InstallPlan {
  readonly manager: "apt-get" | "brew";
  readonly commands: readonly (readonly [string, ...string[]])[];
}

/** What is known of the machine. */
export interface Machine {
  readonly platform: string;
  readonly root: boolean;
  readonly aptGet: string | undefined;
  readonly sudo: string | undefined;
  readonly brew: string | undefined;
}

/** The commands that install nats-server here; undefined where no package manager can be used. Pure. */
export function installPlan(machine: Machine): InstallPlan | undefined {
  if (machine.platform === "linux" && machine.aptGet !== undefined) {
    const { aptGet } = machine;
    // -n: sudo fails where it would ask for a password.
    const as = machine.root ? [] : machine.sudo === undefined ? undefined : [machine.sudo, "-n"];
    if (as !== undefined) {
      const command = (...args: string[]): [string, ...string[]] => {
        const [program = aptGet, ...rest] = [...as, aptGet, ...args];
        return [program, ...rest];
      };
      return {
        manager: "apt-get",
        commands: [
          command("update", "-qq"),
          command("install", "-y", "-qq", "--no-install-recommends", "nats-server"),
        ],
      };
    }
  }
  return machine.brew === undefined
    ? undefined
    : { manager: "brew", commands: [[machine.brew, "install", "nats-server"]] };
}

/** Looks the machine over. */
export async function inspectMachine(env: Env): Promise<Machine> {
  const [aptGet, sudo, brew] = await Promise.all(
    ["apt-get", "sudo", "brew"].map((name) => findProgram(name, env)),
  );
  return { platform: process.platform, root: process.getuid?.() === 0, aptGet, sudo, brew };
}

/**
 * Runs a plan.
 * @param say told of each command before it runs
 * @returns undefined where it worked, else what went wrong
 */
export async function install(
  plan: InstallPlan,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<string | undefined> {
  for (const [program, ...args] of plan.commands) {
    say(`installing nats-server with ${plan.manager}: ${[program, ...args].join(" ")}`);
    const ran = await execa(program, args, {
      reject: false,
      stdin: "ignore",
      all: true,
      // A mirror that hangs must not hang the user for ever.
      timeout: 300_000,
      env: { DEBIAN_FRONTEND: "noninteractive", HOMEBREW_NO_AUTO_UPDATE: "1" },
      ...(signal === undefined ? {} : { cancelSignal: signal }),
    });
    // A list that could not be refreshed may still be good enough to install from.
    if (ran.exitCode !== 0 && !args.includes("update"))
      return lastLine(ran.all) ?? ran.shortMessage ?? `exit code ${String(ran.exitCode)}`;
  }
  return undefined;
}

function lastLine(text: string | undefined): string | undefined {
  return text?.trim().split("\n").at(-1)?.trim() || undefined;
}
