// Owns one process of the floor: relays, answers, or asks onward before it answers; the bare client, no rules.
import { connect, nkeyAuthenticator } from "nats";

const [, , url = "", mode = "", seed = "", own = "", onward = ""] = process.argv;
const nc = await connect({
  servers: url,
  authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
  inboxPrefix: "_INBOX_gateway",
});
const RELAY = "bench.relay.";
const ANSWER = "bench.answer.";
const TIMEOUT_MS = 60_000;
nc.subscribe(mode === "relay" ? `${RELAY}*` : ANSWER + own, {
  callback: (_error, message) => {
    const next = mode === "relay" ? message.subject.replace(RELAY, ANSWER) : RELAY + onward;
    if (mode === "answer") message.respond(message.data);
    else
      void nc
        .request(next, message.data, { timeout: TIMEOUT_MS })
        .then((reply) => message.respond(reply.data));
  },
});
await nc.flush();
process.stdout.write("ready\n");
process.stdin.on("end", () => void nc.close()).resume();
