// Owns the answering end of the governed hop: a role's process that answers at once.
import { connectBus } from "@firm/bus";
import { inboxPrefixOf, subjects } from "@firm/protocol";

const [, , url = "", role = "", seed = ""] = process.argv;
const bus = await connectBus({ servers: url, name: role, nkeySeed: seed, inboxPrefix: inboxPrefixOf(role) });
bus.subscribe(subjects.ask(role), (request) => request.respond(request.text()));
await bus.rtt();
process.stdout.write("ready\n");
process.stdin.on("end", () => void bus.drain()).resume();
