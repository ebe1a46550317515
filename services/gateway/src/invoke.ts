// Owns `invoke`: a question to a C-suite role under rules 1 to 4; the answer comes back to whoever asked.
import { FirmError, HEADERS, parseJson, subjects, type TokenClaims } from "@firm/protocol";
import { blockedText, checkInvocation, checkBudget } from "@firm/policy";
import * as z from "zod";
import { enforce, type Admitted } from "./admit.ts";
import type { Gateway } from "./deps.ts";

const InvokeRequest = z.strictObject({ role: z.string().min(1).max(64), question: z.string().min(1).max(32_768) });

/** Serves `invoke`; the body that comes back is the answering role's. */
export async function invoke(gateway: Gateway, { view, claims }: Admitted, body: string): Promise<string> {
  const { role, question } = parseJson(InvokeRequest, body, "invoke");
  const { path, chain, phase } = claims;
  const verdict = checkInvocation({ path, chain, role, phase });
  if (!verdict.ok) {
    gateway.metrics.invocations.inc({ role, outcome: "blocked" });
    throw new FirmError(verdict.code, blockedText({ role, reason: verdict.reason }));
  }
  const now = gateway.now();
  enforce(checkBudget(view.objective.budget, { ...view.spent, spawns: view.sessions.size - 1, startedAt: view.acceptedAt }, now, "invocation"));
  view.spent.invocations++;
  const next: TokenClaims = { ...claims, chain: [...chain, role] };
  try {
    const reply = await gateway.bus.request(subjects.ask(role), JSON.stringify({ question }), {
      headers: {
        [HEADERS.run]: view.run,
        [HEADERS.chain]: next.chain.join(" → "),
        [HEADERS.token]: gateway.tokens.sign(next),
        [HEADERS.deadline]: String(claims.deadline),
      },
      timeoutMs: Math.max(1, claims.deadline - now),
    });
    gateway.metrics.invocations.inc({ role, outcome: "answered" });
    return reply.text();
  } catch (error) {
    gateway.metrics.invocations.inc({ role, outcome: "failed" });
    throw error;
  }
}
