// Pure: which roles an event asks for, and which runs are still going on (seed: firm-orchestration, "Spawn missing sessions per pyramid level").
import { INVOCABLE_ROLES, LEVELS, levelOf, type Role, type RunEvent } from "@firm/protocol";

/** Roles that must run because of this event, top level first. */
export function rolesWantedBy(event: RunEvent): readonly Role[] {
  if (event.type === "accepted") return topFirst(event.roles);
  if (event.type === "handoff") return [event.contract.to];
  if (event.type === "invocations") return askedIn(event);
  return [];
}

/** Who is asked; a word that an agent made up is nobody. */
function askedIn({ items }: Extract<RunEvent, { type: "invocations" }>): readonly Role[] {
  const asked = new Set(items.flatMap((item) => (item.state === "asked" ? [item.role] : [])));
  return INVOCABLE_ROLES.filter((role) => asked.has(role));
}

/** The CEO, then departments, services, employees: what is needed first starts first. */
export function topFirst(roles: readonly Role[]): readonly Role[] {
  const rank = (role: Role): number => {
    if (role === "ceo") return 0;
    const level = levelOf(role);
    return level === undefined ? LEVELS.length + 1 : LEVELS.indexOf(level) + 1;
  };
  return [...roles].toSorted((a, b) => rank(a) - rank(b));
}

/** Runs that are at work: accepted, not finished, and not waiting for a person. */
export class ActiveRuns {
  readonly #runs = new Set<string>();
  #seen = 0;

  note(event: RunEvent): void {
    if (event.type === "finished" || (event.type === "board" && event.state !== "open"))
      this.#runs.delete(event.run);
    else if (event.type === "accepted") this.add(event.run);
    // The founder's word sends a meeting that waited to work again.
    else if (event.type === "control" && event.verb !== "cancel") this.#runs.add(event.run);
  }

  add(run: string): void {
    this.#seen++;
    this.#runs.add(run);
  }

  get size(): number {
    return this.#runs.size;
  }

  /** Runs ever noted. */
  get seen(): number {
    return this.#seen;
  }
}
