// Owns finding out at start-up that the server refuses what a process needs: refusals come later than the call that caused them.
import { FirmError } from "@firm/protocol";
import { linkOf } from "./connect.ts";
import type { Bus } from "./types.ts";

/**
 * Runs what subscribes or publishes at start-up and waits until the server has had its say.
 * @throws FirmError `permission-refused`, naming all that was refused.
 */
export async function withPermissionCheck<T>(bus: Bus, start: () => T | Promise<T>): Promise<T> {
  const refusals: string[] = [];
  const off = linkOf(bus).on((status) => {
    if (status.type === "permission-refused") refusals.push(`${status.operation} "${status.subject}"`);
  });
  try {
    const result = await start();
    // The server reads in order: what it refuses, it has refused before it answers this.
    await bus.rtt();
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    if (refusals.length > 0) {
      throw new FirmError(
        "permission-refused",
        `NATS refuses what this process needs: ${refusals.join(", ")}`,
        {
          hint: "the credentials belong to another role, or the server's permissions are older than firm.yaml",
        },
      );
    }
    return result;
  } finally {
    off();
  }
}
