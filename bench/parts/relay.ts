// Owns one process of the floor: answers, or relays to the one that answers; the bare client, no rules.
import { connect, nkeyAuthenticator } from "nats";

const [, , url = "", mode = "", seed = ""] = process.argv;
const nc = await connect({
  servers: url,
  authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
  inboxPrefix: "_INBOX_gateway",
});
nc.subscribe(mode === "relay" ? "bench.relay" : "bench.answer", {
  callback: (_error, message) => {
    if (mode === "answer") message.respond(message.data);
    else
      void nc
        .request("bench.answer", message.data, { timeout: 10_000 })
        .then((reply) => message.respond(reply.data));
  },
});
await nc.flush();
process.stdout.write("ready\n");
process.stdin.on("end", () => void nc.close()).resume();
