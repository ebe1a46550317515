// The promise: no answer depends on one process staying alive.
import type { Role } from "@firm/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSystem, type FirmSystem } from "../harness/system.ts";

/** Every role waits long enough for a kill to hit it at work. */
const SLOW = { "*": [{ do: "result", delay_ms: 400 }] };

let system: FirmSystem;
beforeAll(async () => {
  system = await startSystem({ gateways: 2 });
});
afterAll(() => system.stop());
beforeEach(async () => {
  await system.heal();
  await system.script(SLOW);
});

async function atWork(firm: FirmSystem, run: string, role: Role): Promise<void> {
  await firm.events(run, (all) =>
    all.some(({ event }) => event.type === "handoff" && event.contract.to === role),
  );
}

describe("kill -9 in the middle of a run", () => {
  it.each(["department:strategy", "department:engineering", "service:testing", "employee:coordinator"])(
    "of %s: its work is delivered to the next process, which goes on under a new attempt",
    async (role) => {
      const { run } = await system.objective({ objective: "Build", deadline_seconds: 90 });
      await atWork(system, run, role);
      await Promise.all(system.processesOf(role).map((one) => one.kill("SIGKILL")));
      await system.spawn(role);
      const end = await system.finished(run);
      expect(end.status).toBe("delivered");
      expect([end.deliverable?.status, end.deliverable?.open_items]).toEqual(["complete", []]);
    },
  );

  it("of a department that never comes back: the others deliver, it is an open item", async () => {
    const { run } = await system.objective({ objective: "Build", deadline_seconds: 6 });
    await atWork(system, run, "department:quality");
    await Promise.all(system.processesOf("department:quality").map((one) => one.kill("SIGKILL")));
    const end = await system.finished(run);
    expect(end.status).toBe("delivered");
    const outcome = Object.fromEntries(
      end.deliverable?.departments.map(({ role, status }) => [role, status]) ?? [],
    );
    expect(outcome).toMatchObject({
      "department:strategy": "ok",
      "department:engineering": "ok",
      "department:quality": "timeout",
      "department:operations": "ok",
    });
    expect(end.deliverable?.open_items.join("\n")).toContain("quality");
  });

  it("of the CEO: the next one replays the log and delivers the same run, no handoff twice", async () => {
    const { run } = await system.objective({ objective: "Build" });
    await atWork(system, run, "employee:implementer");
    await Promise.all(system.processesOf("ceo").map((one) => one.kill("SIGKILL")));
    await system.spawn("ceo");
    const end = await system.finished(run);
    expect(end.deliverable?.status).toBe("complete");
    const events = await system.events(run, (all) => all.some(({ event }) => event.type === "finished"));
    const handoffs = events.filter(({ event }) => event.type === "handoff");
    expect(handoffs).toHaveLength(12);
  });

  it("of the CEO that never comes back: the run ends at its deadline with what the departments brought", async () => {
    const { run } = await system.objective({ objective: "Build", deadline_seconds: 5 });
    await atWork(system, run, "department:quality");
    await Promise.all(system.processesOf("ceo").map((one) => one.kill("SIGKILL")));
    const end = await system.finished(run);
    expect(end.status).toBe("timeout");
    expect(end.deliverable?.departments.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok"]);
  });

  it("of one gateway of two, and of the only one", async () => {
    const first = await system.objective({ objective: "Build" });
    await atWork(system, first.run, "service:backend");
    const [one, two] = system.processesOf("gateway");
    await one?.kill("SIGKILL");
    expect((await system.finished(first.run)).deliverable?.status).toBe("complete");
    const second = await system.objective({ objective: "Build" });
    await atWork(system, second.run, "service:backend");
    await two?.kill("SIGKILL");
    await system.spawn("gateway");
    expect((await system.finished(second.run)).deliverable?.status).toBe("complete");
  });

  it("of nats-server: it comes back on its store and the run goes on", async () => {
    const { run } = await system.objective({ objective: "Build" });
    await atWork(system, run, "department:operations");
    await system.server.kill("SIGKILL");
    await system.server.start();
    expect((await system.finished(run)).deliverable?.status).toBe("complete");
  });
});
