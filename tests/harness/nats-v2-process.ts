// Owns a listening client of the older npm line, a process of its own: `sub` prints bodies as they come, `all` the first replies to a request.
import { readFileSync } from "node:fs";
import { connect, nkeyAuthenticator, RequestStrategy, StringCodec } from "nats-v2";

const [, , verb = "", subject = "", count = "0"] = process.argv;
const codec = StringCodec();
const seed = readFileSync(process.env.NATS_NKEY ?? "", "utf8").trim();
const nc = await connect({
  servers: process.env.NATS_URL ?? "",
  authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
});
const print = (data: Uint8Array): void => void process.stdout.write(`${codec.decode(data)}\n`);
if (verb === "sub") {
  const messages = nc.subscribe(subject);
  await nc.flush();
  process.stderr.write("Subscribing\n");
  for await (const message of messages) print(message.data);
} else {
  const replies = await nc.requestMany(subject, undefined, {
    strategy: RequestStrategy.Count,
    maxMessages: Number(count),
    maxWait: 10_000,
  });
  for await (const reply of replies) print(reply.data);
}
await nc.close();
