import { describe, expect, it } from "vitest";
import { RecordingLogger } from "../../../../fakes/recording-logger.ts";
import { cleanup } from "../rig/cleanup.ts";
import { eventually } from "../rig/eventually.ts";
import { Journal } from "../rig/journal.ts";
import { numbered, numbers } from "../rig/samples.ts";

const start = cleanup();
const subject = numbers("pulled");

const isPull = (frame: string) => frame.startsWith("PUB $JS.API.CONSUMER.MSG.NEXT.mooring_");
const isStatus = (code: number) => (frame: string) => frame.includes(`\r\nNATS/1.0 ${code} `);

/** One key of one partition, read over a connection that loses frames without an error. */
const onWire = async () => {
  const { port } = await start.server();
  const wire = await start.wire(port);
  const logger = new RecordingLogger();
  // The lease does not matter here, but a busy machine must not lose it.
  const backbone = await start.backbone({ servers: [wire.url], partitions: 1, leaseMs: 10_000, logger });
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
    handled: () => eventually(() => expect(journal.distinct).toBe(published)),
    /**
     * Each repeated request, by the number of requests in a row without an answer. The reader waits less than 3 s for
     * each one (pull-reader.test.ts), so no message waits longer if every request is answered at the first repetition.
     */
    repeats: () =>
      logger.lines.items
        .filter(({ message }) => message === "pull request lost, repeating it")
        .map(({ fields }) => fields.unanswered),
    expectOnceInOrder: () => {
      journal.expectOrder();
      expect(journal.repeats).toBe(0);
    },
  };
};

describe("given a connection that loses frames between a reader and the server (F36)", () => {
  it("when the first pull request is lost, then one repetition is enough, within 3 s", async () => {
    const { wire, consume, publish, handled, repeats, expectOnceInOrder } = await onWire();
    let lost = 0;
    wire.lose("client", (frame) => isPull(frame) && ++lost === 1);
    await consume();
    await eventually(() => expect(lost).toBeGreaterThan(0));
    await publish(10);
    await handled();
    expect(new Set(repeats())).toEqual(new Set([1]));
    expectOnceInOrder();
  });

  it("when every second pull request is lost under load, then no message waits 3 s, and none runs twice", async () => {
    const { wire, consume, publish, handled, repeats, expectOnceInOrder } = await onWire();
    let pulls = 0;
    wire.lose("client", (frame) => isPull(frame) && ++pulls % 2 === 1);
    await consume();
    for (let burst = 0; burst < 3; burst++) {
      await publish(200);
      await handled();
    }
    expect(pulls).toBeGreaterThan(3);
    expect(new Set(repeats())).toEqual(new Set([1]));
    expectOnceInOrder();
  });

  it("when heartbeats and statuses are lost, then extra requests do no harm, and messages arrive once", async () => {
    const { wire, consume, publish, handled, repeats, expectOnceInOrder } = await onWire();
    const seen = { heartbeats: 0, pulls: 0 };
    await consume();
    wire.lose("server", (frame) => {
      if (isStatus(100)(frame)) seen.heartbeats++;
      return isStatus(100)(frame) || isStatus(408)(frame) || isStatus(409)(frame);
    });
    wire.lose("client", (frame) => isPull(frame) && ++seen.pulls < 0);
    await eventually(() => expect(seen.pulls).toBeGreaterThan(1));
    expect(seen.heartbeats).toBeGreaterThan(0);
    const before = repeats().length;
    await publish(300);
    await handled();
    // One may have been due in the moment of the publication.
    expect(repeats().length - before).toBeLessThanOrEqual(1);
    expectOnceInOrder();
  });
});
