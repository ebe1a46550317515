// Pure: what every format is written from.
import type { Deliverable, Role } from "@firm/protocol";
import type { BlockerReport } from "../outcome.ts";

export interface Report {
  readonly deliverable: Omit<Deliverable, "body">;
  /** Each department's own words, in merge order, duplicates left out. */
  readonly parts: readonly { readonly role: Role; readonly output: string }[];
  /** Escalated ones. */
  readonly blockers: readonly BlockerReport[];
  readonly resolved: readonly BlockerReport[];
}
