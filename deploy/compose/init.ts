// Owns the first container of a compose deployment: makes the credentials in their volume, and gives each file to its reader.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "@firm/config";
import { GID, membersOf, ownersOf } from "./members.ts";

const HOME = "/run/firm";
const CONFIG = process.env.FIRM_CONFIG ?? "/etc/firm/firm.yaml";
const STATE = "/var/lib/firm";

execFileSync(
  "firm",
  ["--dir", HOME, "--config", CONFIG, "credentials", "--nats-store", "/data", "--nats-http-port", "8222"],
  { stdio: "inherit" },
);
const creds = join(HOME, ".firm/creds");
const owners = ownersOf(membersOf(parseConfig(readFileSync(CONFIG, "utf8"))));
for (const name of readdirSync(creds)) {
  const path = join(creds, name);
  const owner = owners.get(name);
  if (owner !== undefined) {
    chownSync(path, owner, GID);
    chmodSync(path, 0o400);
  } else {
    // The server's configuration holds public keys alone.
    chmodSync(path, name.startsWith("nats-") ? 0o444 : 0o400);
  }
}
// Passing through is not listing: each reader knows its file's name.
for (const directory of [HOME, join(HOME, ".firm"), creds]) chmodSync(directory, 0o711);
// Everybody reads company.yaml; the CEO files minutes there.
mkdirSync(join(STATE, ".firm"), { recursive: true });
chownSync(join(STATE, ".firm"), 0, GID);
chmodSync(join(STATE, ".firm"), 0o2775);
process.stdout.write(`${owners.size} credentials in their volume\n`);
