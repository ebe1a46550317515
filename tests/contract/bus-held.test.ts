// How many messages a stream holds, asked with the gateway's own rights: it may list the streams, not read the dead letters.
import { initBus, type Bus } from "@firm/bus";
import { STREAMS, subjects } from "@firm/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startFirmNats, type FirmNats } from "../harness/firm-nats.ts";

let firm: FirmNats;
let gateway: Bus;
beforeEach(async () => {
  firm = await startFirmNats();
  gateway = await firm.connectAs("gateway");
});
afterEach(() => firm.stop());

const deadLetter = subjects.dlq(STREAMS.work);

it("counts what stands in it now", async () => {
  await initBus(await firm.connectAs("operator"), firm.config, firm.chart);
  expect(await gateway.held(STREAMS.dlq, deadLetter)).toBe(0);
  await gateway.append(deadLetter, "one");
  await gateway.append(subjects.dlq(STREAMS.objectives), "two");
  expect(await gateway.held(STREAMS.dlq, deadLetter)).toBe(2);
});

it("names a stream that is not there", async () => {
  await expect(gateway.held(STREAMS.dlq, deadLetter)).rejects.toMatchObject({
    code: "storage-unavailable",
    message: expect.stringContaining(STREAMS.dlq),
  });
});
