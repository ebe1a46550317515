// `firm bus init`: idempotent, applies what changed, removes nothing, and says plainly what it cannot do.
import { connectBus, initBus } from "@firm/bus";
import { orgChartOf, parseConfig } from "@firm/config";
import { durableOf, EXECUTIVE_ROLES, STREAMS, subjects } from "@firm/protocol";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { startFirmNats } from "../harness/firm-nats.ts";
import { startNats } from "../harness/nats.ts";

const LEGAL = `
departments:
  - { name: engineering, services: [{ name: backend, employees: [{ name: implementer }] }] }
  - { name: legal, services: [{ name: compliance, employees: [{ name: lawyer }] }] }
`;

describe("initBus", () => {
  it("creates everything once, then changes nothing; concurrent runs agree", async () => {
    const firm = await startFirmNats();
    const operators = await Promise.all([firm.connectAs("operator"), firm.connectAs("operator")]);
    await Promise.all(operators.map((operator) => initBus(operator, firm.config, firm.chart)));
    const [operator] = operators;
    if (operator === undefined) throw new Error("no operator");
    const report = await initBus(operator, firm.config, firm.chart);
    expect(report.created).toEqual([]);
    expect(report.updated).toEqual([]);
    expect(report.unchanged).toEqual(
      [
        ...Object.values(STREAMS).map((stream) => `stream ${stream}`),
        "bucket firm-runs",
        "bucket firm-sessions",
        "object store firm-artifacts",
        "durable FIRM_OBJECTIVES/gateway",
        ...[...firm.chart.roles, ...EXECUTIVE_ROLES].map((role) => `durable FIRM_WORK/${durableOf(role)}`),
      ].toSorted(),
    );
    await firm.stop();
  });

  it("applies changed limits, adds durables of roles that join, and removes none of those that leave", async () => {
    const firm = await startFirmNats();
    const operator = await firm.connectAs("operator");
    await initBus(operator, firm.config, firm.chart);
    await operator.append(subjects.run.session("KEPT"), "x");
    const config = parseConfig(
      `${LEGAL}bus: { max_bytes: 50000000, runs_max_age_days: 2, ack_wait_seconds: 9, max_deliver: 2 }`,
    );
    const report = await initBus(operator, config, orgChartOf(config));
    expect(report.created).toEqual([
      "durable FIRM_WORK/department_legal",
      "durable FIRM_WORK/employee_lawyer",
      "durable FIRM_WORK/service_compliance",
    ]);
    expect(report.updated).toContain("stream FIRM_RUNS");
    expect(report.updated).toContain("durable FIRM_WORK/employee_implementer");
    expect(report.unchanged).toEqual([]);
    expect((await operator.work(STREAMS.work, "employee_implementer")).ackWaitMs).toBe(9000);
    expect((await operator.work(STREAMS.work, "department_quality")).ackWaitMs).toBe(5000);
    expect(await operator.read(STREAMS.runs, subjects.run.of("KEPT"))).toHaveLength(1);
    const info = await operator.request(`$JS.API.STREAM.INFO.${STREAMS.runs}`, "");
    const { config: stream } = z
      .object({ config: z.object({ max_bytes: z.number(), max_age: z.number() }) })
      .parse(JSON.parse(info.text()));
    expect(stream).toEqual({ max_bytes: 50_000_000, max_age: 2 * 86_400e9 });
    expect((await initBus(operator, config, orgChartOf(config))).updated).toEqual([]);
    await firm.stop();
  });

  it("survives a restart with all that was stored", async () => {
    const firm = await startFirmNats();
    const operator = await firm.connectAs("operator");
    await initBus(operator, firm.config, firm.chart);
    await operator.append(subjects.run.session("R"), "x");
    await firm.server.kill("SIGKILL");
    await firm.server.start();
    expect((await initBus(operator, firm.config, firm.chart)).created).toEqual([]);
    expect(await operator.read(STREAMS.runs, subjects.run.of("R"))).toHaveLength(1);
    await firm.stop();
  });

  it("does not answer an objective in the gateway's stead", async () => {
    const firm = await startFirmNats();
    await initBus(await firm.connectAs("operator"), firm.config, firm.chart);
    const gateway = await firm.connectAs("gateway");
    gateway.subscribe(subjects.objective, (request) => request.respond("from the gateway"));
    await gateway.rtt();
    const user = await firm.connectAs("user");
    expect((await user.request(subjects.objective, "Build a payment API")).text()).toBe("from the gateway");
    expect(await gateway.lag(STREAMS.objectives, "gateway")).toEqual({ pending: 1, unacknowledged: 0 });
    await firm.stop();
  });

  it("says that JetStream is disabled", async () => {
    const server = await startNats({ jetstream: false });
    const bus = await connectBus({ servers: server.url, name: "init" });
    const config = parseConfig("");
    await expect(initBus(bus, config, orgChartOf(config))).rejects.toMatchObject({
      code: "storage-unavailable",
      message: expect.stringContaining("JetStream is not enabled"),
      hint: expect.stringContaining("nats-server -js"),
    });
    await bus.drain();
    await server.stop();
  });

  it("leaves a stream that is somebody else's alone", async () => {
    const server = await startNats();
    const bus = await connectBus({ servers: server.url, name: "init" });
    const theirs = {
      name: STREAMS.runs,
      subjects: ["theirs"],
      retention: "interest",
      storage: "memory",
      num_replicas: 1,
    };
    await bus.request(`$JS.API.STREAM.CREATE.${STREAMS.runs}`, JSON.stringify(theirs));
    const config = parseConfig("");
    await expect(initBus(bus, config, orgChartOf(config))).rejects.toMatchObject({
      code: "storage-unavailable",
      message: expect.stringContaining("retention interest instead of limits"),
    });
    await bus.drain();
    await server.stop();
  });

  it("says what to do where the disk allows less than firm.yaml asks", async () => {
    const server = await startNats({ config: "jetstream { max_file_store: 1000000 }", jetstream: true });
    const bus = await connectBus({ servers: server.url, name: "init" });
    const config = parseConfig("");
    await expect(initBus(bus, config, orgChartOf(config))).rejects.toMatchObject({
      code: "storage-unavailable",
      hint: expect.stringContaining("bus.max_bytes"),
    });
    await bus.drain();
    await server.stop();
  });
});
