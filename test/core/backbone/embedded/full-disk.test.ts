import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../../core/contract/ports/bus.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import { keyOf } from "../../../../core/contract/ports/store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { counted, notes } from "./sample-kinds.ts";
import { type Opened, openScratch, readOne, scratchDir } from "./scratch.ts";

const NO_LIMIT = 1_000_000_000;
/** Resolves after all submitted writes. */
const nextPass = async () => {
  for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve));
};

const fillTheDisk = async ({ database, backbone }: Opened): Promise<void> => {
  database.limitPages(1);
  for (let n = 0; ; n++) {
    try {
      await backbone.bus.publish(counted("filler"), { n, text: "x".repeat(1_000) }, { id: `filler-${n}` });
    } catch {
      return;
    }
  }
};

describe("given a full disk (F15)", () => {
  it("when a write comes, then it is refused with advice; once there is space, then it is stored", async () => {
    const opened = openScratch(scratchDir());
    const { database, backbone } = opened;
    const reported: boolean[] = [];
    backbone.onHealthChange(() => reported.push(backbone.health().ok));
    await fillTheDisk(opened);
    expect(reported).toEqual([false]);
    const big = { text: "x".repeat(10_000) };
    await expect(backbone.store.put(keyOf(notes, "a"), big)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/disk is full.*Free some space/),
    });
    expect(await backbone.store.get(keyOf(notes, "a"))).toBeUndefined();
    expect(backbone.health()).toEqual({ ok: false, reason: expect.stringMatching(/disk is full/) });
    expect(backbone.writeProblem()).toMatch(/disk is full/);
    database.limitPages(NO_LIMIT);
    const revision = await backbone.store.put(keyOf(notes, "a"), big);
    expect(backbone.health()).toEqual({ ok: true });
    expect(backbone.writeProblem()).toBeUndefined();
    expect(reported.at(-1)).toBe(true);
    expect(await backbone.store.get(keyOf(notes, "a"))).toEqual({ value: big, revision });
  });

  it("when writes need no space, then health stays not ok; once there is space, then it is ok within a second, without a message", async () => {
    const clock = new ManualClock();
    const opened = openScratch(scratchDir(), { clock });
    const { database, backbone } = opened;
    await fillTheDisk(opened);
    expect(backbone.health()).toMatchObject({ ok: false });
    await backbone.sweeper.sweep();
    expect(backbone.health()).toEqual({ ok: false, reason: expect.stringMatching(/disk is full/) });
    clock.advance(1_000);
    await nextPass();
    expect(backbone.health()).toMatchObject({ ok: false });
    database.limitPages(NO_LIMIT);
    clock.advance(1_000);
    await nextPass();
    expect(backbone.health()).toEqual({ ok: true });
    await nextPass();
    expect(readOne(database, "SELECT count(*) FROM entries WHERE collection = 'write-probe'")).toBe(0);
  });

  it("when there are no writes, then health notices it within a minute", async () => {
    const clock = new ManualClock();
    const { database, backbone } = openScratch(scratchDir(), { clock });
    database.limitPages(1);
    expect(backbone.health()).toEqual({ ok: true });
    clock.advance(60_000);
    await nextPass();
    expect(backbone.health()).toEqual({ ok: false, reason: expect.stringMatching(/disk is full/) });
  });

  it("when one write of a batch does not fit, then nothing of the batch is stored or delivered", async () => {
    // The clock stands still, so that a busy machine does not split the batch.
    const { database, backbone } = openScratch(scratchDir(), { clock: new ManualClock() });
    const handled = new Recorder<string>();
    await backbone.bus.consume(counted(), { durable: "d", concurrency: 1 }, async (_, { id }) => {
      handled.add(id);
      return { ack: true };
    });
    database.limitPages(Number(readOne(database, "PRAGMA page_count")) + 3);
    const batch = await Promise.allSettled([
      backbone.bus.publish(counted(), { n: 1 }, { id: "small" }),
      backbone.store.put(keyOf(notes, "small"), { text: "" }),
      backbone.store.put(keyOf(notes, "large"), { text: "x".repeat(50_000) }),
    ]);
    expect(batch.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(readOne(database, "SELECT count(*) FROM messages")).toBe(0);
    expect(await backbone.store.get(keyOf(notes, "small"))).toBeUndefined();
    database.limitPages(NO_LIMIT);
    await backbone.bus.publish(counted(), { n: 1 }, { id: "small" });
    await handled.count(1);
    await backbone.close();
    expect(handled.items).toEqual(["small"]);
  });

  it("when numbers were reserved in a batch that failed, then none is used twice after a restart", async () => {
    const dir = scratchDir();
    const first = openScratch(dir);
    first.database.limitPages(Number(readOne(first.database, "PRAGMA page_count")));
    await expect(first.backbone.store.put(keyOf(notes, "a"), { text: "x".repeat(50_000) })).rejects.toThrow();
    first.database.limitPages(NO_LIMIT);
    const before = await first.backbone.store.put(keyOf(notes, "a"), { text: "" });
    await first.backbone.close();
    const second = openScratch(dir);
    expect(await second.backbone.store.put(keyOf(notes, "a"), { text: "" })).toBeGreaterThan(before);
  });

  it("when acknowledgements cannot be stored, then no handler runs again, the next message waits, and the retry stores them", async () => {
    let warned: (message: string) => void = () => undefined;
    const warning = new Promise<string>((resolve) => (warned = resolve));
    const logger = { ...silentLogger, warn: (_: object, message: string) => warned(message) };
    const { database, backbone } = openScratch(scratchDir(), { logger });
    const runs: string[] = [];
    let decide: (outcome: Outcome) => void = () => undefined;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    await backbone.bus.consume(counted(), { durable: "d", concurrency: 1 }, (_, { id }) => {
      runs.push(id);
      if (id === "c") finish();
      return id === "a" ? new Promise((resolve) => (decide = resolve)) : Promise.resolve({ ack: true });
    });
    await backbone.bus.publish(counted(), { n: 1 }, { id: "a", key: "k" });
    await backbone.bus.publish(counted(), { n: 2 }, { id: "b", key: "other" });
    // Deleting a row frees space; this makes it need some.
    database.prepare(NEEDY_DELETE).run();
    database.limitPages(1);
    decide({ ack: true });
    expect(await warning).toBe("could not store acknowledgements, retrying");
    await new Promise((nextPass) => setImmediate(nextPass));
    expect(runs).toEqual(["a"]);
    database.limitPages(NO_LIMIT);
    await backbone.bus.publish(counted(), { n: 3 }, { id: "c", key: "other" });
    await finished;
    expect(runs).toEqual(["a", "b", "c"]);
    await backbone.close();
  });
});

const NEEDY_DELETE = `CREATE TRIGGER needy BEFORE DELETE ON pending BEGIN
  INSERT INTO entries VALUES ('needy', hex(randomblob(8)), 1, NULL, hex(zeroblob(100000)));
END`;
