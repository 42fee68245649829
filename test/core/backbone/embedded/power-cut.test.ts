import { copyFileSync, fstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Database } from "../../../../core/backbone/embedded/file/database.ts";
import { EmbeddedBackbone } from "../../../../core/backbone/embedded/open-embedded-backbone.ts";
import { ack } from "../../../../core/contract/ports/bus.ts";
import { type Clock, systemClock } from "../../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import { keyOf, prefixOf, type Store } from "../../../../core/contract/ports/store.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { counted, notes } from "./sample-kinds.ts";
import { openScratch, readOne, scratchDir } from "./scratch.ts";

const BROKEN = Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });

/** A batch ends after a time limit, which a stalled machine exceeds; this clock stands still. */
const clock: Clock = { ...systemClock, monotonic: () => 0 };

/** A disk that has written nothing until the test says so. */
class SlowDisk {
  readonly #begun = new Recorder<(error: Error | null) => void>();
  #ended = 0;

  readonly sync = (_: number, done: (error: Error | null) => void): void => this.#begun.add(done);

  get begun(): number {
    return this.#begun.items.length;
  }

  /** Ends the next sync, once it has begun. */
  async end(error: Error | null = null): Promise<void> {
    await this.#begun.count(this.#ended + 1);
    this.#begun.items[this.#ended++]?.(error);
  }
}

const openOn = (disk: SlowDisk): EmbeddedBackbone => {
  const backbone = new EmbeddedBackbone(new Database(scratchDir(), disk.sync), {
    clock,
    logger: silentLogger,
    failurePauseMs: 5,
  });
  let isOver = false;
  const finish = async () => {
    while (!isOver) await disk.end();
  };
  onTestFinished(async () => {
    void finish();
    await backbone.close();
    isOver = true;
  });
  return backbone;
};

/** Whether it settles although nothing else happens. */
const settles = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  for (let pass = 0; pass < 5; pass++) await new Promise((resolve) => setImmediate(resolve));
  return settled;
};

const keysIn = async (store: Store): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of store.list(prefixOf(notes))) keys.push(key);
  return keys;
};

describe("given writes that the disk does not have yet", () => {
  it("when they are committed, then they are not reported as stored before the disk has them (F17)", async () => {
    const disk = new SlowDisk();
    const { store } = openOn(disk);
    const put = store.put(keyOf(notes, "a"), { text: "a" });
    const refused = store.put(keyOf(notes, "a"), { text: "b" }, { ifRevision: 7 });
    refused.catch(() => undefined);
    expect(await settles(Promise.race([put, refused]))).toBe(false);
    expect(disk.begun).toBe(1);
    await disk.end();
    await expect(put).resolves.toBeGreaterThan(0);
    await expect(refused).rejects.toMatchObject({ code: "conflict" });
  });

  it("when they are read, then the reader waits for the disk; other keys are read at once (F17)", async () => {
    const disk = new SlowDisk();
    const { store } = openOn(disk);
    const put = store.put(keyOf(notes, "a"), { text: "a" });
    await settles(put);
    const read = store.get(keyOf(notes, "a"));
    const listed = keysIn(store);
    expect(await settles(Promise.race([read, listed]))).toBe(false);
    expect(await store.get(keyOf(notes, "other"))).toBeUndefined();
    await disk.end();
    expect((await read)?.value.text).toBe("a");
    expect(await listed).toEqual(["a"]);
  });

  it("when a consumer attaches, then it gets their messages once, after the disk has them (F17)", async () => {
    const disk = new SlowDisk();
    const { bus } = openOn(disk);
    const handled = new Recorder<string>();
    const handle = async (_: unknown, { id }: { id: string }) => {
      handled.add(id);
      return ack;
    };
    const opened = bus.consume(counted(), { durable: "d", concurrency: 1 }, handle);
    await disk.end();
    await disk.end();
    await (await opened).close();
    const published = bus.publish(counted(), { n: 1 }, { id: "m" });
    const again = bus.consume(counted(), { durable: "d", concurrency: 1 }, handle);
    expect(await settles(Promise.race([published, again]))).toBe(false);
    expect(handled.items).toEqual([]);
    await disk.end();
    await Promise.all([published, again]);
    await handled.count(1);
    await settles(published);
    expect(handled.items).toEqual(["m"]);
  });

  it("when more writes come meanwhile, then they are one batch, which is synced after the first", async () => {
    const disk = new SlowDisk();
    const { store } = openOn(disk);
    const put = (key: string) => store.put(keyOf(notes, key), { text: key });
    const first = put("a");
    await settles(first);
    const rest = [put("b"), put("c")];
    await settles(first);
    rest.push(put("d"));
    expect(await settles(Promise.race(rest))).toBe(false);
    expect(disk.begun).toBe(1);
    await disk.end();
    await first;
    expect(await settles(Promise.race(rest))).toBe(false);
    expect(disk.begun).toBe(2);
    await disk.end();
    await Promise.all(rest);
  });

  it("when the disk fails, then all waiting writes are refused, nothing is delivered, and they are not read any more (F16)", async () => {
    const disk = new SlowDisk();
    const backbone = openOn(disk);
    const { bus, store } = backbone;
    const handled = new Recorder<string>();
    const consuming = bus.consume(counted(), { durable: "d", concurrency: 1 }, async (_, { id }) => {
      handled.add(id);
      return ack;
    });
    await disk.end();
    await disk.end();
    await consuming;
    const written = [
      bus.publish(counted(), { n: 1 }, { id: "m" }),
      store.put(keyOf(notes, "a"), { text: "a" }, { ifRevision: 0 }),
    ];
    await settles(Promise.race(written));
    const reading = store.get(keyOf(notes, "a"));
    written.push(store.put(keyOf(notes, "b"), { text: "b" }));
    const outcomes = Promise.allSettled([...written, reading]);
    await disk.end(BROKEN);
    const failure = {
      status: "rejected",
      reason: { code: "unavailable", message: expect.stringMatching(/disk failed/) },
    };
    expect(await outcomes).toMatchObject([failure, failure, failure, failure]);
    await expect(store.get(keyOf(notes, "a"))).rejects.toMatchObject(failure.reason);
    await expect(store.put(keyOf(notes, "c"), { text: "" })).rejects.toMatchObject(failure.reason);
    expect(backbone.health()).toMatchObject({ ok: false, reason: failure.reason.message });
    expect(handled.items).toEqual([]);
    expect(disk.begun).toBe(3);
  });
});

describe("given a backbone", () => {
  it("when it syncs, then it syncs the log, into which SQLite commits", async () => {
    const dir = scratchDir();
    const synced: number[] = [];
    const database = new Database(dir, (log, done) => {
      synced.push(fstatSync(log).ino);
      done(null);
    });
    const backbone = new EmbeddedBackbone(database, { clock, logger: silentLogger, failurePauseMs: 5 });
    onTestFinished(() => backbone.close());
    await backbone.store.put(keyOf(notes, "a"), { text: "a" });
    expect(synced).toEqual([statSync(join(dir, "mooring.db-wal")).ino]);
    const NORMAL = 1;
    expect(readOne(database, "PRAGMA synchronous")).toBe(NORMAL);
    expect(readOne(database, "PRAGMA journal_mode")).toBe("wal");
  });

  it("when the power fails at any time, then every confirmed write is stored (F17)", async () => {
    const dir = scratchDir();
    const afterCut = scratchDir();
    const file = join(dir, "mooring.db");
    // The disk has the log as it was when the last complete sync began, and nothing of what was written afterwards.
    const database = new Database(dir, (_, done) => {
      copyFileSync(`${file}-wal`, `${file}-synced`);
      setImmediate(() => {
        copyFileSync(`${file}-synced`, join(afterCut, "mooring.db-wal"));
        done(null);
      });
    });
    const backbone = new EmbeddedBackbone(database, { clock, logger: silentLogger, failurePauseMs: 5 });
    onTestFinished(() => backbone.close());
    copyFileSync(file, join(afterCut, "mooring.db"));
    const confirmed: string[] = [];
    const write = async (lane: number) => {
      for (let n = 0; confirmed.length < 200; n++) {
        const id = `${lane}-${n}`;
        await Promise.all([
          backbone.bus.publish(counted(), { n }, { id }),
          backbone.store.put(keyOf(notes, id), { text: id }),
        ]);
        confirmed.push(id);
      }
    };
    await Promise.all([1, 2, 3, 4, 5].map(write));
    const atTheCut = [...confirmed];
    const cut = openScratch(afterCut);
    expect(readOne(cut.database, "PRAGMA integrity_check")).toBe("ok");
    for (const id of atTheCut) expect((await cut.backbone.store.get(keyOf(notes, id)))?.value.text).toBe(id);
    expect(readOne(cut.database, "SELECT count(*) FROM messages")).toBeGreaterThanOrEqual(atTheCut.length);
  });
});
