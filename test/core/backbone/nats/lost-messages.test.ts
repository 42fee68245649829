import { describe, expect, it } from "vitest";
import { cleanup } from "./cleanup.ts";
import { eventually } from "./eventually.ts";
import { Journal } from "./journal.ts";
import { numbered, numbers } from "./samples.ts";

const start = cleanup();
const subject = numbers("pulled");

const isMessage = (frame: string) => /^H?MSG \S+ \S+ \$JS\.ACK\.mooring_test_number\./.test(frame);

/** One key of one partition; the wire loses those of its messages that the test names, and the connection stays open. */
const losing = async (isLost: (nth: number) => boolean) => {
  const { port } = await start.server();
  const wire = await start.wire(port);
  const backbone = await start.backbone({ servers: [wire.url], partitions: 1 });
  const journal = new Journal();
  let [sent, lost] = [0, 0];
  wire.lose("server", (frame) => {
    const isLostNow = isMessage(frame) && isLost(++sent);
    if (isLostNow) lost++;
    return isLostNow;
  });
  await backbone.bus.consume(subject, { durable: "d", concurrency: 1 }, journal.handler("here"));
  const publish = async (from: number, to: number) => {
    for (let n = from; n < to; n++) await backbone.bus.publish(subject, numbered(n), { id: `k/${n}`, key: "k" });
  };
  const expectOnceInOrder = (losses: number) => {
    journal.expectOrder();
    expect([journal.repeats, lost]).toEqual([0, losses]);
  };
  return { journal, publish, expectOnceInOrder };
};

describe("given a node that dies between a consumer and its reader, whose connection to another node stays (F34)", () => {
  it("when a message is lost on its way, then it is read again before the messages behind it", async () => {
    const { journal, publish, expectOnceInOrder } = await losing((nth) => nth === 3);
    await publish(0, 6);
    await eventually(() => expect(journal.distinct).toBe(6), 5_000);
    expectOnceInOrder(1);
  });

  it("when the first messages of a consumer are lost, then they are read again", async () => {
    const { journal, publish, expectOnceInOrder } = await losing((nth) => nth <= 2);
    await publish(0, 4);
    await eventually(() => expect(journal.distinct).toBe(4), 5_000);
    expectOnceInOrder(2);
  });

  it("when the last message is lost, then it is read again within seconds, although no other follows", async () => {
    const { journal, publish, expectOnceInOrder } = await losing((nth) => nth === 3);
    await publish(0, 3);
    await eventually(() => expect(journal.distinct).toBe(3), 10_000);
    expectOnceInOrder(1);
  });
});
