import { beforeEach, describe, expect, it } from "vitest";
import type { OwnerRecord } from "../../../../core/subtasks/owner/owner-record.ts";
import {
  emptyOwner,
  ownerKey,
  readOwner,
  usageOf,
  withBatch,
  withUsage,
} from "../../../../core/subtasks/owner/owner-record.ts";
import { OwnerRecordWriter } from "../../../../core/subtasks/owner/owner-record-writer.ts";
import { MAX_PARKED_MS } from "../../../../core/subtasks/owner/parked-jobs.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

const address = { tenant: "default", agent: "mooring", ownerId: "s" };
const workContext = {
  sessionId: "s",
  standing: { owner: { ownerType: "agent" as const, ownerId: "s" }, depth: 0, rootTurnId: "t", background: false },
  origin: { channel: "web", promptSummary: "x", startedAt: "2026-03-10T21:00:00.000Z", sessionId: "s" },
  audience: { conversation: { channel: "web", room: "r", kind: "private" as const }, personId: "p" },
  asker: { personId: "p", accountId: "ann", name: "Ann" },
  traceId: "trace",
};
const pass = () => new Promise(setImmediate);
const closedGate = () => {
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  return { opened, open: () => gate.open?.() };
};

let clock: ManualClock;
let store: MemoryStore;
let owners: OwnerRecordWriter;
beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStore(clock);
  owners = new OwnerRecordWriter(store, clock);
});
const spawn = (root: string) => (record: OwnerRecord) => {
  const { spawned, respawns } = usageOf(root, record);
  return withUsage(record, root, { spawned: spawned + 1, respawns });
};
const spawned = async (root: string) => usageOf(root, await readOwner(store, address)).spawned;

describe("given changes of the record of one owner", () => {
  it("when several arrive together, then they share one write, each applied to the result of the one before", async () => {
    const changes = await Promise.all([1, 2, 3].map(() => owners.change(address, spawn("t"))));
    expect(store.writes).toHaveLength(1);
    expect(changes.map(({ before, after }) => [usageOf("t", before).spawned, usageOf("t", after).spawned])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(await spawned("t")).toBe(3);
  });

  it("when one follows another, then the record that this process wrote last is not read again", async () => {
    await owners.change(address, spawn("t"));
    const { reads } = store;
    await owners.change(address, spawn("t"));
    expect(store.reads).toBe(reads);
    expect(await spawned("t")).toBe(2);
  });

  it("when another process has written in between, then the change is applied to that record", async () => {
    await owners.change(address, spawn("t"));
    await new OwnerRecordWriter(store, clock).change(address, spawn("t"));
    await owners.change(address, spawn("t"));
    expect(await spawned("t")).toBe(3);
  });

  it("when a change leaves the cached record unchanged, then the writer reads the stored record", async () => {
    await owners.change(address, spawn("t"));
    await new OwnerRecordWriter(store, clock).change(address, spawn("u"));
    const { before, after } = await owners.change(address, (record) => record);
    expect(before).toBe(after);
    expect(usageOf("u", after).spawned).toBe(1);
    expect(store.writes).toHaveLength(2);
  });

  it("when the store fails, then all changes of the write reject, and the next one reads the stored record", async () => {
    await owners.change(address, spawn("t"));
    store.before = (operation) => {
      if (operation === "put") throw new Error("disk full");
    };
    const both = [owners.change(address, spawn("t")), owners.change(address, spawn("t"))];
    for (const one of both) await expect(one).rejects.toThrow("disk full");
    store.before = () => undefined;
    await owners.change(address, spawn("t"));
    expect(await spawned("t")).toBe(2);
  });

  it("when more arrive while one is written, then one write at a time is made, and no write conflicts", async () => {
    await owners.change(address, spawn("t"));
    const { reads } = store;
    let [writing, most] = [0, 0];
    const gate = closedGate();
    store.before = async (operation) => {
      if (operation === "stored") writing--;
      if (operation !== "put") return;
      most = Math.max(most, ++writing);
      await gate.opened;
    };
    const changes = [owners.change(address, spawn("t"))];
    await pass();
    for (let n = 0; n < 3; n++) {
      changes.push(owners.change(address, spawn("t")));
      await pass();
    }
    gate.open();
    await Promise.all(changes);
    expect([most, store.reads - reads]).toEqual([1, 0]);
    expect(store.writes).toHaveLength(3);
    expect(await spawned("t")).toBe(5);
  });

  it("when they are for different owners, then each has a separate record", async () => {
    await Promise.all([owners.change(address, spawn("t")), owners.change({ ...address, ownerId: "z" }, spawn("t"))]);
    expect(store.writes).toHaveLength(2);
    expect(await spawned("t")).toBe(1);
  });
});

describe("given a parked change", () => {
  it("then it is written with the next change of the owner, before it", async () => {
    const parked = owners.changeWith("t", address, spawn("t"));
    await pass();
    expect(store.writes).toEqual([]);
    const { before } = await owners.change(address, spawn("t"));
    expect(usageOf("t", before).spawned).toBe(1);
    expect(usageOf("t", (await parked).after).spawned).toBe(1);
    expect(store.writes).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it("then it is written when its turn is released, and not when another turn is", async () => {
    const parked = owners.changeWith("t", address, spawn("t"));
    owners.release("another");
    await pass();
    expect(store.writes).toEqual([]);
    owners.release("t");
    await parked;
    expect(await spawned("t")).toBe(1);
    owners.release("t");
    await pass();
    expect(store.writes).toHaveLength(1);
  });

  it("then it is written after MAX_PARKED_MS at the latest", async () => {
    const parked = Promise.all([
      owners.changeWith("t", address, spawn("t")),
      owners.changeWith("t", address, spawn("t")),
    ]);
    clock.advance(MAX_PARKED_MS - 1);
    await pass();
    expect(store.writes).toEqual([]);
    clock.advance(1);
    await parked;
    expect(store.writes).toHaveLength(1);
    expect(await spawned("t")).toBe(2);
  });
});

describe("given a settled batch whose effects are published", () => {
  const over = (turnId: string) => ({ turnId, members: [], openedAt: 0, sealedAt: clock.now(), ...workContext });
  const add = (turnId: string) => owners.change(address, (record) => withBatch(record, over(turnId)));
  const batches = async () => Object.keys((await readOwner(store, address)).batches);

  it("then the next change of its owner removes it, unless it is the newest", async () => {
    await add("one");
    await add("two");
    expect(await batches()).toEqual(["one", "two"]);
    owners.markPublished(address, "one");
    owners.markPublished(address, "two");
    await owners.change(address, spawn("t"));
    expect(await batches()).toEqual(["two"]);
    await add("three");
    expect(await batches()).toEqual(["three"]);
  });
});

describe("given more owners than the cache holds", () => {
  it("then all their changes are stored, and parked ones are not lost", async () => {
    const parked = owners.changeWith("t", address, spawn("t"));
    for (let n = 0; n < 501; n++) await owners.change({ ...address, ownerId: `o${n}` }, spawn("t"));
    owners.release("t");
    await parked;
    expect(await spawned("t")).toBe(1);
    const { reads } = store;
    await owners.change({ ...address, ownerId: "o0" }, spawn("t"));
    expect(store.reads).toBeGreaterThan(reads);
    expect(usageOf("t", await readOwner(store, { ...address, ownerId: "o0" })).spawned).toBe(2);
  });
});

describe("given the cache of owners is full", () => {
  const other = (n: number) => ({ ...address, ownerId: `o${n}` });
  const fill = async (from: number, count: number) => {
    for (let n = from; n < from + count; n++) await owners.change(other(n), spawn("t"));
  };
  const readsOf = async (change: () => Promise<unknown>) => {
    const { reads } = store;
    await change();
    return store.reads - reads;
  };

  it("when one more is changed, then the least recently used owner is dropped, and only that one", async () => {
    await owners.change(address, spawn("t"));
    await fill(0, 499);
    // The use makes it the most recent one.
    expect(await readsOf(() => owners.change(address, spawn("t")))).toBe(0);
    await fill(499, 1);
    expect(await readsOf(() => owners.change(address, spawn("t")))).toBe(0);
    expect(await readsOf(() => owners.change(other(1), spawn("t")))).toBe(0);
    expect(await readsOf(() => owners.change(other(0), spawn("t")))).toBeGreaterThan(0);
  });

  it("when the oldest owner has a parked change, then it stays, and its next change shares the write", async () => {
    const parked = owners.changeWith("t", address, spawn("t"));
    await fill(0, 501);
    const writes = store.writes.length;
    await owners.change(address, spawn("t"));
    await parked;
    expect(store.writes.length - writes).toBe(1);
    expect(await spawned("t")).toBe(2);
  });

  it("when the record of the oldest owner is being written, then it stays, and no write conflicts", async () => {
    const gate = closedGate();
    let isFirst = true;
    store.before = async (operation) => {
      if (operation !== "put" || !isFirst) return;
      isFirst = false;
      await gate.opened;
    };
    const first = owners.change(address, spawn("t"));
    await pass();
    await pass();
    await fill(0, 501);
    const second = owners.change(address, spawn("t"));
    await pass();
    gate.open();
    expect(await readsOf(() => Promise.all([first, second]))).toBe(0);
    expect(await spawned("t")).toBe(2);
  });
});

describe("given the usage of requests of one owner (S9)", () => {
  it("then the sixteen most recent are stored, by the end of the turn id", () => {
    let record = emptyOwner;
    for (let n = 10; n < 26; n++) record = withUsage(record, `turn-${n}`, { spawned: n, respawns: [`r${n}`] });
    expect(usageOf("turn-10", record)).toEqual({ spawned: 10, respawns: ["r10"] });
    record = withUsage(record, "turn-10", { spawned: 11, respawns: [] });
    record = withUsage(record, "turn-26", { spawned: 1, respawns: [] });
    expect(usageOf("turn-10", record)).toEqual({ spawned: 11, respawns: [] });
    expect(usageOf("turn-11", record)).toEqual({ spawned: 0, respawns: [] });
    expect(record.tallies).toHaveLength(16);
    expect(usageOf(`${"x".repeat(40)}turn-26`, withUsage(emptyOwner, "turn-26", { spawned: 1, respawns: [] }))).toEqual(
      {
        spawned: 0,
        respawns: [],
      },
    );
  });

  it("when an owner has no record, then its usage is empty", async () => {
    expect(await readOwner(store, address)).toEqual(emptyOwner);
    expect(ownerKey(address).encoded).not.toBe(ownerKey({ ...address, ownerId: "z" }).encoded);
  });
});
