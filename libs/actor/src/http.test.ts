// Health and metrics over a real port.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Health } from "./health.ts";
import { serveHttp, type HttpPort } from "./http.ts";
import { createMetrics } from "./metrics.ts";

let directory: string;
let port: HttpPort | undefined;
const { registry } = createMetrics("test", "1.2.3");

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "firm-http-"));
});
afterEach(async () => {
  await port?.close();
  await rm(directory, { recursive: true });
});

async function serve(health = new Health()): Promise<(path: string, method?: string) => Promise<Response>> {
  port = await serveHttp({ host: "127.0.0.1", port: 0, file: join(directory, "http") }, registry, health);
  const { address } = port;
  return (path, method = "GET") => fetch(`http://${address}${path}`, { method });
}

test("the file names the bound address", async () => {
  await serve();
  expect(await readFile(join(directory, "http"), "utf8")).toBe(`${port?.address}\n`);
});

test("/readyz says why not; /healthz is ready all the same", async () => {
  const health = new Health("starting");
  const get = await serve(health);
  const before = await get("/readyz");
  expect([before.status, await before.text()]).toEqual([503, "not ready: starting\n"]);
  expect((await get("/healthz")).status).toBe(200);
  health.set("starting", false);
  expect((await get("/readyz")).status).toBe(200);
  health.set("draining", true);
  expect((await get("/readyz")).status).toBe(503);
});

test("/metrics is Prometheus text with the version and the event loop's delay", async () => {
  const response = await (await serve())("/metrics");
  const text = await response.text();
  expect(response.headers.get("content-type")).toContain("version=0.0.4");
  expect(text).toContain('firm_build_info{service="test",version="1.2.3",node="');
  expect(text).toContain("nodejs_eventloop_lag_p99_seconds");
});

test("anything else is refused", async () => {
  const get = await serve();
  expect((await get("/")).status).toBe(404);
  expect((await get("/metrics", "POST")).status).toBe(405);
});

test("a port that is taken is an error that says what to do", async () => {
  await serve();
  const taken = Number(port?.address.split(":")[1]);
  await expect(
    serveHttp({ host: "127.0.0.1", port: taken, file: undefined }, registry, new Health()),
  ).rejects.toThrow(/FIRM_HTTP_PORT/);
});
