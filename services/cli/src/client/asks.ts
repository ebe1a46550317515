// Owns a user's question on the bus: asked under a run id of its own, so that it can be watched while it is answered.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "@firm/bus";
import { FirmError, HEADERS, INVOCABLE_ROLES, runIdOf, subjects } from "@firm/protocol";

/** A gateway that starts anew is back within this, ms. */
const START_MS = 15_000;
/** The gateway's own answer at the deadline comes before this is over, ms. */
const LATE_MS = 10_000;

/** A question to a C-suite role. */
export interface UserQuestion {
  readonly role: string;
  readonly question: string;
  readonly deadlineSeconds: number;
}

/** The id under which a question is asked. */
export function newAskRun(): string {
  return runIdOf(Date.now(), randomUUID());
}

/** @throws FirmError `invalid-input` that names the roles there are. */
export function requireInvocable(role: string): string {
  const known = INVOCABLE_ROLES.find((one) => one === role.toLowerCase());
  if (known !== undefined) return known;
  throw new FirmError(
    "invalid-input",
    `"${role}" cannot be asked; ask one of ${INVOCABLE_ROLES.join(", ")}`,
    {
      field: "role",
    },
  );
}

/**
 * Asks. @returns the role's own words
 * @throws FirmError why there is no answer; `bus-unavailable` where no gateway answers.
 */
export async function askRole(bus: Bus, run: string, asked: UserQuestion): Promise<string> {
  const body = JSON.stringify({ question: asked.question, deadline_seconds: asked.deadlineSeconds });
  const headers = { [HEADERS.run]: run };
  const end = Date.now() + START_MS;
  for (;;) {
    try {
      const timeoutMs = asked.deadlineSeconds * 1_000 + LATE_MS;
      return (await bus.request(subjects.invoke(asked.role), body, { headers, timeoutMs })).text();
    } catch (error) {
      // Nobody has heard the question yet: asking again asks it once.
      if (!(error instanceof FirmError) || error.name !== "NoRespondersError" || Date.now() > end)
        throw error;
      await sleep(100);
    }
  }
}
