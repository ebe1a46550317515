// Owns the container's health check: the process's own /healthz.
import { get } from "node:http";

const port = process.env.FIRM_HTTP_PORT ?? "9464";
const request = get({ host: "127.0.0.1", port, path: "/healthz", timeout: 2_000 }, (response) => {
  response.resume();
  process.exit(response.statusCode === 200 ? 0 : 1);
});
request.on("timeout", () => request.destroy(new Error("timeout")));
request.on("error", () => process.exit(1));
