// Owns that the tests have a nats-server: found, or brought the same way as `firm` brings it; none is a failure, not a skip.
import { resolveNatsServer } from "../../services/cli/src/nats/resolve.ts";

/** Runs once before the tests; their processes inherit the path. */
export default async function setup(): Promise<void> {
  const { path } = await resolveNatsServer({
    env: process.env,
    say: (line) => process.stderr.write(`${line}\n`),
  });
  process.env.FIRM_NATS_SERVER = path;
}
