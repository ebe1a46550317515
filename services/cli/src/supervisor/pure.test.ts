// Holds the supervisor's decisions: restarts, which roles are wanted, what a process is told, what Prometheus reads.
import type { InvocationItem } from "@firm/protocol";
import { describe, expect, it } from "vitest";
import { pathsOf } from "../paths.ts";
import { afterCrash, NO_CRASHES } from "./backoff.ts";
import { ActiveRuns, rolesWantedBy, topFirst } from "./demand.ts";
import { environmentOf, serviceOf } from "./services.ts";
import { targetsOf } from "./state.ts";

describe("restarts", () => {
  it("wait longer each time, up to ten seconds, and the fifth in a row is a loop, said once", () => {
    let history = NO_CRASHES;
    const seen = Array.from({ length: 9 }, () => {
      const next = afterCrash(history, 100);
      ({ history } = next);
      return [next.delayMs, next.loop];
    });
    expect(seen.map(([delay]) => delay)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    expect(seen.flatMap(([, loop], i) => (loop === true ? [i] : []))).toEqual([4]);
  });

  it("begin anew for who ran well in between", () => {
    expect(afterCrash({ crashes: 7 }, 60_000)).toEqual({
      history: { crashes: 1 },
      delayMs: 100,
      loop: false,
    });
  });
});

describe("demand", () => {
  it("starts who is asked, and nobody for a word that is no role", () => {
    const asked = (role: string): InvocationItem => ({
      state: "asked",
      id: role,
      at: 1,
      role,
      chain: [role],
      question: "?",
      handoff: "root",
      phase: 0,
    });
    const ended = { state: "ended", id: "x", at: 1, role: "cmo", outcome: "answered" } as const;
    const items = [asked("cro"), asked("janitor"), asked("mentor"), ended];
    expect(rolesWantedBy({ type: "invocations", run: "R", at: 1, items })).toEqual(["cro"]);
  });

  it("starts the top level first", () => {
    expect(topFirst(["employee:a", "service:b", "cfo", "department:c", "ceo"])).toEqual([
      "ceo",
      "department:c",
      "service:b",
      "employee:a",
      "cfo",
    ]);
  });

  it("counts runs that go on", () => {
    const runs = new ActiveRuns();
    runs.add("a");
    runs.add("b");
    runs.note({ type: "finished", run: "a", at: 1, status: "failed" });
    expect([runs.size, runs.seen]).toEqual([1, 2]);
  });
});

describe("a process", () => {
  it.each([
    ["gateway", "gateway"],
    ["ceo", "ceo"],
    ["department:legal", "department"],
    ["service:backend", "service"],
    ["employee:auditor", "employee"],
    ["cfo", "executive"],
  ] as const)("%s is served by %s", (member, service) => {
    expect(serviceOf(member)).toBe(service);
  });

  it("is told its part, keeps what agents need, and nothing that speaks to the supervisor", () => {
    const paths = pathsOf("/home/me");
    const settings = {
      paths,
      natsUrl: "nats://127.0.0.1:1",
      withNkeys: true,
      configFile: "/f.yaml",
      logLevel: "info",
    };
    const inherited = {
      PATH: "/bin",
      OPENAI_API_KEY: "k",
      FIRM_SCRIPTED_FILE: "/s.json",
      FIRM_ROLE: "ceo",
      FIRM_NATS_SERVER: "/n",
      FIRM_LAUNCHER_FD: "3",
      FIRM_TOKEN_KEY_FILE: "/stolen",
      GONE: undefined,
    };
    expect(environmentOf("department:legal", settings, inherited)).toEqual({
      PATH: "/bin",
      OPENAI_API_KEY: "k",
      FIRM_SCRIPTED_FILE: "/s.json",
      NODE_COMPILE_CACHE: "/home/me/.firm/cache",
      MALLOC_ARENA_MAX: "1",
      FIRM_NATS_URL: "nats://127.0.0.1:1",
      FIRM_NKEY_FILE: "/home/me/.firm/creds/department.legal.nk",
      FIRM_ROLE: "department:legal",
      FIRM_CONFIG: "/f.yaml",
      FIRM_HTTP_PORT: "0",
      FIRM_HTTP_HOST: "127.0.0.1",
      FIRM_HTTP_FILE: "/home/me/.firm/http/department.legal",
      FIRM_LOG_LEVEL: "info",
      FIRM_STATE_DIR: "/home/me/.firm",
      FIRM_PARENT_PIPE: "1",
    });
    const gateway = environmentOf("gateway", { ...settings, withNkeys: false }, inherited);
    expect(gateway).toMatchObject({ FIRM_TOKEN_KEY_FILE: "/home/me/.firm/creds/token.key" });
    expect(gateway).not.toHaveProperty("FIRM_ROLE");
    expect(gateway).not.toHaveProperty("FIRM_NKEY_FILE");
  });
});

it("Prometheus reads every process that listens", () => {
  const state = {
    pid: 1,
    started_at: 0,
    nats_url: "nats://127.0.0.1:1",
    http: "127.0.0.1:2",
    processes: [
      { name: "nats-server", pid: 3, restarts: 0, crashes: 0 },
      { name: "ceo", pid: 4, http: "127.0.0.1:5", restarts: 0, crashes: 0 },
    ],
  };
  expect(targetsOf(state)).toEqual([
    { targets: ["127.0.0.1:2"], labels: { job: "firm", process: "supervisor" } },
    { targets: ["127.0.0.1:5"], labels: { job: "firm", process: "ceo" } },
  ]);
});
