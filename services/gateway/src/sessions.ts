// Owns the four sessions tools, under the names and shapes people know (seed: firm-orchestration, "Tools activated").
// A message to a session is a handoff to its role: it goes along the org chart's edges, or not at all.
import {
  digest,
  FirmError,
  parseJson,
  sessionKeyOf,
  SessionsHistoryRequest,
  SessionsListRequest,
  SessionsSendRequest,
  SessionsSpawnRequest,
  type HandoffContract,
  type SessionEntry,
  type SessionsHistoryReply,
  type SessionsListReply,
  type SessionsSendReply,
  type SessionsSpawnReply,
} from "@firm/protocol";
import type { Admitted } from "./admit.ts";
import { objectiveRef } from "./context.ts";
import type { Gateway } from "./deps.ts";
import { delegate } from "./handoffs.ts";
import { historyOf } from "./history.ts";
import type { RunView } from "./view.ts";

/** Sessions of the caller's run, newest first. */
export function sessionsList(gateway: Gateway, { view }: Admitted, body: string): SessionsListReply {
  const request = parseJson(SessionsListRequest, body, "sessions_list");
  return { sessions: listSessions(view, gateway.now(), request) };
}

interface ListOptions {
  readonly kinds?: readonly string[] | undefined;
  readonly limit: number;
  readonly active_minutes?: number | undefined;
  readonly message_limit: number;
}

/** Pure: the list that `sessions_list` gives. */
export function listSessions(view: RunView, now: number, options: ListOptions): SessionEntry[] {
  const entries: SessionEntry[] = [];
  for (const session of view.sessions.values()) {
    const handoffs = [...view.handoffs.values()].filter((handoff) => handoff.session === session.key);
    const active = handoffs.some((handoff) => handoff.ended === undefined) && view.finished === undefined;
    if (!active && handoffs.length > 0 && handoffs.every((handoff) => handoff.cleanup === "delete")) continue;
    const history = historyOf(view, session.key);
    const updated = Math.max(session.createdAt, ...history.map(({ at }) => at));
    if (options.kinds !== undefined && !options.kinds.includes(session.kind)) continue;
    if (options.active_minutes !== undefined && now - updated > options.active_minutes * 60_000) continue;
    entries.push({
      session: session.key,
      run: view.run,
      kind: session.kind,
      participants: [...session.participants],
      status: active ? "active" : (handoffs.at(-1)?.ended?.status ?? "idle"),
      created_at: session.createdAt,
      updated_at: updated,
      messages: options.message_limit === 0 ? [] : history.slice(-options.message_limit),
    });
  }
  return entries.toSorted((a, b) => b.updated_at - a.updated_at).slice(0, options.limit);
}

/** A session's messages; the originating session by its own name. */
export async function sessionsHistory(
  gateway: Gateway,
  { view }: Admitted,
  body: string,
): Promise<SessionsHistoryReply> {
  const request = parseJson(SessionsHistoryRequest, body, "sessions_history");
  const { session, limit } = request;
  if (view.sessions.has(session)) {
    const entries = historyOf(view, session).filter(({ kind }) => request.include_tools || kind !== "tool");
    return { session, messages: entries.slice(-limit) };
  }
  const messages =
    session === view.objective.reply_session
      ? await gateway.origins.history(gateway.ledger, session, limit)
      : undefined;
  if (messages === undefined) throw unknownSession(view, session);
  return { session, messages };
}

function unknownSession(view: RunView, session: string): FirmError {
  return new FirmError("unknown-session", `run ${view.run} has no session ${session}`, {
    field: "session",
    hint: "sessions_list names them; sessions_spawn opens one",
  });
}

/** Sends a message to a subordinate's session and waits for its reply, if asked to. */
export async function sessionsSend(
  gateway: Gateway,
  admitted: Admitted,
  body: string,
): Promise<SessionsSendReply> {
  const request = parseJson(SessionsSendRequest, body, "sessions_send");
  const { view } = admitted;
  const session = view.sessions.get(request.session);
  const [role] = session?.participants ?? [];
  if (session === undefined || role === undefined) throw unknownSession(view, request.session);
  if (session.participants.length > 1) {
    throw new FirmError(
      "invalid-input",
      `${request.session} is a joint session: hand each participant its part with the session's key`,
      { field: "session" },
    );
  }
  const sent = await delegate(gateway, admitted, {
    contract: contractOf(admitted, role, request.message),
    objectiveKey: `message-${digest(request.message)}`,
    cycle: 0,
    phase: 0,
    session: request.session,
  });
  if (request.timeout_seconds === 0) return { status: "accepted", handoff: sent.handoff };
  const until = Math.min(gateway.now() + request.timeout_seconds * 1000, sent.deadline);
  for (;;) {
    const ended = view.handoffs.get(sent.handoff)?.ended;
    if (ended !== undefined) {
      const failed = ended.status === "failed" || ended.status === "cancelled" || ended.status === "timeout";
      if (failed)
        return {
          status: ended.status === "timeout" ? "timeout" : "error",
          handoff: sent.handoff,
          error: ended.reason ?? ended.status,
        };
      return {
        status: "ok",
        handoff: sent.handoff,
        reply: ended.result?.output === "" ? ended.result.summary : (ended.result?.output ?? ended.status),
      };
    }
    const left = until - gateway.now();
    if (left <= 0)
      return {
        status: "timeout",
        handoff: sent.handoff,
        error: "no reply yet; a later one comes with collect",
      };
    await gateway.ledger.collect(view, admitted.handoff.id, view.lastSeq, left);
  }
}

/** Opens a subordinate's session with a task; refused with the reason where a rule says no. */
export async function sessionsSpawn(
  gateway: Gateway,
  admitted: Admitted,
  body: string,
): Promise<SessionsSpawnReply> {
  const request = parseJson(SessionsSpawnRequest, body, "sessions_spawn");
  const { view } = admitted;
  try {
    const spawned = await delegate(gateway, admitted, {
      contract: contractOf(admitted, request.role, request.task),
      objectiveKey: request.label ?? `task-${digest(request.task)}`,
      cycle: 0,
      phase: 0,
      session: undefined,
      deadline:
        request.run_timeout_seconds === undefined
          ? undefined
          : gateway.now() + request.run_timeout_seconds * 1000,
      cleanup: request.cleanup,
    });
    return {
      status: "accepted",
      run: view.run,
      session: sessionKeyOf(view.run, request.role),
      handoff: spawned.handoff,
    };
  } catch (error) {
    if (!(error instanceof FirmError) || error.status >= 500) throw error;
    gateway.metrics.refusals.inc({ verb: "sessions.spawn", rule: error.code });
    return { status: "refused", run: view.run, reason: error.message };
  }
}

/** The contract of a bare task: what the caller's own contract does not say is not made up. */
function contractOf({ view, handoff, sender }: Admitted, to: string, objective: string): HandoffContract {
  return {
    from: sender,
    to,
    objective,
    constraints: handoff.contract?.constraints ?? view.objective.constraints,
    definition_of_done:
      handoff.contract?.definition_of_done ??
      view.objective.definition_of_done ??
      "A clear answer to the task",
    context_ref: handoff.contract?.context_ref ?? view.objective.context_ref ?? objectiveRef(view.run),
    reply_session: view.objective.reply_session,
  };
}
