import { describe, expect, it } from "vitest";
import { cleanup } from "../rig/cleanup.ts";
import { eventually } from "../rig/eventually.ts";
import { Journal } from "../rig/journal.ts";
import { shares } from "../rig/owners.ts";
import { numbered, numbers } from "../rig/samples.ts";

const start = cleanup();
const subject = numbers("shared");
const shared = { durable: "shared", concurrency: 8 };
const LESS_THAN_THE_LEASE_MS = 50_000;
const nap = () => new Promise((resolve) => setTimeout(resolve, 2));

describe("given several processes that share a durable", () => {
  it("when a second one joins, then each owns half of the partitions", async () => {
    const { url } = await start.server();
    const journal = new Journal();
    for (const name of ["one", "two"]) {
      const backbone = await start.backbone({ servers: [url], leaseMs: 60_000 });
      await backbone.bus.consume(subject, shared, journal.handler(name));
    }
    await eventually(async () => expect(await shares(url)).toEqual([16, 16]));
  });

  it("when one closes, then the other takes its partitions at once, not after the lease", async () => {
    const { url } = await start.server();
    const journal = new Journal();
    const one = await start.backbone({ servers: [url], leaseMs: 60_000 });
    await one.bus.consume(subject, shared, journal.handler("one"));
    const two = await start.backbone({ servers: [url], leaseMs: 60_000 });
    await two.bus.consume(subject, shared, journal.handler("two"));
    await eventually(async () => expect(await shares(url)).toEqual([16, 16]));
    await one.close();
    await eventually(async () => expect(await shares(url)).toEqual([32]), LESS_THAN_THE_LEASE_MS);
    await Promise.all(
      Array.from({ length: 64 }, (_, k) => two.bus.publish(subject, numbered(0), { id: `k${k}/0`, key: `k${k}` })),
    );
    await eventually(() => expect(journal.by("two")).toBe(64));
  });

  it("when one stops consuming several durables at the same time, then the other takes the partitions of each", async () => {
    const { url } = await start.server();
    const journal = new Journal();
    const one = await start.backbone({ servers: [url], leaseMs: 60_000 });
    const two = await start.backbone({ servers: [url], leaseMs: 60_000 });
    const subjects = ["a", "b", "c", "d"].map((name) => numbers(`together.${name}`));
    const consumeWith = (backbone: typeof one, name: string) =>
      Promise.all(subjects.map((each) => backbone.bus.consume(each, shared, journal.handler(name))));
    // Stays open, so that the process remains a member.
    await one.bus.consume(subject, shared, journal.handler("one"));
    const closing = await consumeWith(one, "one");
    await consumeWith(two, "two");
    await Promise.all(closing.map((consumer) => consumer.close()));
    for (const each of subjects) {
      await Promise.all(
        Array.from({ length: 64 }, (_, k) =>
          two.bus.publish(each, numbered(0), { id: `${each.name}/k${k}/0`, key: `k${k}` }),
        ),
      );
    }
    await eventually(() => expect(journal.by("two")).toBe(64 * subjects.length), LESS_THAN_THE_LEASE_MS);
  });

  it("when processes join and leave under load, then each key stays in order, and no message is lost or runs twice", async () => {
    const { url } = await start.server();
    const journal = new Journal();
    const publisher = await start.backbone({ servers: [url] });
    const consumers = await Promise.all(
      ["one", "two", "three"].map(async (name) => {
        const backbone = await start.backbone({ servers: [url], leaseMs: 60_000 });
        const join = () => backbone.bus.consume(subject, shared, journal.handler(name, nap));
        return { join, consumer: await join() };
      }),
    );
    const keys = Array.from({ length: 40 }, (_, k) => `k${k}`);
    let rounds = 0;
    let moving = true;
    const publishing = (async () => {
      for (; moving; rounds++) {
        await Promise.all(
          keys.map((key) => publisher.bus.publish(subject, numbered(rounds), { id: `${key}/${rounds}`, key })),
        );
      }
    })();
    for (let move = 0; move < 6; move++) {
      const member = consumers[move % consumers.length];
      const seen = journal.runs.length;
      await member?.consumer.close();
      await eventually(() => expect(journal.runs.length).toBeGreaterThan(seen + 100));
      if (member) member.consumer = await member.join();
    }
    moving = false;
    await publishing;
    await eventually(() => expect(journal.distinct).toBe(keys.length * rounds));
    journal.expectOrder();
    expect(journal.repeats).toBe(0);
  });

  it("when a handler never ends, then other keys of its partition still run here, and other partitions are handed over", async () => {
    const { url } = await start.server();
    const journal = new Journal();
    const one = await start.backbone({ servers: [url], partitions: 2, leaseMs: 60_000 });
    let release: () => void = () => undefined;
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handle = journal.handler("one");
    await one.bus.consume(subject, shared, async (message, received) => {
      if (received.id.startsWith("stuck")) await stuck;
      return handle(message, received);
    });
    // One in each partition, so that the partition to hand over has a running handler, whichever it is.
    for (const key of ["stuck-a", "stuck-b", "stuck-c", "stuck-d"]) {
      await one.bus.publish(subject, numbered(0), { id: `${key}/0`, key });
    }
    const two = await start.backbone({ servers: [url], partitions: 2, leaseMs: 60_000 });
    await two.bus.consume(subject, shared, journal.handler("two"));
    for (let n = 0; n < 20; n++) {
      await one.bus.publish(subject, numbered(n), { id: `free${n % 5}/${n}`, key: `free${n % 5}` });
    }
    await eventually(() => expect(journal.runs).toHaveLength(20), LESS_THAN_THE_LEASE_MS);
    release();
    await eventually(async () => expect(await shares(url, 2)).toEqual([1, 1]));
  });
});
