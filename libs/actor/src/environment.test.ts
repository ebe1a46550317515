// What a process is told: each wrong variable is named, with what to do.
import { expect, test } from "vitest";
import { readEnvironment } from "./environment.ts";

const enough = { FIRM_NATS_URL: "nats://127.0.0.1:4222" };

test("defaults", () => {
  expect(readEnvironment(enough)).toMatchObject({
    natsServers: ["nats://127.0.0.1:4222"],
    nkeyFile: undefined,
    role: undefined,
    httpHost: "127.0.0.1",
    httpPort: 0,
    logLevel: "info",
    parentPipe: false,
  });
});

test("it is frozen, and read once", () => {
  const source: NodeJS.ProcessEnv = { ...enough };
  const environment = readEnvironment(source);
  source.FIRM_NATS_URL = "nats://elsewhere:1";
  expect(environment.natsServers).toEqual(["nats://127.0.0.1:4222"]);
  expect(Object.isFrozen(environment)).toBe(true);
});

test("several servers; an empty variable counts as absent", () => {
  const environment = readEnvironment({
    FIRM_NATS_URL: "nats://a:1, nats://b:2,",
    FIRM_NKEY_FILE: "",
    FIRM_HTTP_PORT: "",
  });
  expect(environment.natsServers).toEqual(["nats://a:1", "nats://b:2"]);
  expect(environment.nkeyFile).toBeUndefined();
});

test.each([
  [{}, "FIRM_NATS_URL is not set: set it to the address of nats-server"],
  [{ FIRM_NATS_URL: " , " }, "FIRM_NATS_URL must name a server"],
  [{ FIRM_NATS_URL: "http://x y" }, "FIRM_NATS_URL must be nats://host:port"],
  [{ ...enough, FIRM_HTTP_PORT: "http" }, "FIRM_HTTP_PORT must be a port"],
  [{ ...enough, FIRM_HTTP_PORT: "70000" }, "FIRM_HTTP_PORT"],
  [{ ...enough, FIRM_LOG_LEVEL: "loud" }, "FIRM_LOG_LEVEL"],
  [{ ...enough, FIRM_PARENT_PIPE: "yes" }, "FIRM_PARENT_PIPE must be 1"],
  [{ ...enough, FIRM_ROLE: "Department:X" }, 'FIRM_ROLE "Department:X" is not a role'],
])("%j", (source, message) => {
  expect(() => readEnvironment(source)).toThrow(message);
});
