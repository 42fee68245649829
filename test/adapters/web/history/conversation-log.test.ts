import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConversationLog } from "../../../../adapters/web/history/conversation-log.ts";
import { MAX_HINT_LAG } from "../../../../adapters/web/history/find-head.ts";
import { newVisitorId } from "../../../../adapters/web/identity/visitor-token.ts";
import { MemoryStore } from "../memory-store.ts";
import { OrderedClock } from "../ordered-clock.ts";

const DAY = 24 * 3_600_000;
const retentionMs = 30 * DAY;

const setUp = () => {
  const clock = new OrderedClock();
  const store = new MemoryStore(clock);
  const visitor = newVisitorId(clock.now(), "a");
  /** Each simulates a process that shares only the store. */
  const open = () => new ConversationLog({ visitor }, { store, clock, channel: "web", retentionMs });
  const entry = (once: string) => ({ once, at: clock.now(), frame: { type: "said", id: once } });
  /** For an entry that was just created. */
  const first = () => ({ since: clock.now(), isFirst: true });
  return { clock, store, open, entry, first };
};

describe("given a log with several writing gateways", () => {
  it("when they append concurrently, then numbers have no gap and no entry is duplicated", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ replica: fc.nat(2), id: fc.nat(40) }), { minLength: 1, maxLength: 120 }),
        async (appends) => {
          const { open, entry } = setUp();
          const replicas = [open(), open(), open()];
          await Promise.all(
            appends.map(({ replica, id }) =>
              (replicas[replica] as ConversationLog).append(entry(`m${id}`), { afterSeq: 0 }),
            ),
          );
          const distinct = new Set(appends.map(({ id }) => `m${id}`));
          const fresh = open();
          expect(await fresh.head()).toBe(distinct.size);
          const read = await Promise.all(Array.from({ length: distinct.size }, (_, index) => fresh.read(index + 1)));
          expect(new Set(read.map((found) => found?.once))).toEqual(distinct);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([1, 2, 63, 64, 65, 128, 129, 200])(
    "when %i entries are there, then a new process finds the end",
    async (count) => {
      const { open, entry, store, first } = setUp();
      const writer = open();
      for (let n = 1; n <= count; n++) await writer.append(entry(`m${n}`), first());
      store.reads = 0;
      expect(await open().head()).toBe(count);
      expect(store.reads).toBeLessThanOrEqual(15);
      store.reads = 0;
      expect(await open().head(count)).toBe(count);
      expect(store.reads).toBeLessThanOrEqual(count % MAX_HINT_LAG === 0 ? 15 : 3);
      for (const claimed of [0, 1, count - 1, count + 1, 10_000]) expect(await open().head(claimed)).toBe(count);
    },
  );

  it("when entries are appended, then a hint is written for one in sixty-four", async () => {
    const { open, entry, store, first } = setUp();
    const writer = open();
    for (let n = 1; n <= 200; n++) await writer.append(entry(`m${n}`), first());
    expect(store.writes.filter((name) => name === "web-log-head")).toHaveLength(3);
  });

  it("when a write succeeds but its answer is lost, then a retry finds it, in this process and others", async () => {
    const { open, entry, store, first } = setUp();
    const one = open();
    await one.append(entry("m1"), first());
    store.before = (operation) => {
      if (operation === "stored") throw new Error("answer lost");
    };
    await expect(one.append(entry("m2"), first())).rejects.toThrow("answer lost");
    store.before = () => undefined;
    expect(await one.append(entry("m2"), first())).toBe(2);
    expect(await open().append(entry("m2"), { afterSeq: 0 })).toBe(2);
    expect(await open().head()).toBe(2);
  });

  it("when a reply may be a duplicate, then the search goes back to its creation time", async () => {
    const { open, entry, clock, first } = setUp();
    const one = open();
    const madeAt = clock.now();
    await one.append(entry("r1"), first());
    for (let n = 1; n <= 500; n++) await one.append(entry(`m${n}`), first());
    expect(await open().append(entry("r1"), { since: madeAt })).toBe(1);
    clock.jump(1_000);
    expect(await open().append(entry("r1"), { since: clock.now() })).toBe(502);
  });

  it("when a process was suspended before its first attempt and another has appended, then it finds the entry (F7)", async () => {
    const { open, entry, clock, store } = setUp();
    const made = { since: clock.now(), isFirst: true };
    const [other, knows, slept] = [open(), open(), open()];
    await knows.head();
    clock.jump(1_000);
    expect(await other.append(entry("r1"), made)).toBe(1);
    for (let n = 1; n <= 30; n++) await other.append(entry(`m${n}`), made);
    expect(await knows.append(entry("r1"), made)).toBe(1);
    expect(await slept.append(entry("r1"), made)).toBe(1);
    expect(await open().head()).toBe(31);
    // The search has covered this period, so later appends skip it.
    await slept.append(entry("r2"), made);
    store.reads = 0;
    await slept.append(entry("r3"), made);
    expect(store.reads).toBe(0);
  });

  it("when a client retries a message, then the search covers the entries after its resumeFrom", async () => {
    const { open, entry, store, first } = setUp();
    const one = open();
    for (let n = 1; n <= 100; n++) await one.append(entry(`m${n}`), first());
    const other = open();
    await other.head(97);
    store.reads = 0;
    expect(await other.append(entry("m98"), { afterSeq: 97 })).toBe(98);
    expect(store.reads).toBe(3);
  });
});

describe("given a log whose entries expire", () => {
  it("when all have expired, then numbering continues, and no number is used twice", async () => {
    const { open, entry, clock } = setUp();
    const used = new Set<number>();
    for (let month = 0; month < 5; month++) {
      const writer = open();
      for (let n = 0; n < 10; n++) {
        const seq = await writer.append(entry(`m${month}-${n}`), { afterSeq: 0 });
        expect(used.has(seq)).toBe(false);
        used.add(seq);
      }
      clock.jump(retentionMs + 1);
    }
  });

  it("when some have expired, then the head is found among the rest", async () => {
    const { open, entry, clock, first } = setUp();
    const writer = open();
    for (let n = 1; n <= 40; n++) {
      await writer.append(entry(`m${n}`), first());
      clock.jump(DAY);
    }
    expect(await open().head()).toBe(40);
    expect(await open().append(entry("next"), first())).toBe(41);
    expect(await open().head()).toBe(41);
  });

  it("when a process has stale state, then it does not write behind the others", async () => {
    const { open, entry, clock, first } = setUp();
    const sleeper = open();
    await sleeper.append(entry("m1"), first());
    clock.jump(retentionMs + 1);
    const seq = await open().append(entry("m2"), first());
    expect(await sleeper.append(entry("m3"), first())).toBe(seq + 1);
  });

  it("when others appended after expired entries, then a signal moves the head", async () => {
    const { open, entry, clock, first } = setUp();
    const sleeper = open();
    await sleeper.append(entry("m1"), first());
    clock.jump(retentionMs / 2 - 1);
    await sleeper.advance();
    clock.jump(retentionMs / 2 + 2);
    const seq = await open().append(entry("m2"), first());
    expect(await sleeper.advance(seq)).toBe(seq);
  });
});
