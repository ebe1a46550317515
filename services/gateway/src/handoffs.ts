// Owns `handoff` and `spawn`: work goes down one edge, once, with the contract checked before dispatch (DESIGN, rules 3, 5, 6, 8).
import {
  FirmError,
  HandoffContract,
  handoffIdOf,
  HandoffRequest,
  HEADERS,
  jointSessionKeyOf,
  parseJson,
  parseWith,
  sessionKeyOf,
  spans,
  SpawnRequest,
  subjects,
  traceparentOf,
  type HandoffReply,
  type HistoryEntry,
  type Role,
  type SpawnReply,
  type WorkOrder,
} from "@firm/protocol";
import { participantsOf } from "@firm/orchestration";
import { checkBoardEdge, checkEdge, childDeadline, CRITIC_PHASE } from "@firm/policy";
import { enforce, enforceBudget, type Admitted } from "./admit.ts";
import { contributionsOf } from "./board-entries.ts";
import type { Gateway } from "./deps.ts";
import { historyOf } from "./history.ts";
import { pathOf, type HandoffView, type RunView } from "./view.ts";

/** What a handoff needs besides its contract. */
export interface Delegation {
  readonly contract: HandoffContract;
  readonly objectiveKey: string;
  readonly cycle: number;
  /** Board meeting phase, 0 outside one. */
  readonly phase: number;
  /** A joint session's key; default: the role's own. */
  readonly session?: string | undefined;
  /** Epoch ms; never later than the parent's allows. */
  readonly deadline?: number | undefined;
  readonly cleanup?: "keep" | "delete";
}

/** Serves `handoff`. */
export async function handoff(gateway: Gateway, admitted: Admitted, body: string): Promise<HandoffReply> {
  const request = parseJson(HandoffRequest, body, "handoff");
  const contract = parseWith(HandoffContract, request.contract, "contract");
  if (contract.from !== admitted.sender) {
    throw new FirmError("wrong-sender", `contract.from is ${contract.from}, but ${admitted.sender} asks`, {
      field: "contract.from",
    });
  }
  return delegate(gateway, admitted, {
    contract,
    objectiveKey: request.objective_key,
    cycle: request.cycle,
    phase: request.phase,
    session: request.session,
  });
}

/** Hands work down; asking again for the same gives the same handoff. */
export async function delegate(
  gateway: Gateway,
  { view, handoff: parent }: Admitted,
  wanted: Delegation,
): Promise<HandoffReply> {
  const { contract, objectiveKey, cycle } = wanted;
  const { run } = view;
  const id = handoffIdOf(run, parent.id, contract.to, objectiveKey, cycle);
  const known = view.handoffs.get(id);
  // A repeat of one that nobody has begun goes on below: its first try may have died between the log and the queue.
  if (known !== undefined && (known.started || known.ended !== undefined))
    return replyOf(gateway, view, known);

  enforce(
    wanted.phase === 0
      ? checkEdge((role) => gateway.chart.reportsOf(role), contract.from, contract.to)
      : checkBoardEdge({
          board: view.kind === "board",
          from: contract.from,
          to: contract.to,
          phase: wanted.phase,
          participants: participantsOf(view.objective),
        }),
  );
  const path = pathOf(view, parent.id);
  if (wanted.session !== undefined && !view.sessions.has(wanted.session)) {
    throw new FirmError("unknown-session", `run ${run} has no session ${wanted.session}`, {
      field: "session",
      hint: "open it with spawn",
    });
  }
  const session = wanted.session ?? sessionKeyOf(run, contract.to);
  const now = gateway.now();
  const deadline =
    known?.deadline ?? Math.min(wanted.deadline ?? Infinity, childDeadline(parent.deadline, now));
  const spawnLimit = Math.min(view.objective.budget.spawns ?? 20, gateway.config.limits.spawns);
  enforceBudget(gateway, view, view.sessions.size - 1);
  const context = await gateway.contexts.resolve(contract.context_ref);
  const { fresh, left } = await gateway.records.reserve(run, [session], spawnLimit);

  const order: WorkOrder = {
    run,
    handoff: id,
    parent: parent.id,
    contract,
    objective_key: objectiveKey,
    cycle,
    session,
    objective: view.objective,
    context,
    history: wanted.phase === CRITIC_PHASE ? contributionsOf(view) : historyForWork(view, session),
    phase: wanted.phase,
    token: gateway.tokens.sign({
      run,
      handoff: id,
      attempt: 1,
      path: [...path, contract.to],
      chain: [contract.to],
      phase: wanted.phase,
      session,
      deadline,
    }),
    deadline,
  };
  const [seq] = await Promise.all([
    gateway.ledger.append(
      {
        type: "handoff",
        run,
        at: now,
        handoff: id,
        parent: parent.id,
        contract,
        objective_key: objectiveKey,
        cycle,
        session,
        spawned: fresh.includes(session),
        deadline,
        phase: wanted.phase,
        ...(wanted.cleanup === undefined ? {} : { cleanup: wanted.cleanup }),
      },
      { msgId: `${run}.${id}` },
    ),
    dispatch(gateway, order, contract.to, path),
  ]);
  return { handoff: id, session, spawned: fresh.includes(session), spawns_left: left, deadline, seq };
}

/** Puts a work order on its role's queue; the message id makes a repeat harmless. @param again tells a later order of the same handoff */
export async function dispatch(
  gateway: Gateway,
  order: WorkOrder,
  to: Role,
  path: readonly Role[],
  again = "",
): Promise<void> {
  await gateway.bus.append(subjects.work(to), JSON.stringify(order), {
    msgId: `${order.run}.${order.handoff}${again}`,
    headers: {
      [HEADERS.run]: order.run,
      [HEADERS.chain]: [...path, to].join(" → "),
      [HEADERS.deadline]: String(order.deadline),
      [HEADERS.traceparent]: traceparentOf(order.run, spans.handoff(order.run, order.handoff)),
      [HEADERS.attempt]: "1",
    },
  });
}

async function replyOf(gateway: Gateway, view: RunView, known: HandoffView): Promise<HandoffReply> {
  const record = await gateway.records.read(view.run);
  const left = gateway.config.limits.spawns - (record?.spawned.length ?? 0);
  return {
    handoff: known.id,
    session: known.session,
    spawned: false,
    spawns_left: left,
    deadline: known.deadline,
    seq: view.lastSeq,
  };
}

/** Characters of session history that travel with the work. */
const HISTORY_LIMIT = 65_536;

function historyForWork(view: RunView, session: string): HistoryEntry[] {
  const entries = historyOf(view, session);
  let size = 0;
  let from = entries.length;
  while (from > 0 && size + (entries[from - 1]?.text.length ?? 0) <= HISTORY_LIMIT)
    size += entries[--from]?.text.length ?? 0;
  return entries.slice(from);
}

/** Serves `spawn`: opens a session between direct reports, e.g. to resolve a blocker. */
export async function spawn(
  gateway: Gateway,
  { view, handoff: parent, sender }: Admitted,
  body: string,
): Promise<SpawnReply> {
  const request = parseJson(SpawnRequest, body, "spawn");
  for (const role of request.participants)
    enforce(checkEdge((superior) => gateway.chart.reportsOf(superior), sender, role));
  const session = jointSessionKeyOf(view.run, request.participants);
  const limit = Math.min(view.objective.budget.spawns ?? 20, gateway.config.limits.spawns);
  enforceBudget(gateway, view, view.sessions.size - 1);
  const { fresh, left } = await gateway.records.reserve(view.run, [session], limit);
  if (view.sessions.has(session)) return { session, spawned: false, spawns_left: left, seq: view.lastSeq };
  const seq = await gateway.ledger.append(
    {
      type: "session",
      run: view.run,
      at: gateway.now(),
      session,
      participants: request.participants,
      objective: request.objective,
      ...(request.label === undefined ? {} : { label: request.label }),
      by: parent.id,
    },
    { msgId: `${view.run}.session.${session}` },
  );
  return { session, spawned: fresh.includes(session), spawns_left: left, seq };
}
