// The promise: docker compose brings the whole firm up in containers; objectives go in over NATS; what is killed comes back, and nothing is lost.
import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DISCLAIMER } from "@firm/protocol";
import { connect, headers, NatsError, nkeyAuthenticator } from "nats-v2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { freePort } from "../harness/nats.ts";
import { composeFile } from "../../deploy/compose/generate.ts";
import { membersOf } from "../../deploy/compose/members.ts";
import { parseConfig } from "@firm/config";

const ROOT = resolve(import.meta.dirname, "../..");
const YAML = readFileSync(join(ROOT, "deploy/compose/firm.yaml"), "utf8");
const FIRM = join(ROOT, "services/cli/bin/firm.js");
const PROJECT = `firm-test-${process.pid}`;
const image = process.env["FIRM_IMAGE"] ?? "firm:latest";

const works = (args: string[]): boolean => spawnSync("docker", args, { stdio: "ignore" }).status === 0;
const isThere = works(["info"]) && works(["compose", "version"]) && works(["image", "inspect", image]);
if (!isThere) process.stderr.write(`compose.test.ts: no engine, no compose or no image ${image}; skipped\n`);

it("docker-compose.yml is that of deploy/compose/firm.yaml, each container with a user of its own", () => {
  expect(readFileSync(join(ROOT, "docker-compose.yml"), "utf8")).toBe(composeFile(YAML));
  const members = membersOf(parseConfig(YAML));
  expect(new Set(members.map(({ uid }) => uid)).size).toBe(members.length);
});

const Answer = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});
const Reply = z.object({ run: z.string(), deadline: z.number() });
const Record = z.object({ run: z.string(), status: z.string(), open_items: z.number().optional() });

describe.skipIf(!isThere)("docker compose", () => {
  let port: number;
  let prometheusPort: number;
  let directory: string;

  const env = () => ({
    ...process.env,
    FIRM_NATS_PORT: String(port),
    PROMETHEUS_PORT: String(prometheusPort),
    FIRM_IMAGE: image,
  });
  const compose = (...args: string[]): string =>
    execFileSync("docker", ["compose", "-p", PROJECT, "--project-directory", ROOT, ...args], {
      encoding: "utf8",
      env: env(),
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 64 * 1024 * 1024,
    });
  const firm = (...args: string[]) =>
    spawnSync(process.execPath, [FIRM, "--dir", directory, ...args], {
      encoding: "utf8",
      env: {
        ...process.env,
        FIRM_NATS_URL: `nats://127.0.0.1:${port}`,
        FIRM_NKEY_FILE: join(directory, "user.nk"),
      },
    });
  /** A request of a client that is not ours, asked until somebody answers: containers come and go. */
  async function request(subject: string, body: string): Promise<string> {
    const id = randomUUID();
    for (;;) {
      const client = await connect({
        servers: `127.0.0.1:${port}`,
        authenticator: nkeyAuthenticator(readFileSync(join(directory, "user.nk"))),
        maxReconnectAttempts: -1,
        waitOnFirstConnect: true,
      });
      try {
        const head = headers();
        head.set("Nats-Msg-Id", id);
        return (await client.request(subject, body, { timeout: 10_000, headers: head })).string();
      } catch (error) {
        if (!(error instanceof NatsError) || !["TIMEOUT", "503", "DISCONNECT"].includes(error.code))
          throw error;
      } finally {
        await client.close();
      }
    }
  }
  async function objective(fields: object): Promise<string> {
    return Reply.parse(JSON.parse(await request("firm.objective", JSON.stringify(fields)))).run;
  }
  /** Waits for the run's end; while no gateway answers, the containers are on their way. */
  function delivered(run: string): { code: number | null; body: string } {
    for (;;) {
      const { status, stdout, stderr } = firm("watch", run, "-q");
      if (status !== 1 || !/no gateway answers|bus-unavailable|cannot|refused|timed out/i.test(stderr)) {
        if (status === 1) process.stderr.write(stderr);
        return { code: status, body: stdout };
      }
    }
  }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "firm-compose-"));
    port = await freePort();
    prometheusPort = await freePort();
    compose("up", "-d", "--quiet-pull");
    const seed = compose(
      "run",
      "--rm",
      "-T",
      "--no-deps",
      "--user",
      "10003:10001",
      "--entrypoint",
      "cat",
      "init",
      "/run/firm/.firm/creds/user.nk",
    );
    writeFileSync(join(directory, "user.nk"), seed, { mode: 0o600 });
  });
  afterAll(async () => {
    compose("--profile", "monitoring", "down", "-v", "--timeout", "5");
    const left = execFileSync("docker", ["ps", "-aq", "--filter", `name=${PROJECT}`], { encoding: "utf8" });
    if (left !== "") throw new Error(`containers are left: ${left}`);
    rmSync(directory, { recursive: true });
  });

  it("delivers an objective that a bare client publishes, and answers questions", async () => {
    const { code, body } = delivered(
      await objective({ objective: "Build a payment API", deadline_seconds: 90 }),
    );
    expect([0, 3]).toContain(code);
    for (const part of ["## Strategy", "## Engineering", "## Quality", "## Operations"])
      expect(body).toContain(part);
    expect(body.trimEnd().endsWith(DISCLAIMER)).toBe(true);
    expect(await request("firm.invoke.cfo", "How long is our runway?")).toContain("[RESPONSE:cfo]");
  });

  it("gives a container its own seed alone, none in its environment, a read-only root, no root", () => {
    const other = spawnSync(
      "docker",
      [
        "compose",
        "-p",
        PROJECT,
        "--project-directory",
        ROOT,
        "exec",
        "-T",
        "ceo",
        "cat",
        "/run/firm/.firm/creds/gateway.nk",
      ],
      { encoding: "utf8", env: env() },
    );
    expect(other.stderr).toContain("Permission denied");
    const ids = compose("ps", "-q").trim().split("\n");
    for (const id of ids) {
      const text = execFileSync("docker", ["inspect", id], { encoding: "utf8" });
      expect(text).not.toMatch(/S[UA][A-Z2-7]{56}/);
      if (!text.includes('"com.docker.compose.service": "nats"')) {
        expect(text).toContain('"ReadonlyRootfs": true');
        expect(text).toMatch(/"User": "100\d\d:10001"/);
      }
    }
  });

  /** A paused department holds its run open. */
  async function whilePaused<T>(act: () => Promise<T>): Promise<T> {
    compose("pause", "department-quality");
    try {
      return await act();
    } finally {
      compose("unpause", "department-quality");
    }
  }

  it.each([
    ["the department itself", "department-quality"],
    ["a gateway", "gateway"],
    ["nats-server", "nats"],
    ["the CEO", "ceo"],
  ])("survives the kill of %s in mid-run", async (_, service) => {
    compose("pause", "department-quality");
    const run = await objective({ objective: `Survive ${service}`, deadline_seconds: 120 });
    compose("unpause", "department-quality");
    compose("kill", "-s", "SIGKILL", service);
    compose("up", "-d", "--no-recreate");
    const { code, body } = delivered(run);
    expect([0, 3]).toContain(code);
    expect(body).toContain("## Quality");
  });

  it.skipIf(!works(["image", "inspect", "prom/prometheus:v3.5.0"]))(
    "shows in a Prometheus beside it what its runs did",
    async () => {
      compose("--profile", "monitoring", "up", "-d", "--no-recreate", "prometheus");
      const query = async (expr: string): Promise<number> => {
        const response = await fetch(
          `http://127.0.0.1:${prometheusPort}/api/v1/query?query=${encodeURIComponent(expr)}`,
        ).catch(() => undefined);
        return Number(Answer.safeParse(await response?.json()).data?.data.result[0]?.value[1] ?? Number.NaN);
      };
      const settled = async (expr: string, holds: (value: number) => boolean): Promise<void> => {
        while (!holds(await query(expr))) await new Promise((done) => setTimeout(done, 500));
      };
      await settled("sum(up)", (value) => value === 24);
      await settled('sum(firm_runs_total{status="delivered"})', (value) => value >= 1);
      await settled("sum(firm_nats_connected)", (value) => value === 24);
      await settled(
        'count(ALERTS{alertname="FirmGatewayDown",alertstate="firing"}) or vector(0)',
        (value) => value === 0,
      );
    },
  );

  it("scales, and restarts, with nothing lost", async () => {
    compose("up", "-d", "--no-recreate", "--scale", "employee-implementer=3", "--scale", "gateway=3");
    const run = await objective({ objective: "More of them", deadline_seconds: 120 });
    compose("restart", "--timeout", "15", "gateway", "employee-implementer");
    expect([0, 3]).toContain(delivered(run).code);
    compose("up", "-d", "--scale", "employee-implementer=1", "--scale", "gateway=2");
  });

  it("is taken down and up again with every run, and takes up what was under way", async () => {
    const run = await whilePaused(() =>
      objective({ objective: "Outlive the containers", deadline_seconds: 240 }),
    );
    compose("down", "--timeout", "5");
    compose("up", "-d");
    expect([0, 3]).toContain(delivered(run).code);
    const runs = z.array(Record).parse(JSON.parse(firm("runs", "--json", "-n", "0").stdout));
    expect(runs.filter(({ status }) => status === "delivered").length).toBeGreaterThanOrEqual(6);
  });

  it("is restored from a backup of the JetStream volume, as docs/deploy-compose.md does it", async () => {
    const volume = `${PROJECT}_jetstream`;
    const tar = (script: string): void =>
      void execFileSync("docker", [
        "run",
        "--rm",
        "-u",
        "0:0",
        "-v",
        `${volume}:/data`,
        "-v",
        `${directory}:/backup`,
        "--entrypoint",
        "sh",
        image,
        "-c",
        script,
      ]);
    const before = z.array(Record).parse(JSON.parse(firm("runs", "--json", "-n", "0").stdout));
    compose("stop", "nats");
    tar("tar -C /data -czf /backup/jetstream.tgz .");
    compose("start", "nats");
    const after = delivered(await objective({ objective: "After the backup", deadline_seconds: 90 }));
    expect([0, 3]).toContain(after.code);
    compose("stop", "nats");
    tar("find /data -mindepth 1 -delete && tar -C /data -xzf /backup/jetstream.tgz");
    compose("start", "nats");
    compose("restart", "gateway");
    const restored = z.array(Record).parse(JSON.parse(firm("runs", "--json", "-n", "0").stdout));
    expect(restored.map(({ run, status }) => [run, status])).toEqual(
      before.map(({ run, status }) => [run, status]),
    );
    expect([0, 3]).toContain(
      delivered(await objective({ objective: "After the restore", deadline_seconds: 90 })).code,
    );
  });
});
