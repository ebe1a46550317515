// Owns how a C-suite role answers offline: by calculation from company.yaml, asking the colleagues who own what it lacks
// (seed: agent-protocol, "Response Format", "When to Invoke vs When to Assume").
import type { Ask, AskHandler } from "@firm/actor";
import { answerQuestion, type Colleague, type CsuiteRole } from "@firm/agents";
import { FirmError, INVOCABLE_ROLES, printEnvelope, type Role } from "@firm/protocol";
import { Questions } from "../questions.ts";
import type { CompanyFile } from "./file.ts";

/** Rounds of questions to colleagues in one answer; what is still missing then is assumed. */
const ROUNDS = 3;
/** A phase in which nobody is asked. */
const ISOLATED = 2;

const NO_FILE = "There is no company.yaml: `firm init` writes one.";

/** Answers questions to a role without any model. */
export function companyAsk(role: Role, file: CompanyFile): AskHandler {
  const self = invocable(role);
  return (ask) => answerFrom(self, file, ask);
}

async function answerFrom(role: CsuiteRole, file: CompanyFile, ask: Ask): Promise<string> {
  const { order } = ask;
  const { company, found } = await file.load();
  const questions = new Questions(ask, role, order.invocation);
  const colleagues: Colleague[] = [];
  const today = new Date().toISOString().slice(0, 10);
  for (let round = 0; ; round++) {
    const answer = answerQuestion({
      role,
      question: order.question,
      company,
      colleagues,
      phase: round < ROUNDS ? order.phase : ISOLATED,
      today,
      chain: order.chain,
    });
    if (answer.kind === "invoke") {
      const heard = await questions.ask(answer.calls);
      colleagues.push(...heard.map(({ answered, ...one }) => (answered ? one : { ...one, blocked: true })));
      continue;
    }
    const { keyFinding, supportingData, confidence, caveat } = answer.response;
    await questions.assume(...answer.assumptions);
    await questions.close();
    return printEnvelope({
      kind: "response",
      role,
      finding: keyFinding,
      data: supportingData,
      confidence,
      // A colleague whose caveat is passed on has said so already.
      caveat: found || caveat.includes(NO_FILE) ? caveat : `${caveat} ${NO_FILE}`,
    });
  }
}

/** @throws FirmError `unknown-role` for a role that nobody may ask. */
export function invocable(role: Role): CsuiteRole {
  const known = INVOCABLE_ROLES.find((one) => one === role);
  if (known === undefined) throw new FirmError("unknown-role", `${role} is not asked questions`);
  return known;
}
