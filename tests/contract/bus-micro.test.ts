// Service discovery as `nats micro ls | info | stats` ask for it.
import { serveMicro } from "@firm/bus";
import { serviceNameOf, subjects } from "@firm/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startFirmNats, type FirmNats } from "../harness/firm-nats.ts";

let firm: FirmNats;
beforeAll(async () => {
  firm = await startFirmNats();
});
afterAll(() => firm.stop());

const ROLE = "department:engineering";
const NAME = serviceNameOf(ROLE);

describe("serveMicro", () => {
  it("lists a role to a user by all, name and id, with its counters", async () => {
    const role = await firm.connectAs(ROLE);
    const user = await firm.connectAs("user");
    const service = serveMicro(role, {
      name: NAME,
      version: "0.1.0",
      description: "a role",
      metadata: { role: ROLE },
      endpoints: [{ name: "ask", subject: subjects.ask(ROLE), queue: "q" }],
    });
    await role.rtt();
    const ask = async (subject: string): Promise<unknown> =>
      JSON.parse((await user.request(subject, "")).text());
    const identity = {
      name: "firm-department-engineering",
      id: service.id,
      version: "0.1.0",
      metadata: { role: ROLE },
    };
    for (const suffix of ["", `.${NAME}`, `.${NAME}.${service.id}`]) {
      expect(await ask(`$SRV.PING${suffix}`)).toEqual({
        type: "io.nats.micro.v1.ping_response",
        ...identity,
      });
    }
    expect(await ask(`$SRV.INFO.${NAME}`)).toEqual({
      type: "io.nats.micro.v1.info_response",
      ...identity,
      description: "a role",
      endpoints: [{ name: "ask", subject: subjects.ask(ROLE), queue_group: "q", metadata: {} }],
    });
    service.record("ask", 2);
    service.record("ask", 4, new Error("broken"));
    expect(await ask(`$SRV.STATS.${NAME}`)).toMatchObject({
      type: "io.nats.micro.v1.stats_response",
      endpoints: [
        {
          name: "ask",
          num_requests: 2,
          num_errors: 1,
          last_error: "500:broken",
          processing_time: 6_000_000,
          average_processing_time: 3_000_000,
        },
      ],
    });
    service.reset();
    expect(await ask(`$SRV.STATS.${NAME}`)).toMatchObject({
      endpoints: [{ num_requests: 0, num_errors: 0, last_error: "" }],
    });
    service.stop();
    await role.rtt();
    await expect(user.request(`$SRV.PING.${NAME}`, "")).rejects.toMatchObject({ code: "bus-unavailable" });
  });

  it("refuses a name that no tool could ask for", async () => {
    const role = await firm.connectAs(ROLE);
    expect(() => serveMicro(role, { name: "a.b", version: "0.1.0", description: "", endpoints: [] })).toThrow(
      expect.objectContaining({ code: "invalid-input" }),
    );
  });
});
