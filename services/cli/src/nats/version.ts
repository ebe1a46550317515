// Owns asking a nats-server binary for its version, and judging it.
import { FirmError } from "@firm/protocol";
import { execa } from "execa";

/** The oldest server that Firm is tested with: Debian 12's. */
const OLDEST = [2, 9] as const;

/** `2.11.8` of `nats-server: v2.11.8`; undefined where the text names no version. Pure. */
export function versionIn(text: string): string | undefined {
  return /\bv?(\d+\.\d+\.\d+(?:-[\w.]+)?)/.exec(text)?.[1];
}

/** True for a version that has all that Firm needs. Pure. */
export function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** True where `version` is of an older minor line than `other`; patches of one line read each other's stores. Pure. */
export function isOlderLine(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split(".").map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

/**
 * Runs `<path> --version`.
 * @throws FirmError `bus-unavailable` where it does not run, says no version, or is too old.
 */
export async function natsVersionOf(path: string): Promise<string> {
  const ran = await execa(path, ["--version"], {
    reject: false,
    timeout: 10_000,
    stdin: "ignore",
    all: true,
  });
  if (ran.exitCode !== 0) {
    throw new FirmError("bus-unavailable", `${path} does not run: ${ran.shortMessage ?? "unknown reason"}`, {
      hint: "name another nats-server with FIRM_NATS_SERVER",
      cause: ran,
    });
  }
  const version = versionIn(ran.all);
  if (version === undefined || !isSupported(version)) {
    throw new FirmError(
      "bus-unavailable",
      `${path} is nats-server ${version ?? "of unknown version"}; Firm needs ${OLDEST.join(".")} or newer`,
      { hint: "name another nats-server with FIRM_NATS_SERVER" },
    );
  }
  return version;
}
