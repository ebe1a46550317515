// Owns refusing an agent's name that names none, before anything starts.
import { FirmError } from "@firm/protocol";

/** @throws FirmError `invalid-input` where there is no such agent. */
export async function requireAgent(name: string, stateDir: string): Promise<void> {
  const { createAgent } = await import("@firm/agents");
  try {
    await createAgent(name, { stateDir, env: process.env });
  } catch (cause) {
    if (!(cause instanceof FirmError)) throw cause;
    throw new FirmError("invalid-input", `--agent: ${cause.message}`, { field: "--agent", cause });
  }
}
