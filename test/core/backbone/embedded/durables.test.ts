import { describe, expect, it } from "vitest";
import { RecentPublications } from "../../../../core/backbone/embedded/queue/recent-publications.ts";
import { DUPLICATE_WINDOW_MS, RETENTION_MS } from "../../../../core/contract/ports/bus.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import { counted } from "./sample-kinds.ts";
import type { Opened } from "./scratch.ts";
import { openScratch, readOne, scratchDir } from "./scratch.ts";
import { SteppedClock } from "./stepped-clock.ts";

/** Resolves once all are stored. */
const publish = async ({ backbone }: Opened, subject: string, ...ids: string[]): Promise<void> => {
  await Promise.all(ids.map((id, n) => backbone.bus.publish(counted(subject), { n }, { id, key: keyOfId(id) })));
};

/** "m3:17" is a message of key "m3". */
const keyOfId = (id: string): string => id.split(":")[0] as string;

/** Consumes and acknowledges; resolves with the received messages once there are `count` of them. */
const take = async ({ backbone }: Opened, subject: string, count: number, durable = "d") => {
  const came: string[] = [];
  let enough: () => void = () => undefined;
  const all = new Promise<void>((resolve) => (enough = resolve));
  const consumer = await backbone.bus.consume(counted(subject), { durable, concurrency: 100 }, async (_, received) => {
    came.push(`${received.id}#${received.attempt}`);
    if (came.length === count) enough();
    return { ack: true };
  });
  await all;
  await consumer.close();
  return came;
};

describe("given a durable", () => {
  it("when it has no consumer for a while, then it collects messages, and earlier ones are not redelivered", async () => {
    const opened = openScratch(scratchDir());
    await publish(opened, "s", "k:1", "k:2");
    expect(await take(opened, "s", 2)).toEqual(["k:1#1", "k:2#1"]);
    await publish(opened, "s", "k:3", "k:4");
    expect(await take(opened, "s", 2)).toEqual(["k:3#1", "k:4#1"]);
    expect(readOne(opened.database, "SELECT count(*) FROM pending")).toBe(0);
  });

  it("when the process was restarted, then the remaining messages arrive in order, as suspects", async () => {
    const dir = scratchDir();
    const first = openScratch(dir);
    expect(await Promise.all([publish(first, "s", "1"), take(first, "s", 1)])).toEqual([undefined, ["1#1"]]);
    const many = Array.from({ length: 1_200 }, (_, n) => `m${n % 100}:${n}`);
    await publish(first, "s", ...many);
    await first.backbone.close();
    const second = openScratch(dir);
    const taken = take(second, "s", 1_201);
    await publish(second, "s", "m7:last");
    const came = await taken;
    expect(new Set(came)).toEqual(new Set([...many.map((id) => `${id}#2`), "m7:last#1"]));
    const ofKey7 = many.filter((id) => keyOfId(id) === "m7").map((id) => `${id}#2`);
    expect(came.filter((id) => keyOfId(id) === "m7")).toEqual([...ofKey7, "m7:last#1"]);
  });

  it("when another subject has a durable of the same name, then the two are independent", async () => {
    const opened = openScratch(scratchDir());
    await publish(opened, "one", "a");
    await publish(opened, "two", "b");
    expect(await take(opened, "one", 1)).toEqual(["a#1"]);
    expect(await take(opened, "two", 1)).toEqual(["b#1"]);
  });

  it("when it starts from now, then it does not get messages that are already stored", async () => {
    const opened = openScratch(scratchDir());
    await publish(opened, "s", "old");
    const came: string[] = [];
    const options = { durable: "late", concurrency: 1, from: "now" } as const;
    const consumer = await opened.backbone.bus.consume(counted("s"), options, async (_, { id }) => {
      came.push(id);
      return { ack: true };
    });
    await publish(opened, "s", "new");
    await consumer.close();
    expect(came).toEqual(["new"]);
  });

  it("when its concurrency is not a whole number of at least 1, then it is refused", async () => {
    const { backbone } = openScratch(scratchDir());
    for (const concurrency of [0, -1, 1.5, Number.NaN]) {
      const consuming = backbone.bus.consume(counted(), { durable: "d", concurrency }, async () => ({ ack: true }));
      await expect(consuming).rejects.toMatchObject({ code: "bad-input" });
    }
  });
});

describe("given an id that was published", () => {
  it("when it is published again, then it is a duplicate within two minutes, and stored again after them", async () => {
    const clock = new SteppedClock();
    const dir = scratchDir();
    const stored = ({ database }: Opened) => readOne(database, "SELECT count(*) FROM messages");
    const first = openScratch(dir, { clock });
    await publish(first, "s", "a", "a");
    await publish(first, "another", "a");
    expect(stored(first)).toBe(2);
    await first.backbone.close();
    const second = openScratch(dir, { clock });
    clock.set(DUPLICATE_WINDOW_MS - 1);
    await publish(second, "s", "a");
    expect(stored(second)).toBe(2);
    clock.set(1);
    await publish(second, "s", "a");
    expect(stored(second)).toBe(3);
    clock.set(-2 * 3_600_000);
    await publish(second, "s", "a");
    expect(stored(second)).toBe(4);
  });

  it("when two minutes have passed, then it is no longer in memory", async () => {
    const clock = new SteppedClock();
    const { database } = openScratch(scratchDir(), { clock });
    const recent = new RecentPublications(database);
    for (let n = 0; n < 1_000; n++) recent.add("s", `${n}`, n, clock.now());
    expect(recent.size).toBe(1_000);
    clock.set(2 * DUPLICATE_WINDOW_MS);
    recent.add("s", "fresh", 1_000, clock.now());
    expect(recent.size).toBe(1);
  });

  it("when it shares its hash with another, then both are stored, and duplicates of both are detected", async () => {
    const opened = openScratch(scratchDir());
    // The two have the same 32-bit FNV-1a hash on this subject.
    await publish(opened, "s", "id-341865", "id-1289090", "id-341865", "id-1289090");
    expect(readOne(opened.database, "SELECT group_concat(id) FROM messages")).toBe("id-341865,id-1289090");
  });

  it("when the transaction that stored it was rolled back, then the retry stores it", async () => {
    const opened = openScratch(scratchDir());
    const pages = Number(readOne(opened.database, "PRAGMA page_count"));
    opened.database.limitPages(pages);
    const big = { n: 1, text: "x".repeat(100_000) };
    await expect(opened.backbone.bus.publish(counted("s"), big, { id: "a" })).rejects.toThrow(/full/);
    opened.database.limitPages(pages + 1_000);
    await opened.backbone.bus.publish(counted("s"), big, { id: "a" });
    expect(readOne(opened.database, "SELECT count(*) FROM messages")).toBe(1);
  });
});

describe("given messages older than the retention", () => {
  it("when they are swept, then handled and unhandled ones are deleted, a warning counts the unhandled ones, and the rest is handled", async () => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
    const clock = new SteppedClock();
    const opened = openScratch(scratchDir(), { clock, logger });
    await publish(opened, "s", "handled");
    await take(opened, "s", 1);
    const runs: string[] = [];
    await opened.backbone.bus.consume(counted("s"), { durable: "d", concurrency: 1 }, async (_, { id }) => {
      runs.push(id);
      return id === "k:held" ? { retryInMs: 30 * RETENTION_MS } : { ack: true };
    });
    await publish(opened, "s", "k:held", ...Array.from({ length: 300 }, (_, n) => `k:behind-${n}`));
    while (clock.waiting < 2) await new Promise((resolve) => setImmediate(resolve));
    clock.set(RETENTION_MS);
    await publish(opened, "s", "k:young");
    await opened.backbone.sweeper.sweep();
    await opened.backbone.close();
    expect(runs).toEqual(["k:held", "k:young"]);
    expect(warnings).toEqual([{ messages: 301 }]);
  });

  it("when one has a time in the future, then the sweep still deletes the ones behind it", async () => {
    const clock = new SteppedClock();
    const opened = openScratch(scratchDir(), { clock });
    clock.set(10 * RETENTION_MS);
    await publish(opened, "s", ...Array.from({ length: 600 }, (_, n) => `future-${n}`));
    clock.set(-10 * RETENTION_MS);
    await publish(opened, "s", "old");
    clock.set(RETENTION_MS);
    await opened.backbone.sweeper.sweep();
    expect(readOne(opened.database, "SELECT count(*) FROM messages WHERE id = 'old'")).toBe(0);
    expect(readOne(opened.database, "SELECT count(*) FROM messages")).toBe(600);
  });
});
