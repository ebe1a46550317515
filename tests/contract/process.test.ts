// A service process as its operator meets it: what it says when it cannot start, and how it ends.
import { initBus, makeUserKey } from "@firm/bus";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { startFirmNats, type FirmNats } from "../harness/firm-nats.ts";
import { freePort, startNats } from "../harness/nats.ts";

const ROLE = "employee:auditor";
let firm: FirmNats;
let directory: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  firm = await startFirmNats();
  await initBus(await firm.connectAs("operator"), firm.config, firm.chart);
  directory = await mkdtemp(join(tmpdir(), "firm-process-"));
  await writeFile(join(directory, "key"), firm.keyOf(ROLE).seed);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(async () => {
  await firm.stop();
  await rm(directory, { recursive: true });
});

interface Started {
  readonly child: ChildProcess;
  /** Resolves once a line of the log says so. */
  said(text: string): Promise<void>;
  readonly ended: Promise<{ code: number | null; log: string }>;
}

function start(service: string, env: Record<string, string>): Started {
  const main = resolve(import.meta.dirname, `../../services/${service}/src/main.ts`);
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main], {
    stdio: ["pipe", "ignore", "pipe"],
    env: { PATH: process.env.PATH, FIRM_STATE_DIR: directory, ...env },
  });
  children.push(child);
  let log = "";
  const checks = new Set<() => void>();
  child.stderr?.on("data", (chunk: Buffer) => {
    log += chunk.toString();
    for (const check of checks) check();
  });
  const ended = new Promise<{ code: number | null; log: string }>((done) => {
    child.once("close", (code) => done({ code, log }));
  });
  const said = (text: string): Promise<void> =>
    Promise.race([
      new Promise<void>((done) => {
        const check = (): void => {
          if (log.includes(text)) done();
        };
        checks.add(check);
        check();
      }),
      ended.then((end) => Promise.reject(new Error(`it ended with ${end.code}:\n${end.log}`))),
    ]);
  return { child, said, ended };
}

const enough = (): Record<string, string> => ({
  FIRM_NATS_URL: firm.server.url,
  FIRM_NKEY_FILE: join(directory, "key"),
  FIRM_ROLE: ROLE,
  FIRM_HTTP_FILE: join(directory, "http"),
});

it.each<[string, string, Record<string, string>]>([
  ["employee", "FIRM_NATS_URL is not set: set it to the address of nats-server", {}],
  ["employee", "FIRM_ROLE is not set", { FIRM_NATS_URL: "nats://127.0.0.1:1" }],
  [
    "employee",
    "FIRM_ROLE is service:testing, which the employee service does not serve",
    { FIRM_NATS_URL: "nats://127.0.0.1:1", FIRM_ROLE: "service:testing" },
  ],
  [
    "employee",
    "employee:nobody is not in the org chart",
    { FIRM_NATS_URL: "nats://127.0.0.1:1", FIRM_ROLE: "employee:nobody" },
  ],
  [
    "ceo",
    "FIRM_CONFIG: cannot read /no/such/firm.yaml",
    { FIRM_NATS_URL: "nats://127.0.0.1:1", FIRM_CONFIG: "/no/such/firm.yaml" },
  ],
  [
    "ceo",
    "FIRM_NKEY_FILE: cannot read /no/such/key",
    { FIRM_NATS_URL: "nats://127.0.0.1:1", FIRM_NKEY_FILE: "/no/such/key" },
  ],
])("%s says %j and exits with 1", async (service, message, env) => {
  const { code, log } = await start(service, env).ended;
  expect(log).toContain(message);
  expect(code).toBe(1);
});

it("SIGTERM: drains and exits with 0; ready until then", async () => {
  const { child, said, ended } = start("employee", enough());
  await said('"msg":"ready"');
  const address = (await readFile(join(directory, "http"), "utf8")).trim();
  expect((await fetch(`http://${address}/readyz`)).status).toBe(200);
  const metrics = await (await fetch(`http://${address}/metrics`)).text();
  expect(metrics).toContain('firm_slots{role="employee:auditor"} 16');
  expect(metrics).toContain("firm_nats_connected 1");
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
});

it("the end of its supervisor's pipe ends it", async () => {
  const { child, said, ended } = start("employee", { ...enough(), FIRM_PARENT_PIPE: "1" });
  await said('"msg":"ready"');
  child.stdin?.end();
  const { code, log } = await ended;
  expect(code).toBe(0);
  expect(log).toContain("the supervisor is gone");
});

it("without its supervisor's pipe a closed standard input means nothing", async () => {
  const { child, said, ended } = start("employee", enough());
  child.stdin?.end();
  await said('"msg":"ready"');
  child.kill("SIGINT");
  expect((await ended).code).toBe(0);
});

it("credentials that the server does not know are refused at once", async () => {
  const { seed } = makeUserKey();
  await writeFile(join(directory, "stranger"), seed);
  const { code, log } = await start("employee", { ...enough(), FIRM_NKEY_FILE: join(directory, "stranger") })
    .ended;
  expect(code).toBe(1);
  expect(log).toContain("refused the credentials of employee:auditor");
  expect(log).not.toContain(seed);
});

it("a file that holds no seed is named", async () => {
  await writeFile(join(directory, "empty"), "\n");
  const { code, log } = await start("employee", { ...enough(), FIRM_NKEY_FILE: join(directory, "empty") })
    .ended;
  expect(code).toBe(1);
  expect(log).toContain("holds no nkey seed");
});

it("a server that comes a moment later is waited for", async () => {
  const port = await freePort();
  const { said, child, ended } = start("employee", {
    FIRM_NATS_URL: `nats://127.0.0.1:${port}`,
    FIRM_ROLE: ROLE,
  });
  await said("NATS does not answer yet");
  const server = await startNats({ port });
  // This server was not set up for Firm: the process says so instead of waiting for ever.
  const { code, log } = await ended;
  expect(code).toBe(1);
  expect(log).toMatch(/firm bus init|does not exist|not found/);
  expect(child.exitCode).toBe(1);
  await server.stop();
});
