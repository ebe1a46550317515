// Owns the process's HTTP port: /metrics, /healthz (alive) and /readyz (can take work), nothing else.
import { rename, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import { FirmError } from "@firm/protocol";
import type { Registry } from "prom-client";
import type { Health } from "./health.ts";

/** A bound HTTP port. */
export interface HttpPort {
  /** `host:port` as bound. */
  readonly address: string;
  close(): Promise<void>;
}

export interface HttpOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Where to write `host:port` once bound; replaced in one step, so that no reader sees half of it. */
  readonly file: string | undefined;
}

/**
 * Serves metrics and health.
 * @throws FirmError `invalid-config` where the port cannot be bound.
 */
export async function serveHttp(options: HttpOptions, registry: Registry, health: Health): Promise<HttpPort> {
  const server = createServer((request, response) => {
    void answer(
      request.method ?? "GET",
      (request.url ?? "/").split("?")[0] ?? "/",
      response,
      registry,
      health,
    );
  });
  await listen(server, options);
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : options.port;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  const address = `${host}:${port}`;
  if (options.file !== undefined) {
    await writeFile(`${options.file}.${process.pid}`, `${address}\n`);
    await rename(`${options.file}.${process.pid}`, options.file);
  }
  // Health is no reason to stay alive: a drained process ends although the port is open.
  server.unref();
  return {
    address,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, options: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === "EADDRINUSE"
          ? "the port is taken; set FIRM_HTTP_PORT to another, or to 0 for any"
          : cause.message;
      reject(
        new FirmError("invalid-config", `cannot listen on ${options.host}:${options.port}: ${why}`, {
          field: "FIRM_HTTP_PORT",
          cause,
        }),
      );
    });
    server.listen(options.port, options.host, resolve);
  });
}

async function answer(
  method: string,
  path: string,
  response: ServerResponse,
  registry: Registry,
  health: Health,
): Promise<void> {
  if (method !== "GET" && method !== "HEAD") return end(response, 405, "text/plain", "only GET\n");
  if (path === "/healthz") return end(response, 200, "text/plain", "ok\n");
  if (path === "/readyz") {
    const reasons = health.reasons();
    return end(
      response,
      reasons.length === 0 ? 200 : 503,
      "text/plain",
      reasons.length === 0 ? "ready\n" : `not ready: ${reasons.join(", ")}\n`,
    );
  }
  if (path !== "/metrics") return end(response, 404, "text/plain", "see /metrics, /healthz, /readyz\n");
  try {
    return end(response, 200, registry.contentType, await registry.metrics());
  } catch (error) {
    return end(response, 500, "text/plain", `${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function end(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
