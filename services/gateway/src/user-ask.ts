// Owns `firm.invoke`: a user's question to a C-suite role is a run of its own, so that its chain can be watched and its answer found again.
import { randomUUID } from "node:crypto";
import type { BusRequest } from "@firm/bus";
import {
  FirmError,
  HEADERS,
  isRunId,
  INVOCABLE_ROLES,
  Objective,
  ROOT_HANDOFF,
  runIdOf,
  sessionKeyOf,
  toFirmError,
  type RunFinished,
  readEnvelopes,
} from "@firm/protocol";
import * as z from "zod";
import type { Gateway } from "./deps.ts";
import { finishAsk } from "./finish.ts";
import { ask, outcomeOf } from "./invoke.ts";

const Asked = z.strictObject({
  role: z.string().optional(),
  question: z.string().trim().min(1, "must not be empty").max(32_768, "must be at most 32768 characters"),
  deadline_seconds: z.number().min(0.05).max(86_400).optional(),
});

/** What a request asks, of whom. */
export interface UserQuestion {
  readonly role: string;
  readonly question: string;
  readonly deadlineSeconds: number | undefined;
}

/**
 * Pure: reads a request on `firm.invoke` or `firm.invoke.<role>`: an envelope, JSON, or the bare question. Where the subject
 * names the role, a text that is more than one envelope is the question, whatever it quotes.
 * @throws FirmError `invalid-input` or `unknown-role`.
 */
export function readQuestion(subject: string, body: string): UserQuestion {
  const named = subject
    .split(".")
    .slice(2)
    .join(".")
    .replace(/^executive\./, "");
  const text = body.trim();
  if (text === "") throw new FirmError("invalid-input", "question must not be empty", { field: "question" });
  const read = text.startsWith("{") ? fromJson(text) : fromText(text, named);
  const role = read.role ?? named;
  if (role === "") {
    throw new FirmError(
      "invalid-input",
      "no role: write [INVOKE:cfo|your question], or ask on firm.invoke.<role>",
      { field: "role" },
    );
  }
  if (named !== "" && role !== named)
    throw new FirmError("invalid-input", `the subject asks ${named}, the envelope ${role}`, {
      field: "role",
    });
  if (!(INVOCABLE_ROLES as readonly string[]).includes(role)) {
    throw new FirmError(
      "unknown-role",
      `"${role}" cannot be invoked; valid roles: ${INVOCABLE_ROLES.join(", ")}`,
      { field: "role" },
    );
  }
  return { role, question: read.question, deadlineSeconds: read.deadline_seconds };
}

function fromJson(text: string): z.infer<typeof Asked> {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (cause) {
    throw new FirmError(
      "invalid-input",
      `the question starts with "{" but is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
      { field: "question", cause },
    );
  }
  const parsed = Asked.safeParse(input);
  if (!parsed.success) throw toFirmError(parsed.error, "question");
  return parsed.data;
}

function fromText(text: string, named: string): z.infer<typeof Asked> {
  const { envelopes, problems } = readEnvelopes(text);
  const isEnvelope = envelopes.some(({ start, end }) => start === 0 && end === text.length);
  if (named !== "" && !isEnvelope) return { question: text };
  const invokes = envelopes.flatMap(({ envelope }) => (envelope.kind === "invoke" ? [envelope] : []));
  const [first] = invokes;
  if (invokes.length > 1)
    throw new FirmError("invalid-input", "one question at a time: the text holds several [INVOKE:…]", {
      field: "question",
    });
  if (first !== undefined) return { role: first.role, question: first.question };
  const [problem] = problems;
  if (problem !== undefined) throw problem;
  return { question: text };
}

/**
 * The id of the run: a client that wants to watch its question names it before it asks.
 * @throws FirmError `invalid-input` for a name that is no run id, `already-ended` for one that is taken.
 */
async function runOf(gateway: Gateway, named: string | undefined, at: number): Promise<string> {
  if (named === undefined) return runIdOf(at, randomUUID());
  if (!isRunId(named))
    throw new FirmError("invalid-input", `"${named.slice(0, 64)}" is not a run id: it is a ULID`, {
      field: HEADERS.run,
    });
  if ((await gateway.records.read(named)) !== undefined)
    throw new FirmError("already-ended", `there is a run ${named} already: ask under an id of its own`, {
      field: HEADERS.run,
    });
  return named;
}

/** Serves a user's question; the reply is the role's own words. */
export async function userAsk(gateway: Gateway, request: BusRequest): Promise<{ run: string; text: string }> {
  const { role, question, deadlineSeconds } = readQuestion(request.subject, request.text());
  const at = gateway.now();
  const run = await runOf(gateway, request.headers[HEADERS.run], at);
  const deadline = at + (deadlineSeconds ?? gateway.config.limits.deadline_seconds) * 1000;
  await Promise.all([
    gateway.records.create({
      run,
      status: "running",
      kind: "ask",
      objective: question.slice(0, 500),
      accepted_at: at,
      deadline,
      spawned: [],
    }),
    gateway.ledger.append(
      {
        type: "accepted",
        kind: "ask",
        run,
        at,
        objective: Objective.parse({ objective: question }),
        objective_seq: 0,
        objective_digest: run,
        deadline,
        roles: [role],
      },
      { first: true, msgId: `${run}.accepted` },
    ),
  ]);
  const view = await gateway.ledger.must(run);
  const session = sessionKeyOf(run, role);
  const end = (status: RunFinished["status"], answer: string | undefined, reason?: string): Promise<void> =>
    finishAsk(gateway, view, status, answer, reason);
  try {
    const { text } = await ask(
      gateway,
      view,
      { run, handoff: ROOT_HANDOFF, attempt: 1, path: [], chain: [], phase: 0, session, deadline },
      role,
      question,
    );
    await end("delivered", text);
    return { run, text };
  } catch (error) {
    const failure =
      error instanceof FirmError ? error : new FirmError("internal", String(error), { cause: error });
    const { outcome } = outcomeOf(view, error);
    await end(
      outcome === "timeout" || outcome === "cancelled" ? outcome : "failed",
      undefined,
      failure.message,
    );
    throw failure;
  }
}

/** Header of an answer: the run that it came from. */
export function answerHeaders(run: string): Record<string, string> {
  return { [HEADERS.run]: run };
}
