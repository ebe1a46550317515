// The promise: `firm credentials` makes what a deployment needs, once, and keeps it in a Kubernetes Secret whoever writes beside it.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { cliHome, type CliHome } from "../harness/cli.ts";

let home: CliHome;
beforeEach(async () => {
  home = await cliHome();
});
afterEach(() => home.remove());

const creds = (name: string): Promise<string> => readFile(join(home.dir, ".firm/creds", name), "utf8");

it("writes a seed for each identity, the signing key and the server's configuration, and keeps what is there", async () => {
  const first = await home.run(["credentials", "--nats-port", "4333", "--nats-http-port", "8222"]);
  expect([first.code, first.stderr]).toEqual([0, ""]);
  const names = await readdir(join(home.dir, ".firm/creds"));
  for (const name of [
    "gateway.nk",
    "user.nk",
    "operator.nk",
    "ceo.nk",
    "executive.cfo.nk",
    "department.engineering.nk",
    "token.key",
  ])
    expect(names).toContain(name);
  const config = await creds("nats-server.conf");
  expect(config).toContain('listen: "0.0.0.0:4333"');
  expect(config).toContain('http: "0.0.0.0:8222"');
  expect(config).not.toContain((await creds("gateway.nk")).trim());
  expect((await creds("nats-authorization.conf")).startsWith("authorization {")).toBe(true);
  const seed = await creds("ceo.nk");
  await writeFile(
    join(home.dir, "firm.yaml"),
    "departments: [{ name: legal, services: [{ name: contracts, employees: [{ name: counsel }] }] }]\n",
  );
  expect((await home.run(["credentials"])).code).toBe(0);
  expect(await creds("ceo.nk")).toBe(seed);
  expect(await creds("department.legal.nk")).toMatch(/^SU/);
});

it("names a port that is none", async () => {
  const { code, stderr } = await home.run(["credentials", "--nats-port", "many"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--nats-port")]);
});

describe("in a Kubernetes Secret", () => {
  const Stored = z.object({
    metadata: z.object({ resourceVersion: z.string().optional() }).loose(),
    data: z.record(z.string(), z.string()),
  });
  let server: Server;
  let stored: (z.infer<typeof Stored> & { version: number }) | undefined;
  let refuse: number | undefined;
  /** Called before each write. */
  let meanwhile: () => void;

  beforeEach(async () => {
    stored = undefined;
    refuse = undefined;
    meanwhile = () => undefined;
    server = createServer((request, response) => {
      void answer(request.method ?? "", request).then(([status, body]) => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  });
  afterEach(() => new Promise((done) => server.close(done)));

  async function answer(method: string, request: NodeJS.ReadableStream): Promise<[number, unknown]> {
    if (refuse !== undefined) return [refuse, {}];
    if (method === "GET") return stored === undefined ? [404, {}] : [200, view()];
    meanwhile();
    const sent = Stored.parse(JSON.parse(await text(request)));
    const conflict =
      method === "POST" ? stored !== undefined : sent.metadata.resourceVersion !== String(stored?.version);
    if (conflict) return [409, {}];
    stored = { ...sent, version: (stored?.version ?? 0) + 1 };
    return [method === "POST" ? 201 : 200, view()];
  }
  const view = () => ({
    metadata: { name: "c", resourceVersion: String(stored?.version) },
    data: stored?.data,
  });
  const sync = () =>
    home.run([
      "credentials",
      "--kubernetes-secret",
      "c",
      "--kubernetes-namespace",
      "firm",
      "--kubernetes-api",
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ]);

  it("creates it, and changes nothing the next time, whatever pod it runs in", async () => {
    expect(await sync()).toMatchObject({ code: 0, stdout: expect.stringContaining("firm/c created") });
    const first = { ...stored?.data };
    expect(Object.keys(first)).toContain("executive.mentor.nk");
    await rm(join(home.dir, ".firm"), { recursive: true });
    expect(await sync()).toMatchObject({ code: 0, stdout: expect.stringContaining("unchanged") });
    expect(stored?.data).toEqual(first);
  });

  it("takes over what another wrote in between", async () => {
    const theirs = { "ceo.nk": Buffer.from("theirs").toString("base64") };
    meanwhile = () => {
      stored ??= { metadata: {}, data: theirs, version: 1 };
    };
    expect(await sync()).toMatchObject({ code: 0, stdout: expect.stringContaining("changed") });
    expect(stored?.version).toBe(2);
    expect(Object.keys(stored?.data ?? {})).toContain("gateway.nk");
  });

  it("says what it may not", async () => {
    refuse = 403;
    expect(await sync()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("needs get, create and update"),
    });
  });
});
