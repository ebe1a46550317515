// The promise that no prompt can break: a role speaks as itself alone, to the gateway alone, and reads only its own inbox.
import { connectBus, initBus, withPermissionCheck, type Bus, type BusStatus } from "@firm/bus";
import { STREAMS, subjects } from "@firm/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collector, startFirmNats, type FirmNats } from "../harness/firm-nats.ts";

const ROLE = "employee:implementer";
let firm: FirmNats;
let gateway: Bus;
let role: Bus;
let user: Bus;
beforeAll(async () => {
  firm = await startFirmNats();
  await initBus(await firm.connectAs("operator"), firm.config, firm.chart);
  gateway = await firm.connectAs("gateway");
  role = await firm.connectAs(ROLE);
  user = await firm.connectAs("user");
});
afterAll(() => firm.stop());

const refused = { code: "permission-refused" };
const publishing = (bus: Bus, subject: string): Promise<unknown> =>
  bus.request(subject, "", { timeoutMs: 2_000 });
const listening = (bus: Bus, subject: string): Promise<unknown> =>
  withPermissionCheck(bus, () => bus.subscribe(subject, () => undefined));

describe("a role", () => {
  it("asks the gateway as itself, and is asked and answers", async () => {
    gateway.subscribe(subjects.from(ROLE, "collect"), (request) => request.respond("collected"));
    role.subscribe(subjects.ask(ROLE), (request) => request.respond("answered"));
    await Promise.all([gateway.rtt(), role.rtt()]);
    expect((await role.request(subjects.from(ROLE, "collect"), "")).text()).toBe("collected");
    expect((await gateway.request(subjects.ask(ROLE), "")).text()).toBe("answered");
  });

  it("works off its own durable", async () => {
    const source = await role.work(STREAMS.work, "employee_implementer");
    const got = collector<string>();
    let free = true;
    const running = source.run(
      { acquire: () => Promise.resolve(free), release: () => undefined },
      (delivery) => {
        free = false;
        void delivery.ack().then(() => got.push(delivery.text()));
      },
    );
    await gateway.append(subjects.work(ROLE), "order");
    await got.until((all) => all.length === 1);
    source.stop();
    await running;
  });

  it("hears a stop", async () => {
    const stops = collector<string>();
    await withPermissionCheck(role, () =>
      role.subscribe(subjects.allStops, (message) => stops.push(message.subject)),
    );
    gateway.publish(subjects.stop("R"), "");
    await stops.until((all) => all.length === 1);
  });

  it.each([
    ["the CEO", subjects.from("ceo", "result")],
    ["another department", subjects.from("department:quality", "handoff")],
    ["the gateway to itself", subjects.ask(ROLE)],
    ["the gateway to another", subjects.ask("ceo")],
    ["the gateway in the log", subjects.run.session("R")],
    ["the gateway ending a handoff", subjects.run.end("R", "h")],
    ["the gateway giving out work", subjects.work(ROLE)],
    ["the gateway stopping a run", subjects.stop("R")],
    ["a user", subjects.objective],
    ["a user asking a role", subjects.invoke("cfo")],
    ["a user in control", subjects.control("R", "cancel")],
    ["a writer of the run records", "$KV.firm-runs.R"],
    ["a writer of artifacts", "$O.firm-artifacts.C.x"],
  ])("cannot speak as %s", async (_who, subject) => {
    await expect(publishing(role, subject)).rejects.toMatchObject(refused);
  });

  it.each([
    ["another role's inbox", `${subjects.inbox("ceo")}.>`],
    ["the users' inboxes", "_INBOX.>"],
    ["all inboxes", ">"],
    ["what another is asked", subjects.toAll("ceo")],
    ["what all are asked", subjects.allTo],
    ["what others ask the gateway", subjects.allFrom],
    ["its own requests' copies", subjects.fromAll(ROLE)],
    ["the work of all", subjects.allWork],
    ["the log of runs", subjects.run.all],
    ["objectives", subjects.objective],
    ["acknowledgements", "$JS.ACK.>"],
  ])("cannot listen to %s", async (_what, subject) => {
    const bus = await firm.connectAs(ROLE);
    await expect(listening(bus, subject)).rejects.toMatchObject(refused);
  });

  it.each([
    ["create a consumer on its work", `$JS.API.CONSUMER.CREATE.${STREAMS.work}`],
    ["create a durable", `$JS.API.CONSUMER.DURABLE.CREATE.${STREAMS.work}.mine`],
    ["create a consumer on the log", `$JS.API.CONSUMER.CREATE.${STREAMS.runs}.x.${subjects.run.all}`],
    ["delete its durable", `$JS.API.CONSUMER.DELETE.${STREAMS.work}.employee_implementer`],
    ["pull another's work", `$JS.API.CONSUMER.MSG.NEXT.${STREAMS.work}.ceo`],
    ["acknowledge another's work", `$JS.ACK.${STREAMS.work}.ceo.1.1.1.1.0`],
    ["create a stream", "$JS.API.STREAM.CREATE.MINE"],
    ["delete a stream", `$JS.API.STREAM.DELETE.${STREAMS.runs}`],
    ["read the log", `$JS.API.DIRECT.GET.${STREAMS.runs}.${subjects.run.session("R")}`],
    ["read messages of the queue", `$JS.API.STREAM.MSG.GET.${STREAMS.work}`],
    ["delete messages of the queue", `$JS.API.STREAM.MSG.DELETE.${STREAMS.work}`],
  ])("cannot %s", async (_what, subject) => {
    await expect(publishing(role, subject)).rejects.toMatchObject(refused);
  });

  it("cannot answer on an inbox that did not ask", async () => {
    await expect(publishing(role, `${subjects.inbox("ceo")}.abc.0`)).rejects.toMatchObject(refused);
    await expect(publishing(role, "_INBOX.abc.0")).rejects.toMatchObject(refused);
  });

  it("hears of a refusal as a status too", async () => {
    const bus = await firm.connectAs(ROLE);
    const statuses = collector<BusStatus>();
    bus.onStatus(statuses.push);
    bus.publish(subjects.objective, "not mine");
    await statuses.until((all) =>
      all.some((status) => status.type === "permission-refused" && status.subject === subjects.objective),
    );
  });

  it("is not let in without its key, or with a key that nobody knows", async () => {
    await expect(connectBus({ servers: firm.server.url, name: "none" })).rejects.toMatchObject(refused);
    const stranger = await startFirmNats();
    const seed = stranger.keyOf(ROLE).seed;
    await stranger.stop();
    await expect(
      connectBus({ servers: firm.server.url, name: "stranger", nkeySeed: seed }),
    ).rejects.toMatchObject(refused);
  });
});

describe("an executive", () => {
  it("is asked, pulls its own work, and nobody else's", async () => {
    const cfo = await firm.connectAs("cfo");
    cfo.subscribe(subjects.ask("cfo"), (request) => request.respond("yes"));
    await cfo.rtt();
    expect((await gateway.request(subjects.ask("cfo"), "")).text()).toBe("yes");
    expect((await cfo.work(STREAMS.work, "executive_cfo")).ackWaitMs).toBeGreaterThan(0);
    await expect(publishing(cfo, `$JS.API.CONSUMER.MSG.NEXT.${STREAMS.work}.ceo`)).rejects.toMatchObject(
      refused,
    );
  });
});

describe("a user", () => {
  it("asks for runs, controls them, and reads what happens", async () => {
    for (const subject of [
      subjects.objective,
      subjects.invoke(),
      subjects.invoke("cfo"),
      subjects.control("R", "cancel"),
      subjects.feedback("R"),
    ]) {
      gateway.subscribe(subject, (request) => request.respond("heard"));
      await gateway.rtt();
      expect((await user.request(subject, "")).text()).toBe("heard");
    }
    await gateway.append(subjects.run.accepted("U"), "event");
    await (await gateway.kv("firm-runs")).put("U", "record");
    expect((await user.read(STREAMS.runs, subjects.run.of("U"))).map((message) => message.text())).toEqual([
      "event",
    ]);
    expect((await (await user.kv("firm-runs")).get("U"))?.text).toBe("record");
    await listening(user, subjects.run.all);
  });

  it.each([
    ["speak as a role", subjects.from("ceo", "result")],
    ["give out work", subjects.work("ceo")],
    ["ask a role past the gateway", subjects.ask("cfo")],
    ["write the log", subjects.run.finished("R")],
    ["write run records", "$KV.firm-runs.R"],
    ["delete the log", `$JS.API.STREAM.PURGE.${STREAMS.runs}`],
    ["take work", `$JS.API.CONSUMER.MSG.NEXT.${STREAMS.work}.ceo`],
  ])("cannot %s", async (_what, subject) => {
    await expect(publishing(user, subject)).rejects.toMatchObject(refused);
  });
});

describe("the gateway", () => {
  it("has what it needs, and creates nothing", async () => {
    await withPermissionCheck(gateway, async () => {
      for (const subject of [
        subjects.allFrom,
        subjects.objective,
        subjects.allInvokes,
        subjects.invoke(),
        subjects.allControls,
        subjects.allFeedback,
      ]) {
        gateway.subscribe(subject, () => undefined, { queue: "check" });
      }
      await gateway.work(STREAMS.objectives, "gateway");
      const feed = await gateway.follow(STREAMS.runs, subjects.run.all, undefined, () => undefined);
      await feed.stop();
      const letters = await gateway.deadLetters(STREAMS.work, () => Promise.resolve());
      await letters.drain();
      await (await gateway.kv("firm-sessions")).put("k", "v");
    });
    await expect(publishing(gateway, "$JS.API.STREAM.CREATE.MINE")).rejects.toMatchObject(refused);
    await expect(publishing(gateway, `$JS.API.STREAM.DELETE.${STREAMS.runs}`)).rejects.toMatchObject(refused);
    await expect(
      publishing(gateway, `$JS.API.CONSUMER.DURABLE.CREATE.${STREAMS.work}.mine`),
    ).rejects.toMatchObject(refused);
    await expect(publishing(gateway, subjects.from("ceo", "result"))).rejects.toMatchObject(refused);
  });
});

describe("the supervisor", () => {
  it("follows runs and sees what waits, and can do no role's work", async () => {
    const supervisor = await firm.connectAs("supervisor");
    const feed = await supervisor.follow(STREAMS.runs, subjects.run.all, undefined, () => undefined);
    await feed.stop();
    expect(await supervisor.lag(STREAMS.work, "ceo")).toMatchObject({ pending: 0 });
    await expect(
      publishing(supervisor, `$JS.API.CONSUMER.MSG.NEXT.${STREAMS.work}.ceo`),
    ).rejects.toMatchObject(refused);
  });
});
