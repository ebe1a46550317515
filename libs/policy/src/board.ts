// Pure: in a board meeting the CEO hands to executives, and to nobody else does it hand in phases 2 and 3 (seed: agent-protocol, "Isolation Rules").
import type { Role } from "@firm/protocol";
import { CRITIC_PHASE, ISOLATED_PHASE } from "./isolation.ts";
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

/** A handoff inside a board meeting's phase. */
export interface BoardHandoff {
  /** Whether the run is a board meeting. */
  readonly board: boolean;
  readonly from: string;
  readonly to: Role;
  /** 2 or 3. */
  readonly phase: number;
  /** Roles that sit on this board. */
  readonly participants: readonly Role[];
}

/** Phase 2 goes from the CEO to the meeting's roles, phase 3 from the CEO to the mentor. */
export function checkBoardEdge({ board, from, to, phase, participants }: BoardHandoff): Verdict {
  if (!board)
    return refuse("edge-not-in-org-chart", `phase ${phase} is for board meetings; this run is none`);
  if (from !== "ceo")
    return refuse("edge-not-in-org-chart", `${from} may not hand out work of a board meeting; the ceo does`);
  const may =
    phase === ISOLATED_PHASE
      ? participants.filter((role) => role !== "ceo")
      : phase === CRITIC_PHASE
        ? ["mentor"]
        : [];
  if (may.includes(to)) return ALLOWED;
  return refuse(
    "edge-not-in-org-chart",
    `in board meeting phase ${phase} work goes to ${may.join(", ") || "nobody"}, not to ${to}`,
  );
}

/** Sessions hold what others said: in phases 2 and 3 a role reads and writes none. */
export function checkSessionsInPhase(phase: number): Verdict {
  if (phase !== ISOLATED_PHASE && phase !== CRITIC_PHASE) return ALLOWED;
  return refuse(
    "isolated-phase",
    `no sessions in board meeting phase ${phase}: contributions and critique are independent`,
  );
}
