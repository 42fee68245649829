import { describe, expect, it } from "vitest";
import { prefixOf } from "../../../../../core/contract/ports/store.ts";
import { cleanup } from "../rig/cleanup.ts";
import { eventually } from "../rig/eventually.ts";
import { Journal } from "../rig/journal.ts";
import { numbered, numbers, sampleKey, things } from "../rig/samples.ts";

const start = cleanup();
const subject = numbers("pulled");

const isMessage = (frame: string) => /^H?MSG \S+ \S+ \$JS\.ACK\.mooring_test_number\./.test(frame);

/** One key of one partition; the connection loses the messages that the test names, and stays open. */
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

describe("given a node that crashes between a consumer and its reader, whose connection to another node stays open (F34)", () => {
  it("when a message is lost in transit, then it is read again before the messages behind it", async () => {
    const { journal, publish, expectOnceInOrder } = await losing((nth) => nth === 3);
    await publish(0, 6);
    await eventually(() => expect(journal.distinct).toBe(6), 20_000);
    expectOnceInOrder(1);
  });

  it("when the first messages of a consumer are lost, then they are read again", async () => {
    const { journal, publish, expectOnceInOrder } = await losing((nth) => nth <= 2);
    await publish(0, 4);
    await eventually(() => expect(journal.distinct).toBe(4), 20_000);
    expectOnceInOrder(2);
  });

  it("when the last message is lost, then it is read again within seconds, although no other one follows", async () => {
    const { journal, publish, expectOnceInOrder } = await losing((nth) => nth === 3);
    await publish(0, 3);
    await eventually(() => expect(journal.distinct).toBe(3), 20_000);
    expectOnceInOrder(1);
  });

  it("when an entry of a list is lost, then the list is read again and is complete", async () => {
    const { port } = await start.server();
    const wire = await start.wire(port);
    const { store } = await start.backbone({ servers: [wire.url] });
    for (let n = 0; n < 4; n++) await store.put(sampleKey(`t${n}`), { n });
    let sent = 0;
    wire.lose("server", (frame) => /^H?MSG \S+ \S+ \$JS\.ACK\.KV_mooring_things\./.test(frame) && ++sent === 2);
    const listed: number[] = [];
    for await (const { value } of store.list(prefixOf(things("strict")))) listed.push(value.n);
    expect(listed.sort()).toEqual([0, 1, 2, 3]);
    expect(sent).toBeGreaterThan(4);
  });
});
