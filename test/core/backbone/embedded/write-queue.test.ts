import { describe, expect, it } from "vitest";
import { WriteQueue } from "../../../../core/backbone/embedded/file/write-queue.ts";
import { ack } from "../../../../core/contract/ports/bus.ts";
import { systemClock } from "../../../../core/contract/ports/clock.ts";
import { keyOf } from "../../../../core/contract/ports/store.ts";
import { counted, notes } from "./sample-kinds.ts";
import { openScratch, readOne, scratchDir } from "./scratch.ts";

describe("given writes of one pass of the event loop", () => {
  it("when one of them loses its compare-and-set, then only that one is refused", async () => {
    const { database, backbone } = openScratch(scratchDir());
    const { bus, store } = backbone;
    const outcomes = await Promise.allSettled([
      store.put(keyOf(notes, "a"), { text: "first" }, { ifRevision: 0 }),
      bus.publish(counted(), { n: 1 }, { id: "m" }),
      store.put(keyOf(notes, "a"), { text: "second" }, { ifRevision: 0 }),
      store.delete(keyOf(notes, "b"), { ifRevision: 7 }),
      store.delete(keyOf(notes, "b")),
      store.put(keyOf(notes, "c"), { text: "" }),
    ]);
    const statuses = outcomes.map(({ status }) => status === "fulfilled");
    expect(statuses).toEqual([true, true, false, false, true, true]);
    expect(outcomes[2]).toMatchObject({ reason: { code: "conflict", message: expect.stringContaining("notes/a") } });
    expect((await store.get(keyOf(notes, "a")))?.value.text).toBe("first");
    expect(readOne(database, "SELECT count(*) FROM messages")).toBe(1);
  });

  it("when there are many, then they share few transactions, and each resolves only after its transaction", async () => {
    const { database } = openScratch(scratchDir());
    let inTransaction = false;
    let transactions = 0;
    const counting = {
      failure: undefined,
      changes: 0,
      transaction(work: () => void) {
        transactions++;
        inTransaction = true;
        database.transaction(work);
        inTransaction = false;
      },
    };
    const queue = new WriteQueue(counting, systemClock, {
      beforeCommit: () => undefined,
      rolledBack: () => undefined,
      problemChanged: () => undefined,
    });
    const insert = database.prepare("INSERT INTO durables (subject, name) VALUES (?, ?)");
    const order: number[] = [];
    const writes = Array.from({ length: 50 }, async (_, n) => {
      await queue.submit(
        () => insert.run("s", `${n}`),
        () => {
          expect(inTransaction).toBe(false);
          order.push(n);
        },
      );
      expect(inTransaction).toBe(false);
    });
    await Promise.all(writes);
    expect(transactions).toBeLessThanOrEqual(2);
    expect(order).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });
});

describe("given messages of a durable", () => {
  it("when a batch of them cannot be stored, then none of them is pending later", async () => {
    const { database, backbone } = openScratch(scratchDir());
    const { bus } = backbone;
    const held = await bus.consume(counted(), { durable: "d", concurrency: 1 }, async () => ack);
    await held.close();
    database.limitPages(1);
    const large = Array.from({ length: 50 }, (_, n) =>
      bus.publish(counted(), { n, text: "x".repeat(100_000) }, { id: `large-${n}` }),
    );
    expect((await Promise.allSettled(large)).every(({ status }) => status === "rejected")).toBe(true);
    database.limitPages(1_000_000_000);
    await Promise.all([1, 2, 3].map((n) => bus.publish(counted(), { n }, { id: `small-${n}` })));
    expect(readOne(database, "SELECT count(*) FROM pending")).toBe(3);
    expect(readOne(database, "SELECT count(*) FROM pending JOIN messages USING (seq)")).toBe(3);
  });
});

describe("given a data file", () => {
  it("when it is opened, then each commit is synced to the disk, so that a power cut loses nothing (F17)", () => {
    const { database } = openScratch(scratchDir());
    const FULL = 2;
    expect(readOne(database, "PRAGMA synchronous")).toBe(FULL);
    expect(readOne(database, "PRAGMA journal_mode")).toBe("wal");
  });
});

describe("given a backbone that closes", () => {
  it("when handlers are running, then they can still write, submitted writes are stored, and later ones are refused", async () => {
    const dir = scratchDir();
    const { backbone } = openScratch(dir);
    const { bus, store } = backbone;
    let begun: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    let finish: () => void = () => undefined;
    const mayFinish = new Promise<void>((resolve) => (finish = resolve));
    await bus.consume(counted(), { durable: "d", concurrency: 1 }, async () => {
      begun();
      await mayFinish;
      await store.put(keyOf(notes, "by-handler"), { text: "" });
      return ack;
    });
    await bus.publish(counted(), { n: 1 }, { id: "m" });
    await running;
    const closed = backbone.close();
    const late = store.put(keyOf(notes, "late"), { text: "" });
    await expect(bus.consume(counted(), { durable: "d", concurrency: 1 }, async () => ack)).rejects.toMatchObject({
      code: "stopped",
    });
    finish();
    await Promise.all([closed, late]);
    const stopped = { code: "stopped" };
    await expect(store.put(keyOf(notes, "x"), { text: "" })).rejects.toMatchObject(stopped);
    await expect(store.get(keyOf(notes, "x"))).rejects.toMatchObject(stopped);
    await expect(store.delete(keyOf(notes, "x"))).rejects.toMatchObject(stopped);
    await expect(bus.publish(counted(), { n: 1 }, { id: "x" })).rejects.toMatchObject(stopped);
    const again = openScratch(dir);
    expect(readOne(again.database, "SELECT group_concat(key) FROM entries")).toBe("by-handler,late");
    expect(readOne(again.database, "SELECT count(*) FROM pending")).toBe(0);
  });
});
