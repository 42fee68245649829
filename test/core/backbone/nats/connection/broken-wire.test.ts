import { describe, expect, it } from "vitest";
import type { NatsBackboneOptions } from "../../../../../core/backbone/nats/connection/nats-options.ts";
import type { Clock } from "../../../../../core/contract/ports/clock.ts";
import { systemClock } from "../../../../../core/contract/ports/clock.ts";
import { RecordingLogger } from "../../../../fakes/recording-logger.ts";
import { cleanup } from "../rig/cleanup.ts";
import { eventually } from "../rig/eventually.ts";
import { Journal } from "../rig/journal.ts";
import { numbered, numbers } from "../rig/samples.ts";

const start = cleanup();
const subject = numbers("wired");
const durable = { durable: "wired", concurrency: 1 };

const wired = async (options: Partial<NatsBackboneOptions> = {}) => {
  const { port } = await start.server();
  const wire = await start.wire(port);
  return { wire, backbone: await start.backbone({ servers: [wire.url], ...options }) };
};

describe("given a connection that ends before the server has answered (F3)", () => {
  it("when a listener subscribes, then listen() resolves, and the next connection delivers its signals", async () => {
    const { wire, backbone } = await wired();
    wire.fail("cut", (sent) => sent.includes(`SUB mooring_signal.${subject.name}`));
    const received: number[] = [];
    await backbone.bus.listen(subject, ({ n }) => received.push(n));
    expect(wire.hasFailed).toBe(true);
    await eventually(() => {
      backbone.bus.signal(subject, numbered(1));
      expect(received).toContain(1);
    });
  });

  it.each(["cut", "silent"] as const)(
    "when the connection fails at the close (%s), then the close still ends",
    async (trouble) => {
      let hurry = 1;
      const clock: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / hurry, callback) };
      const { wire, backbone } = await wired({ clock });
      wire.fail(trouble, (sent) => sent.includes("UNSUB"));
      hurry = 100;
      await backbone.close();
      expect(wire.hasFailed).toBe(true);
    },
  );

  it("when it ends at any of the first writes, then the process still starts and consumes", async () => {
    const { port } = await start.server();
    const writeNumbers = Array.from({ length: 40 }, (_, index) => index + 1);
    await Promise.all(
      writeNumbers.map(async (last) => {
        const wire = await start.wire(port);
        wire.fail("cut", (_, nth) => nth === last);
        const backbone = await start.backbone({ servers: [wire.url], prefix: `w${last}`, partitions: 2 });
        const journal = new Journal();
        const received: number[] = [];
        await backbone.bus.listen(subject, ({ n }) => received.push(n));
        await backbone.bus.consume(subject, durable, journal.handler("here"));
        await backbone.bus.publish(subject, numbered(0), { id: "k/0", key: "k" });
        await eventually(() => expect(journal.distinct).toBe(1));
        await eventually(() => expect(backbone.health()).toEqual({ ok: true }));
        await eventually(() => {
          backbone.bus.signal(subject, numbered(1));
          expect(received).toContain(1);
        });
        expect(journal.repeats).toBe(0);
      }),
    );
  });
});

describe("given a connection that transfers no data", () => {
  it("when its buffers are full, then it is closed as stale, and work continues on another one", async () => {
    const logger = new RecordingLogger();
    const { wire, backbone } = await wired({ logger, pingMs: 200 });
    wire.fail("silent", () => true);
    const much = { n: 1, filling: "x".repeat(500_000) };
    for (let sent = 0; sent < 100; sent++) backbone.bus.signal(subject, much);
    await eventually(() => expect(logger.lines.items.map(({ message }) => message)).toContain("NATS connection lost"));
    await backbone.bus.publish(subject, numbered(1), { id: "k/1", key: "k" });
    await eventually(() => expect(backbone.health()).toEqual({ ok: true }));
  });
});
