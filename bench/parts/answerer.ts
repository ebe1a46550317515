// Owns the answering end of a governed hop: a role's process that answers at once, or asks a colleague first.
import { connectBus } from "@firm/bus";
import { AskOrder, HEADERS, inboxPrefixOf, parseJson, printEnvelope, Role, subjects } from "@firm/protocol";

const [, , url = "", own = "", seed = "", onward = ""] = process.argv;
const role = Role.parse(own);
const bus = await connectBus({ servers: url, name: role, nkeySeed: seed, inboxPrefix: inboxPrefixOf(role) });
const answer = printEnvelope({
  kind: "response",
  role: role === "cfo" ? "cfo" : "coo",
  finding: "Nine months",
  data: ["Cash 3.9M", "Burn 280K"],
  confidence: "high",
  caveat: "None",
});
const question = JSON.stringify({ role: onward, question: "What is the runway?" });
/** Asks onward first where it has somebody to ask. */
async function heard(text: string): Promise<void> {
  if (onward === "") return;
  const order = parseJson(AskOrder, text, "ask");
  const headers = { [HEADERS.token]: order.token, [HEADERS.run]: order.run };
  await bus.request(subjects.from(role, "invoke"), question, { headers, timeoutMs: 60_000 });
}
bus.subscribe(
  subjects.ask(role),
  (request) => void heard(request.text()).then(() => request.respond(answer)),
);
await bus.rtt();
process.stdout.write("ready\n");
process.stdin.on("end", () => void bus.drain()).resume();
