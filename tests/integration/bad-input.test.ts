// The promise: what is wrong is refused with the field and what to do; what was accepted is delivered, whatever else comes in or goes down.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { initBus } from "@firm/bus";
import { orgChartOf, parseConfig } from "@firm/config";
import {
  FirmError,
  HEADERS,
  Objective,
  parseJson,
  ROLE_VERBS,
  RunEvent,
  STREAMS,
  subjects,
} from "@firm/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { cliHome, type CliHome } from "../harness/cli.ts";
import { canMount, smallDisk } from "../harness/full-disk.ts";
import { startNats } from "../harness/nats.ts";
import { firstWorkOf, listeningAt } from "../harness/play.ts";
import { startSystem, type FirmSystem } from "../harness/system.ts";
import { BAD_CONFIGS, BAD_OBJECTIVES, COVERED_FIELDS, GARBAGE } from "./bad-input.cases.ts";

const TWO_DEPARTMENTS = `
agents: { default: scripted, roles: { employee:analyst: playbook } }
bus: { max_bytes: 4194304 }
departments:
  - { name: strategy, services: [{ name: planning, employees: [{ name: analyst }] }] }
  - { name: quality, services: [{ name: testing, employees: [{ name: auditor }] }] }
`;
const AUDITOR = "employee:auditor";
const MOUNTS = await canMount();
const StreamState = z.object({ state: z.object({ last_seq: z.int() }) });

describe("a firm that runs", () => {
  let system: FirmSystem;
  beforeAll(async () => {
    const { roles } = orgChartOf(parseConfig(TWO_DEPARTMENTS));
    // The auditor is played by the test.
    system = await startSystem({ yaml: TWO_DEPARTMENTS, roles: roles.filter((role) => role !== AUDITOR) });
  });
  afterAll(() => system.stop());

  it("has a case for every field of an objective", () => {
    expect(COVERED_FIELDS.toSorted()).toEqual(Object.keys(Objective.shape).toSorted());
  });

  it.each(BAD_OBJECTIVES)("refuses an objective: $what", async ({ body, field, words, code }) => {
    await expect(system.user.request(subjects.objective, body)).rejects.toMatchObject({
      code,
      field,
      message: expect.stringContaining(words),
    });
  });

  it("keeps what was published without a reply, with the reason; the publisher's instructions to the server are no obstacle", async () => {
    const body = '{"objective":"x","departments":["nobody hears this"]}';
    const operator = await system.connectAs("operator");
    const { state } = parseJson(
      StreamState,
      (await operator.request(`$JS.API.STREAM.INFO.${STREAMS.objectives}`, "")).text(),
      "info",
    );
    const letters = await system.connectAs("operator");
    const kept = Promise.withResolvers<Readonly<Record<string, string>>>();
    const feed = await letters.follow(STREAMS.dlq, subjects.allDlq, undefined, (message) => {
      if (message.text() === body) kept.resolve(message.headers);
    });
    system.user.publish(subjects.objective, body, {
      "Nats-Expected-Last-Sequence": String(state.last_seq),
      "X-Mine": "kept",
    });
    expect(await kept.promise).toMatchObject({
      "X-Mine": "kept",
      "Firm-Error": "invalid-input",
      [HEADERS.deadLetterReason]: expect.stringContaining("departments.0"),
    });
    await feed.stop();
  });

  it("delivers the longest objective that it accepts", async () => {
    const { run } = await system.objective({
      objective: "語".repeat(32_768),
      constraints: Array<string>(50).fill("語".repeat(2_000)),
      departments: ["strategy"],
    });
    expect(await system.finished(run)).toMatchObject({
      status: "delivered",
      deliverable: { departments: [{ role: "department:strategy" }] },
    });
  });

  it("names a workspace that does not exist as an open item", async () => {
    const { run } = await system.objective({
      objective: "Audit",
      departments: ["strategy"],
      workspace: "/nowhere/at/all",
    });
    const { status, deliverable } = await system.finished(run);
    expect(status).toBe("delivered");
    expect(JSON.stringify(deliverable?.open_items)).toContain("/nowhere/at/all is not a directory");
  });

  it("answers garbage of a role, with and without a true token, and the work in hand goes on", async () => {
    const [gateway] = system.processesOf("gateway");
    const { run } = await system.objective({
      objective: "Audit",
      departments: ["quality"],
      deadline_seconds: 60,
    });
    const { bus: auditor, delivery, order } = await firstWorkOf(system, AUDITOR);
    const verbs = [...ROLE_VERBS, "frobnicate", "handoff.more.tokens"];
    const asks = verbs.flatMap((verb) =>
      GARBAGE.flatMap((body) => [order.token, "", "no.token"].map((token) => ({ verb, body, token }))),
    );
    const answers = await Promise.allSettled(
      asks.map(({ verb, body, token }) => {
        const headers = { [HEADERS.token]: token };
        return auditor.request(`firm.from.employee.auditor.${verb}`, body, { headers, timeoutMs: 20_000 });
      }),
    );
    const refusals = answers.flatMap((answer) =>
      answer.status === "rejected" && answer.reason instanceof FirmError ? [answer.reason] : [],
    );
    expect(new Set(refusals.map(({ status }) => Math.floor(status / 100)))).toEqual(new Set([4]));
    expect(refusals.filter(({ code }) => code === "invalid-token")).toHaveLength(
      ROLE_VERBS.length * GARBAGE.length * 2,
    );
    expect(answers.length - refusals.length).toBeLessThanOrEqual(ROLE_VERBS.length);

    const result = {
      status: "ok",
      objective_key: order.objective_key,
      summary: "The auditor is not impressed",
      output: "All is well.\n\nRisks: none seen.\n\nNext steps: none.",
    };
    await auditor.request(subjects.from(AUDITOR, "result"), JSON.stringify(result), {
      headers: { [HEADERS.token]: order.token },
    });
    await delivery.ack();
    const { deliverable } = await system.finished(run);
    expect(deliverable?.departments).toMatchObject([{ role: "department:quality", status: "ok" }]);
    expect(system.processesOf("gateway")[0]?.pid).toBe(gateway?.pid);
  });

  it("hears nothing of a user on the roles' subjects, and answers garbage on the user's own", async () => {
    for (const role of system.chart.roles) {
      await expect(system.user.request(subjects.from(role, "handoff"), "garbage")).rejects.toMatchObject({
        code: "permission-refused",
      });
    }
    const { run } = await system.objective({ objective: "Plan", departments: ["strategy"] });
    await system.finished(run);
    const own = [
      "firm.control.x.cancel",
      `firm.control.${run}.frobnicate`,
      `firm.control.${run}.cancel`,
      "firm.invoke",
    ];
    for (const subject of own) {
      for (const body of GARBAGE.filter((one) => one !== "")) {
        const refusal: unknown = await system.user.request(subject, body).then(
          (message) => message.text(),
          (error: unknown) => error,
        );
        expect(refusal).toBeInstanceOf(FirmError);
        if (refusal instanceof FirmError)
          expect([subject, Math.floor(refusal.status / 100)]).toEqual([subject, 4]);
      }
    }
  });

  it("waits for a server that is not there when a role starts, and says so to who asks whether it is ready", async () => {
    const { run } = await system.objective({
      objective: "Later",
      departments: ["quality"],
      deadline_seconds: 90,
    });
    await system.server.kill("SIGKILL");
    const starting = system.spawn(AUDITOR);
    const ready = await fetch(`http://${await listeningAt(system, AUDITOR)}/readyz`);
    expect(ready.status).toBe(503);
    await system.server.start();
    expect((await starting).log()).toContain("NATS does not answer yet");
    expect((await system.finished(run)).deliverable?.status).toBe("complete");
  });

  it("says that a stream is full; what it holds is delivered once there is room", async () => {
    const operator = await system.connectAs("operator");
    await system.script({ [AUDITOR]: [{ do: "hang" }] });
    if (system.processesOf(AUDITOR).length === 0) await system.spawn(AUDITOR);
    const early = await system.objective({
      objective: "Early",
      departments: ["quality"],
      deadline_seconds: 90,
    });
    await system.events(early.run, (all) =>
      all.some(({ event }) => event.type === "started" && event.role === AUDITOR),
    );
    const filling = async (text: string): Promise<void> => {
      const event = { type: "message", run: "FILLER", at: 0, session: "s", from: "ceo", text };
      for (;;) await operator.append(subjects.run.message("FILLER"), JSON.stringify(event));
    };
    for (const size of [100_000, 1_000])
      await expect(filling("x".repeat(size))).rejects.toMatchObject({ code: "storage-unavailable" });
    const accepted = Promise.withResolvers<string>();
    const feed = await system.user.follow(STREAMS.runs, "firm.run.*.accepted", undefined, (message) => {
      const event = parseJson(RunEvent, message.text(), message.subject);
      if (event.type === "accepted" && event.objective.objective.startsWith("Late"))
        accepted.resolve(event.run);
    });
    const late = { objective: `Late ${"x".repeat(30_000)}`, departments: ["strategy"], deadline_seconds: 90 };
    await expect(system.objective(late)).rejects.toMatchObject({
      code: "storage-unavailable",
      message: expect.stringMatching(/not stored as a run in time: .*FIRM_RUNS.*maximum bytes exceeded/),
      hint: expect.stringContaining("runs later"),
    });
    const more = parseConfig(TWO_DEPARTMENTS.replace("4194304", "8388608"));
    await initBus(operator, more, system.chart);
    await system.script({});
    for (const auditor of system.processesOf(AUDITOR)) await auditor.kill("SIGKILL");
    await system.spawn(AUDITOR);
    expect((await system.finished(early.run)).deliverable?.status).toBe("complete");
    expect((await system.finished(await accepted.promise)).status).toBe("delivered");
    await feed.stop();
  });
});

describe("the command", () => {
  let home: CliHome;
  beforeEach(async () => {
    home = await cliHome();
  });
  afterEach(() => home.remove());

  it.each(BAD_CONFIGS)("refuses firm.yaml: %s", async (yaml, words) => {
    await writeFile(join(home.dir, "firm.yaml"), yaml);
    const { code, stderr } = await home.run(["run", "x"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(await home.processes()).toEqual([]);
  });

  it.each([[["up"]], [["bus", "init"]], [["doctor"]]])("%j says that JetStream is disabled", async (args) => {
    const server = await startNats({ jetstream: false });
    const { code, stdout, stderr } = await home.run(args, { env: { FIRM_NATS_URL: server.url } });
    await server.stop();
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("JetStream is not enabled on this NATS server");
    expect(stdout + stderr).toContain("nats-server -js");
    await home.empty();
  });

  it("on a server elsewhere: refuses what is too large for it, and goes on when it comes back from kill -9", async () => {
    const server = await startNats({ config: "max_payload: 65536" });
    const env = { FIRM_NATS_URL: server.url };
    await home.script({ [AUDITOR]: [{ do: "result", delay_ms: 2_000 }] });
    const run = home.start(["run", "Audit", "--json", "-d", "quality", "--deadline", "90"], { env });
    await run.event((event) => event.type === "started" && event.role === AUDITOR);
    const large = await home.run(["run", "x".repeat(30_000), "-q"], { env });
    expect([large.code, large.stderr]).toEqual([2, expect.stringContaining("objective is too large")]);
    await server.kill("SIGKILL");
    await server.start();
    expect((await run.ended).code).toBe(0);
    await home.empty();
    await server.stop();
  });

  it.skipIf(!MOUNTS)(
    "a full disk (where a file system may be mounted): an objective waits or is refused, and all that was accepted is delivered once there is room",
    async () => {
      const disk = await smallDisk(join(home.dir, ".firm"), "48m");
      try {
        await home.script({ [AUDITOR]: [{ do: "result", delay_ms: 1_000 }] });
        const up = home.start(["up", "--all"]);
        await up.said("sets what the nats CLI reads");
        const early = home.start(["run", "Early", "--json", "-d", "quality", "--deadline", "120"]);
        await early.event((event) => event.type === "started" && event.role === AUDITOR);
        await disk.fill();
        const late = home.start(["run", "Late", "-q", "-d", "strategy", "--deadline", "120"]);
        await up.said("free at least 16 MiB there");
        await disk.free();
        await up.said("there is room again: nats-server starts anew");
        expect((await early.ended).code).toBe(0);
        const ended = await late.ended;
        if (ended.code !== 0)
          expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("disk")]);
        const after = await home.run(["run", "Afterwards", "-q", "-d", "strategy"]);
        expect([after.code, after.stderr]).toEqual([0, ""]);
        await home.run(["down"]);
        await up.ended;
      } finally {
        for (const pid of await home.processes()) process.kill(pid, "SIGKILL");
        disk.unmount();
      }
    },
  );
});
