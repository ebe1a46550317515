// `firm bus init` after a loss: a durable that stands beyond what its stream remembers would pass over all that is stored next.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { initBus, type Bus } from "@firm/bus";
import { durableOf, STREAMS, subjects } from "@firm/protocol";
import { expect, it } from "vitest";
import { startFirmNats } from "../harness/firm-nats.ts";

/** Takes one piece of work of the CEO. */
async function takeOne(bus: Bus): Promise<string> {
  const source = await bus.work(STREAMS.work, durableOf("ceo"));
  const took = Promise.withResolvers<string>();
  let free = 1;
  const running = source.run(
    { acquire: () => Promise.resolve(free-- > 0), release: () => undefined },
    (delivery) => void delivery.ack().then(() => took.resolve(delivery.text()), took.reject),
  );
  const text = await took.promise;
  await running;
  return text;
}

it("a durable ahead of its stream is made anew, and delivers what is stored; one that is not is left alone", async () => {
  const firm = await startFirmNats();
  const operator = await firm.connectAs("operator");
  await initBus(operator, firm.config, firm.chart);
  const gateway = await firm.connectAs("gateway");
  const ceo = await firm.connectAs("ceo");
  for (const body of ["one", "two", "three"]) {
    await gateway.append(subjects.work("ceo"), body);
    expect(await takeOne(ceo)).toBe(body);
  }
  expect((await initBus(operator, firm.config, firm.chart)).updated).toEqual([]);

  // What a server that dies on a full disk may leave of an emptied stream: nothing that tells how far it had counted.
  await firm.server.kill("SIGKILL");
  const messages = join(firm.server.storeDir, "jetstream", "$G", "streams", STREAMS.work, "msgs");
  await Promise.all((await readdir(messages)).map((file) => rm(join(messages, file))));
  await firm.server.start();

  expect((await initBus(operator, firm.config, firm.chart)).updated).toEqual([
    `durable ${STREAMS.work}/${durableOf("ceo")}`,
  ]);
  await gateway.append(subjects.work("ceo"), "four");
  expect(await takeOne(ceo)).toBe("four");
  await firm.stop();
});
