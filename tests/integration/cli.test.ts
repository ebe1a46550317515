// The promise: `firm` does what its help says, says what is wrong in one line, and leaves no process behind.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { DISCLAIMER, type RunEvent } from "@firm/protocol";
import { connect, nkeyAuthenticator } from "nats";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { cliHome, type CliHome, type Ended } from "../harness/cli.ts";
import { startNats } from "../harness/nats.ts";

let home: CliHome;
beforeEach(async () => {
  home = await cliHome();
});
afterEach(() => home.remove());

const eventsIn = ({ stdout }: Ended): RunEvent[] =>
  stdout
    .trim()
    .split("\n")
    .map((line) => z.object({ event: z.custom<RunEvent>() }).parse(JSON.parse(line)).event);

describe("firm run", () => {
  it("prints one deliverable and exits with 0", async () => {
    const { code, stdout, stderr } = await home.run(["run", "Build a payment API"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("run delivered")]);
    expect(stdout).toContain("# Build a payment API");
    expect(stdout.trimEnd().endsWith(DISCLAIMER)).toBe(true);
    await home.empty();
  });

  it("exits with 3 where a department did not make it", async () => {
    await home.script({ "employee:auditor": [{ do: "hang" }] });
    const { code, stdout } = await home.run([
      "run",
      "Audit",
      "-d",
      "quality,strategy",
      "--deadline",
      "8",
      "-q",
    ]);
    expect(code).toBe(3);
    expect(stdout).toContain("department:quality");
    await home.empty();
  });

  it("takes every field from a file, streams events as JSON lines, writes the deliverable to a file", async () => {
    await mkdir(join(home.dir, "ws"));
    await writeFile(
      join(home.dir, "o.yaml"),
      "objective: From a file\ndepartments: [strategy]\nconstraints: [read-only]\nworkspace: ws\ndelivery_format: json\n",
    );
    const ended = await home.run([
      "run",
      "--file",
      "o.yaml",
      "--deadline",
      "20",
      "--json",
      "--out",
      "out.json",
    ]);
    expect(ended.code).toBe(0);
    const events = eventsIn(ended);
    expect(events[0]).toMatchObject({
      type: "accepted",
      objective: {
        objective: "From a file",
        departments: ["strategy"],
        constraints: ["read-only"],
        workspace: join(home.dir, "ws"),
        deadline_seconds: 20,
      },
    });
    expect(events.at(-1)).toMatchObject({ type: "finished", status: "delivered" });
    expect(JSON.parse(await readFile(join(home.dir, "out.json"), "utf8"))).toBeTypeOf("object");
  });

  it("starts only the roles that the run needs", async () => {
    await home.run(["run", "Plan", "-d", "strategy"]);
    const logs = (await readdir(join(home.dir, ".firm", "logs"))).filter((name) => !name.includes("nats"));
    expect(logs.toSorted()).toEqual([
      "ceo.log",
      "department.strategy.log",
      "employee.analyst.log",
      "gateway.log",
      "service.planning.log",
    ]);
  });

  it("two at once in one directory share one firm, and both deliver", async () => {
    const both = await Promise.all([home.run(["run", "One", "-q"]), home.run(["run", "Two", "-q"])]);
    expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, expect.any(String)],
      [0, expect.any(String)],
    ]);
    expect(both.map(({ stdout }) => stdout.split("\n")[0])).toEqual(["# One", "# Two"]);
    await home.empty();
  });

  it("detached, prints the run's id; the firm leaves by itself once the run is over", async () => {
    const { code, stdout } = await home.run(["run", "Later", "--detach"]);
    expect(code).toBe(0);
    expect(stdout.trim()).toMatch(/^[0-9A-Z]{26}$/);
    await home.empty();
    const shown = await home.run(["show", stdout.trim()]);
    expect([shown.code, shown.stdout.split("\n")[0]]).toEqual([0, "# Later"]);
    await home.empty();
  });
});

describe("wrong usage is 2, in one line, and starts nothing", () => {
  it.each<[string[], string]>([
    [["run"], "objective must not be empty"],
    [["run", "  "], "objective: must not be empty"],
    [["run", "x", "-d", "nope"], 'there is no department "nope"'],
    [["run", "x", "--workspace", "missing"], "there is no directory"],
    [["run", "x", "--file", "missing.yaml"], "cannot read missing.yaml"],
    [["run", "x", "--deadline", "soon"], "It must be a number"],
    [["run", "x", "--format", "pdf"], "Allowed choices are markdown_report, json, github_pr"],
    [["run", "x", "--agent", "nobody"], 'there is no agent "nobody"'],
    [["frobnicate"], "unknown command"],
  ])("%j", async (args, words) => {
    const { code, stdout, stderr } = await home.run(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("    at ");
    expect(await home.processes()).toEqual([]);
  });

  it("a firm.yaml that is not valid names the field", async () => {
    await writeFile(join(home.dir, "firm.yaml"), "limits: {spawns: 99}\n");
    const { code, stderr } = await home.run(["run", "x"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("limits.spawns")]);
    await writeFile(join(home.dir, "firm.yaml"), "agents: {roles: {ceo: nobody}}\n");
    const other = await home.run(["run", "x"]);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("agents.roles.ceo")]);
  });
});

describe("what the machine lacks is said", () => {
  it("a program that is no nats-server", async () => {
    const { code, stderr } = await home.run(["run", "x"], { env: { FIRM_NATS_SERVER: "/bin/false" } });
    expect([code, stderr]).toEqual([1, expect.stringContaining("/bin/false does not run")]);
    await home.empty();
  });

  it("a server of an older line than the one that wrote the store", async () => {
    await mkdir(join(home.dir, ".firm", "nats"), { recursive: true });
    await writeFile(join(home.dir, ".firm", "nats", "store-version"), "9.0.0\n");
    const { code, stderr } = await home.run(["run", "x"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("cannot read what 9.0.0 stored")]);
    await home.empty();
  });

  it("a port that another program took: the firm takes another", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await mkdir(join(home.dir, ".firm", "nats"), { recursive: true });
    await writeFile(join(home.dir, ".firm", "nats", "port"), `${port}\n`);
    expect((await home.run(["run", "x", "-q", "-d", "strategy"])).code).toBe(0);
    other.close();
  });

  it("a server that cannot be reached", async () => {
    const { code, stderr } = await home.run(["run", "x"], { env: { FIRM_NATS_URL: "nats://127.0.0.1:1" } });
    expect(code).toBe(1);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain("127.0.0.1:1");
  });

  it("a server without JetStream", async () => {
    const server = await startNats({ jetstream: false });
    const { code, stderr } = await home.run(["run", "x"], { env: { FIRM_NATS_URL: server.url } });
    await server.stop();
    expect([code, stderr]).toEqual([1, expect.stringContaining("JetStream")]);
    await home.empty();
  });
});

describe("a server that runs elsewhere", () => {
  it("is used; a gateway and roles are started for it where none answer", async () => {
    const server = await startNats();
    const { code, stdout, stderr } = await home.run(["run", "Elsewhere", "-d", "strategy"], {
      env: { FIRM_NATS_URL: server.url },
    });
    expect([code, stdout.split("\n")[0]]).toEqual([0, "# Elsewhere"]);
    expect(stderr).toContain("no gateway answers");
    await home.empty();
    await server.stop();
  });
});

describe("firm up", () => {
  it("serves any NATS client with the credentials of `firm env`, and `firm down` leaves nothing", async () => {
    expect((await home.run(["status"])).code).toBe(1);
    expect((await home.run(["up", "--detach"])).code).toBe(0);
    expect((await home.run(["up", "--detach"])).stderr).toContain("the firm runs at");
    expect((await home.run(["up"])).stderr).toContain("already runs here");
    const exported = (await home.run(["env"])).stdout;
    const shown = execFileSync("/bin/sh", [
      "-c",
      `${exported}\nprintf '%s\\n%s' "$NATS_URL" "$NATS_NKEY"`,
    ]).toString();
    const [servers = "", seedFile = ""] = shown.split("\n");

    const nc = await connect({ servers, authenticator: nkeyAuthenticator(await readFile(seedFile)) });
    const block =
      '@firm-orchestration run\n  objective: "Build a payment API"\n  departments: ["engineering", "quality"]\n';
    const reply = await nc.request("firm.objective", block, { timeout: 10_000 });
    const { run } = reply.json<{ run: string }>();
    const bad = await nc.request("firm.objective", "{}", { timeout: 10_000 });
    expect(bad.headers?.get("Nats-Service-Error")).toContain("objective");
    await nc.close();

    const watch = await home.run(["watch", run]);
    expect([watch.code, watch.stdout.split("\n")[0]]).toEqual([0, "# Build a payment API"]);
    expect((await home.run(["runs"])).stdout).toContain(run);
    expect((await home.run(["sessions", run])).stdout).toContain(`${run}:employee:implementer`);
    expect((await home.run(["sessions", "--history", "main"])).stdout).toContain("\n# Build a payment API");
    expect((await home.run(["status", run])).stdout).toContain("✔ department:engineering");
    const status = await home.run(["status", "--json"]);
    const state = z
      .object({ processes: z.array(z.object({ name: z.string(), http: z.string().optional() })) })
      .parse(JSON.parse(status.stdout));
    expect(state.processes.map(({ name }) => name)).toContain("department:quality");

    const targets = z
      .array(z.object({ targets: z.array(z.string()) }))
      .parse(JSON.parse(await readFile(join(home.dir, ".firm", "targets.json"), "utf8")));
    const pages = await Promise.all(
      targets
        .flatMap((group) => group.targets)
        .map(async (target) => (await fetch(`http://${target}/metrics`)).text()),
    );
    expect(pages.length).toBeGreaterThanOrEqual(8);
    for (const page of pages) expect(page).toContain("# HELP");

    const init = await home.run(["bus", "init", "--json"]);
    expect(JSON.parse(init.stdout)).toMatchObject({ created: [], updated: [] });
    expect((await home.run(["down"])).stderr).toContain("has stopped");
    await home.empty();
    expect((await home.run(["down"])).code).toBe(0);
  });

  it("keeps secrets to the user", async () => {
    await home.run(["run", "x", "-q", "-d", "strategy"]);
    const mode = (await import("node:fs/promises")).stat;
    const creds = join(home.dir, ".firm", "creds");
    expect((await mode(creds)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(creds)) expect((await mode(join(creds, file))).mode & 0o777).toBe(0o600);
  });
});

describe("firm doctor", () => {
  it("really tries JetStream and leaves nothing", async () => {
    const { code, stdout } = await home.run(["doctor", "--json"]);
    const { ok, checks } = z
      .object({ ok: z.boolean(), checks: z.array(z.object({ name: z.string(), status: z.string() })) })
      .parse(JSON.parse(stdout));
    expect([code, ok]).toEqual([0, true]);
    expect(Object.fromEntries(checks.map(({ name, status }) => [name, status]))).toMatchObject({
      node: "ok",
      "nats-server": "ok",
      jetstream: "ok",
      disk: expect.any(String),
    });
    expect((await readdir(home.dir)).filter((name) => name.startsWith(".firm"))).toEqual([]);
    await home.empty();
  });

  it("exits with 1 where the firm cannot run", async () => {
    const { code, stdout } = await home.run(["doctor"], { env: { FIRM_NATS_SERVER: "/bin/false" } });
    expect([code, stdout]).toEqual([1, expect.stringContaining("✖  nats-server")]);
  });
});

describe("help and completion", () => {
  it("every command has help with examples", async () => {
    for (const command of [
      "run",
      "watch",
      "status",
      "runs",
      "show",
      "cancel",
      "sessions",
      "up",
      "down",
      "env",
      "doctor",
    ]) {
      const { code, stdout } = await home.run([command, "--help"]);
      expect([code, stdout]).toEqual([0, expect.stringContaining("Examples:")]);
    }
  });

  it.each(["bash", "zsh", "fish"])("%s", async (shell) => {
    const { code, stdout } = await home.run(["completion", shell]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("firm")]);
  });

  it("completes commands", async () => {
    const { stdout } = await home.run(["complete", "--", "ca"]);
    expect(stdout).toContain("cancel");
  });
});
