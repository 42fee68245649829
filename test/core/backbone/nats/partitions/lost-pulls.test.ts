import { describe, expect, it } from "vitest";
import { cleanup } from "../rig/cleanup.ts";
import { eventually } from "../rig/eventually.ts";
import { Journal } from "../rig/journal.ts";
import { numbered, numbers } from "../rig/samples.ts";

const start = cleanup();
const subject = numbers("pulled");
/** As long as a message may be held up by a request that got lost; a busy machine gets some more. */
const MAX_STALL_MS = 3_000 + 1_000;

const isPull = (frame: string) => frame.startsWith("PUB $JS.API.CONSUMER.MSG.NEXT.mooring_");
const isStatus = (code: number) => (frame: string) => frame.includes(`\r\nNATS/1.0 ${code} `);

/** One key of one partition on a wire of its own, read by a process that is told nothing of what is lost there. */
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
      const wanted = Array.from({ length: count }, () => published++);
      await Promise.all(wanted.map((n) => backbone.bus.publish(subject, numbered(n), { id: `k/${n}`, key: "k" })));
    },
    /** How long it took until everything was handled. */
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

describe("given a wire that loses frames between a reader and the server (F36)", () => {
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

  it("when every second pull request is lost under load, then no message waits 3 s, and none is doubled", async () => {
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

  it("when heartbeats and statuses are lost, then requests pile up harmlessly, and messages arrive once", async () => {
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
