import { connect } from "nats";
import { describe, expect, it } from "vitest";
import { ack, allDeadLetters, type DeadLetter } from "../../../../core/contract/ports/bus.ts";
import type { Clock } from "../../../../core/contract/ports/clock.ts";
import { systemClock } from "../../../../core/contract/ports/clock.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { cleanup } from "./rig/cleanup.ts";
import { eventually } from "./rig/eventually.ts";
import { Journal } from "./rig/journal.ts";
import { numbered, numbers, sampleKey } from "./rig/samples.ts";

const start = cleanup();
const subject = numbers("shared");
const shared = { durable: "shared", concurrency: 8 };
/** Longer than a reconnect takes. */
const LONGER_LEASE_MS = 3_000;
const keys = Array.from({ length: 20 }, (_, k) => `k${k}`);

describe("given a server that is killed with kill -9 and started again (F3)", () => {
  it("when that happens under load, then each publish resolves, in order, and each message runs once", async () => {
    const server = await start.server();
    const backbone = await start.backbone({ servers: [server.url] });
    const journal = new Journal();
    await backbone.bus.consume(subject, shared, journal.handler("here"));
    let round = 0;
    let going = true;
    const publishing = (async () => {
      for (; going; round++) {
        await Promise.all(
          keys.map((key) => backbone.bus.publish(subject, numbered(round), { id: `${key}/${round}`, key })),
        );
      }
    })();
    for (let kill = 0; kill < 3; kill++) {
      const seen = journal.runs.length;
      await eventually(() => expect(journal.runs.length).toBeGreaterThan(seen + 200));
      await server.kill();
      await server.restart();
    }
    const seen = journal.runs.length;
    await eventually(() => expect(journal.runs.length).toBeGreaterThan(seen + 200));
    going = false;
    await publishing;
    await eventually(() => expect(journal.distinct).toBe(keys.length * round));
    journal.expectOrder();
    expect(journal.repeats).toBe(0);
  });

  it("when handlers run during the restart, then they do not run again", async () => {
    const server = await start.server();
    const backbone = await start.backbone({ servers: [server.url] });
    const journal = new Journal();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await backbone.bus.consume(
      subject,
      shared,
      journal.handler("here", () => held),
    );
    // More than the concurrency, so that some wait in the process meanwhile.
    await Promise.all(keys.map((key) => backbone.bus.publish(subject, numbered(0), { id: `${key}/0`, key })));
    await eventually(() => expect(journal.runs).toHaveLength(8));
    await server.kill();
    await server.restart();
    await backbone.bus.publish(subject, numbered(1), { id: "k0/1", key: "k0" });
    release();
    await eventually(() => expect(journal.distinct).toBe(keys.length + 1));
    expect(journal.repeats).toBe(0);
    journal.expectOrder();
  });

  it("when it is down for longer than the lease, then no member is declared dead, and no message runs again", async () => {
    const server = await start.server();
    const logger = new RecordingLogger();
    // Timers run early here, so that a check for dead members runs as often as possible.
    const clock: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms <= 20 ? 0 : ms, callback) };
    const open = () => start.backbone({ servers: [server.url], leaseMs: LONGER_LEASE_MS, logger, clock });
    const [one, two] = [await open(), await open()];
    const journal = new Journal();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handler = journal.handler("either", () => held);
    await Promise.all([one, two].map(({ bus }) => bus.consume(subject, shared, handler)));
    await Promise.all(keys.map((key) => one.bus.publish(subject, numbered(0), { id: `${key}/0`, key })));
    await eventually(() => expect(journal.runs.length).toBeGreaterThanOrEqual(8));
    await server.kill();
    const killedAt = performance.now();
    await eventually(() => expect(performance.now() - killedAt).toBeGreaterThan(LONGER_LEASE_MS * 1.2));
    await server.restart();
    await eventually(() => expect([one.health().ok, two.health().ok]).toEqual([true, true]));
    release();
    await eventually(() => expect(journal.distinct).toBe(keys.length));
    expect(journal.repeats).toBe(0);
    expect(logger.lines.items.filter(({ message }) => /died|dead/.test(message))).toEqual([]);
  });

  it("when a consumer closes meanwhile and its process stays alive, then others take the partitions that it could not release", async () => {
    const server = await start.server();
    let hurry = 1;
    const clock: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / hurry, callback) };
    const one = await start.backbone({ servers: [server.url], clock });
    const journal = new Journal();
    await one.bus.consume(numbers("else"), shared, async () => ack);
    const closing = await one.bus.consume(subject, shared, journal.handler("one"));
    await server.kill();
    await eventually(() => expect(one.health().ok).toBe(false));
    hurry = 100;
    await closing.close();
    hurry = 1;
    await server.restart();
    const two = await start.backbone({ servers: [server.url] });
    await two.bus.consume(subject, shared, journal.handler("two"));
    await Promise.all(keys.map((key) => two.bus.publish(subject, numbered(0), { id: `${key}/0`, key })));
    await eventually(() => expect(journal.distinct).toBe(keys.length));
    expect(journal.repeats).toBe(0);
  });

  it("when writers race during the restart, then each compare-and-set that resolved was applied once", async () => {
    const server = await start.server();
    const backbones = await Promise.all([1, 2].map(() => start.backbone({ servers: [server.url] })));
    const key = sampleKey("counter");
    let applied = 0;
    let going = true;
    const racing = backbones.map(async ({ store }) => {
      while (going) {
        const before = await store.get(key);
        try {
          await store.put(key, { n: (before?.value.n ?? 0) + 1 }, { ifRevision: before?.revision ?? 0 });
          applied++;
        } catch (error) {
          expect(error).toMatchObject({ code: "conflict" });
        }
      }
    });
    for (let kill = 0; kill < 3; kill++) {
      const seen = applied;
      await eventually(() => expect(applied).toBeGreaterThan(seen + 50));
      await server.kill();
      await server.restart();
    }
    going = false;
    await Promise.all(racing);
    const [backbone] = backbones;
    expect((await backbone?.store.get(key))?.value.n).toBe(applied);
  });

  it("when a listener subscribed before, then it receives signals afterwards", async () => {
    const server = await start.server();
    const backbone = await start.backbone({ servers: [server.url] });
    const received: number[] = [];
    await backbone.bus.listen(subject, ({ n }) => received.push(n));
    await server.kill();
    await eventually(() => expect(backbone.health().ok).toBe(false));
    await server.restart();
    await eventually(() => expect(backbone.health().ok).toBe(true));
    await eventually(() => {
      backbone.bus.signal(subject, numbered(1));
      expect(received).not.toHaveLength(0);
    });
  });

  it("when it stays down, then close does not hang and a publish rejects in time", async () => {
    const server = await start.server();
    let maxWaitMs = Number.POSITIVE_INFINITY;
    const clock: Clock = { ...systemClock, after: (ms, then) => systemClock.after(Math.min(ms, maxWaitMs), then) };
    const backbone = await start.backbone({ servers: [server.url], clock });
    await backbone.bus.consume(subject, shared, new Journal().handler("here"));
    await server.kill();
    maxWaitMs = 300;
    await expect(backbone.bus.publish(subject, numbered(1), { id: "a/1" })).rejects.toMatchObject({
      code: "unavailable",
    });
    await backbone.close();
    await expect(backbone.bus.publish(subject, numbered(1), { id: "a/1" })).rejects.toMatchObject({ code: "stopped" });
    await expect(backbone.store.get(sampleKey("x"))).rejects.toMatchObject({ code: "stopped" });
    await expect(backbone.bus.consume(subject, shared, new Journal().handler("x"))).rejects.toMatchObject({
      code: "stopped",
    });
  });
});

describe("given streams, buckets and consumers that are deleted on the server", () => {
  it("when a consumer is deleted, then a new one reads the partition, and no message is lost or runs twice", async () => {
    const { url } = await start.server();
    const backbone = await start.backbone({ servers: [url] });
    const journal = new Journal();
    await backbone.bus.consume(subject, shared, journal.handler("here"));
    const publishAll = (n: number) =>
      Promise.all(keys.map((key) => backbone.bus.publish(subject, numbered(n), { id: `${key}/${n}`, key })));
    await publishAll(0);
    await eventually(() => expect(journal.distinct).toBe(keys.length));
    const nc = await connect({ servers: [url] });
    const jsm = await nc.jetstreamManager();
    for await (const { name } of jsm.consumers.list("mooring_test_number")) {
      await jsm.consumers.delete("mooring_test_number", name);
    }
    await nc.close();
    await publishAll(1);
    await eventually(() => expect(journal.distinct).toBe(keys.length * 2));
    expect(journal.repeats).toBe(0);
    journal.expectOrder();
  });

  it("when a stream is deleted, then a publish creates it again and consumers read the new one", async () => {
    const { url } = await start.server();
    const backbone = await start.backbone({ servers: [url] });
    const journal = new Journal();
    await backbone.bus.consume(subject, shared, journal.handler("here"));
    for (let n = 0; n < 5; n++) await backbone.bus.publish(subject, numbered(n), { id: `k0/${n}`, key: "k0" });
    await eventually(() => expect(journal.runs).toHaveLength(5));
    const nc = await connect({ servers: [url] });
    await (await nc.jetstreamManager()).streams.delete("mooring_test_number");
    await nc.close();
    await backbone.bus.publish(subject, numbered(5), { id: "k0/5", key: "k0" });
    await eventually(() => expect(journal.runs.at(-1)).toMatchObject({ n: 5 }));
  });

  it("when a bucket is deleted, then a write creates it again", async () => {
    const { url } = await start.server();
    const backbone = await start.backbone({ servers: [url] });
    await backbone.store.put(sampleKey("x"), { n: 1 });
    const nc = await connect({ servers: [url] });
    await (await nc.jetstreamManager()).streams.delete("KV_mooring_things");
    await nc.close();
    expect(await backbone.store.put(sampleKey("x"), { n: 2 }, { ifRevision: 0 })).toBe(1);
    expect(await backbone.store.get(sampleKey("x"))).toMatchObject({ value: { n: 2 } });
  });
});

describe("given messages of a foreign publisher in a stream", () => {
  it("when they lack our headers, then they are handled or become dead letters, and do not block their key", async () => {
    const { url } = await start.server();
    const backbone = await start.backbone({ servers: [url] });
    const journal = new Journal();
    await backbone.bus.consume(subject, shared, journal.handler("here"));
    const nc = await connect({ servers: [url] });
    const js = nc.jetstream();
    await js.publish("mooring.default.test.number.shared.3", '{"n":7}');
    await js.publish("mooring.default.test.number.shared.3", "no JSON");
    await js.publish("mooring.default.test.number.shared.3", `"${"\\u0007".repeat(150_000)}"`, {
      msgID: "x".repeat(2_000),
    });
    await nc.close();
    await backbone.bus.publish(subject, numbered(8), { id: "k/8", key: "k" });
    await eventually(() => expect(journal.runs.map(({ n }) => n).sort()).toEqual([7, 8]));
    await eventually(async () => {
      const letters: DeadLetter[] = [];
      for await (const { value } of backbone.store.list(allDeadLetters("shared"))) letters.push(value);
      expect(letters.map(({ id }) => id)).toEqual(["seq-2", "seq-3"]);
      expect(letters[0]?.reason).toMatch(/is not valid JSON/);
      expect(letters[1]?.reason).toMatch(/does not parse.*\(truncated from 900002 characters\)/);
    });
  });
});
