// Owns the order in which nats-server is found or brought: named, PATH, cache, release archive, package, or an error that says how by hand.
import { FirmError } from "@firm/protocol";
import { downloadNatsServer } from "./download.ts";
import { cachedServer, findNatsServer, type NatsBinary } from "./find.ts";
import { install, inspectMachine, installPlan, type Machine } from "./package-manager.ts";
import { NATS_VERSION, releaseFor, type Release } from "./releases.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface ResolveOptions {
  readonly env: Env;
  /** Told what is being done, a line at a time; nothing where the server is already there. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Tests point these elsewhere. */
  readonly release?: Release | undefined;
  readonly machine?: Machine;
  readonly systemDirs?: readonly string[];
  readonly idleMs?: number;
}

/** What to do by hand. */
export const BY_HAND =
  "install it by hand: `apt-get install nats-server`, `brew install nats-server`, or unpack a release of " +
  "https://github.com/nats-io/nats-server/releases and set FIRM_NATS_SERVER to its path; " +
  "or set FIRM_NATS_URL to a server that runs";

/**
 * Finds nats-server, or brings it.
 * @throws FirmError `bus-unavailable` with the way by hand; `invalid-config` where FIRM_NATS_SERVER is wrong.
 */
export async function resolveNatsServer(options: ResolveOptions): Promise<NatsBinary> {
  const { env, say } = options;
  const found = await findNatsServer(env, options.systemDirs);
  if (found !== undefined) return found;

  const failures: string[] = [];
  const base = env.FIRM_NATS_RELEASES_URL;
  const release =
    options.release ??
    (base === undefined || base === ""
      ? releaseFor(process.platform, process.arch)
      : releaseFor(process.platform, process.arch, base));
  if (release === undefined) {
    failures.push(`no release is pinned for ${process.platform} ${process.arch}`);
  } else {
    const path = cachedServer(env);
    say(`nats-server is not on this machine: fetching ${NATS_VERSION} once from ${release.url}`);
    try {
      await downloadNatsServer(release, path, {
        ...(options.signal === undefined ? {} : { signal: options.signal }),
        ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
      });
      return { path, source: "download" };
    } catch (error) {
      if (!(error instanceof FirmError) || options.signal?.aborted === true) throw error;
      say(error.message);
      failures.push(error.message);
    }
  }

  const plan = installPlan(options.machine ?? (await inspectMachine(env)));
  if (plan === undefined) {
    failures.push("there is no package manager that could be used without a password");
  } else {
    const problem = await install(plan, say, options.signal);
    const installed = await findNatsServer(env, options.systemDirs);
    if (installed !== undefined) return { path: installed.path, source: "package manager" };
    failures.push(`${plan.manager} did not install it: ${problem ?? "it is still not on PATH"}`);
  }
  throw new FirmError(
    "bus-unavailable",
    `nats-server is missing and could not be brought: ${failures.join("; ")}`,
    {
      hint: BY_HAND,
    },
  );
}
