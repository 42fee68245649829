import { describe, expect, it } from "vitest";
import { cleanup } from "../rig/cleanup.ts";
import { eventually } from "../rig/eventually.ts";
import { Journal } from "../rig/journal.ts";
import { numbered, numbers } from "../rig/samples.ts";

const start = cleanup();
const subject = numbers("pulled");
/** The maximum delay by a lost request, with a margin for a busy machine. */
const MAX_STALL_MS = 3_000 + 1_000;

const isPull = (frame: string) => frame.startsWith("PUB $JS.API.CONSUMER.MSG.NEXT.mooring_");
const isStatus = (code: number) => (frame: string) => frame.includes(`\r\nNATS/1.0 ${code} `);

/** One key of one partition, read over a connection that loses frames without an error. */
const onWire = async () => {
  const { port } = await start.server();
  const wire = await start.wire(port);
  const backbone = await start.backbone({ servers: [wire.url], partitions: 1 });
  const journal = new Journal();
  let published = 0;
  return {
    wire,
    backbone,
    journal,
    consume: () => backbone.bus.consume(subject, { durable: "d", concurrency: 1 }, journal.handler("here")),
    publish: async (count: number) => {
      const batch = Array.from({ length: count }, () => published++);
      await Promise.all(batch.map((n) => backbone.bus.publish(subject, numbered(n), { id: `k/${n}`, key: "k" })));
    },
    /** The time until all messages were handled. */
    handled: async () => {
      const begun = performance.now();
      await eventually(() => expect(journal.distinct).toBe(published), 20_000);
      return performance.now() - begun;
    },
    expectOnceInOrder: () => {
      journal.expectOrder();
      expect(journal.repeats).toBe(0);
    },
  };
};

describe("given a connection that loses frames between a reader and the server (F36)", () => {
  it("when the first pull request is lost, then it is repeated within 3 s", async () => {
    const { wire, consume, publish, handled, expectOnceInOrder } = await onWire();
    let lost = 0;
    wire.lose("client", (frame) => isPull(frame) && ++lost === 1);
    await consume();
    await eventually(() => expect(lost).toBeGreaterThan(0));
    await publish(10);
    expect(await handled()).toBeLessThan(MAX_STALL_MS);
    expectOnceInOrder();
  });

  it("when every second pull request is lost under load, then no message waits 3 s, and none runs twice", async () => {
    const { wire, consume, publish, handled, expectOnceInOrder } = await onWire();
    let pulls = 0;
    wire.lose("client", (frame) => isPull(frame) && ++pulls % 2 === 1);
    await consume();
    for (let burst = 0; burst < 3; burst++) {
      await publish(200);
      expect(await handled()).toBeLessThan(MAX_STALL_MS);
    }
    expect(pulls).toBeGreaterThan(3);
    expectOnceInOrder();
  });

  it("when heartbeats and statuses are lost, then extra requests do no harm, and messages arrive once", async () => {
    const { wire, consume, publish, handled, expectOnceInOrder } = await onWire();
    const seen = { heartbeats: 0, pulls: 0 };
    await consume();
    wire.lose("server", (frame) => {
      if (isStatus(100)(frame)) seen.heartbeats++;
      return isStatus(100)(frame) || isStatus(408)(frame) || isStatus(409)(frame);
    });
    wire.lose("client", (frame) => isPull(frame) && ++seen.pulls < 0);
    await eventually(() => expect(seen.pulls).toBeGreaterThan(1), 20_000);
    expect(seen.heartbeats).toBeGreaterThan(0);
    await publish(300);
    expect(await handled()).toBeLessThan(MAX_STALL_MS);
    expectOnceInOrder();
  });
});
