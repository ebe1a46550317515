// Owns a stand-in for the `nats` command where it is not installed: pub, req and micro ls, by a client that is not the firm's own.
import { readFileSync } from "node:fs";
import * as z from "zod";
import { connect, nkeyAuthenticator, RequestStrategy, StringCodec } from "nats-v2";

const Named = z.object({ name: z.string() });
const [, , verb = "", subject = "", body = ""] = process.argv;
const codec = StringCodec();
const seed = process.env.NATS_NKEY === undefined ? undefined : readFileSync(process.env.NATS_NKEY);
const nc = await connect({
  servers: process.env.NATS_URL ?? "nats://127.0.0.1:4222",
  ...(seed === undefined
    ? {}
    : { authenticator: nkeyAuthenticator(new Uint8Array(Buffer.from(seed.toString().trim()))) }),
});
if (verb === "pub") {
  nc.publish(subject, codec.encode(body));
  await nc.flush();
} else if (verb === "req") {
  const reply = await nc.request(subject, codec.encode(body), { timeout: 10_000 });
  process.stdout.write(`${codec.decode(reply.data)}\n`);
} else if (verb === "micro") {
  for await (const reply of await nc.requestMany("$SRV.PING", undefined, {
    maxWait: 2_000,
    strategy: RequestStrategy.Timer,
  })) {
    process.stdout.write(`${Named.parse(JSON.parse(codec.decode(reply.data))).name}\n`);
  }
} else {
  process.stderr.write(`no "${verb}" here\n`);
  process.exitCode = 2;
}
await nc.close();
