import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { MAX_MESSAGE_BYTES } from "../../../../core/contract/ports/bus.ts";
import { collection, keyOf, keyParts, MAX_VALUE_BYTES, prefixOf } from "../../../../core/contract/ports/store.ts";
import { counted, notes } from "./sample-kinds.ts";
import { openScratch, readOne, scratchDir } from "./scratch.ts";
import { SteppedClock } from "./stepped-clock.ts";

/** All UTF-16 units, lone surrogates included, and characters that SQL, NATS or a token could read as syntax. */
const anyText = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom("", ".", "*", ">", "\0", "a\0b", "\ud800", "\udc00x", "👋", "=", "'", "%", "_", "a.b", "\uFFFD"),
);

describe("given ids with any character", () => {
  it("when they are published, then each is received unchanged, and no two count as duplicates", async () => {
    const { backbone } = openScratch(scratchDir());
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.record({ id: anyText, key: anyText }), { selector: ({ id }) => id }),
        async (sent) => {
          const subject = counted(`round-${round++}`);
          const came = new Map<string, unknown>();
          await Promise.all(sent.map(({ id, key }, n) => backbone.bus.publish(subject, { n, text: key }, { id, key })));
          // Read back from the file, not from memory: the durable is new.
          const consumer = await backbone.bus.consume(
            subject,
            { durable: "d\0\ud800", concurrency: 99 },
            async (message, { id }) => {
              came.set(id, message.text);
              return { ack: true };
            },
          );
          while (came.size < sent.length) await new Promise((resolve) => setImmediate(resolve));
          await consumer.close();
          expect(came).toEqual(new Map(sent.map(({ id, key }) => [id, key])));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("when they are keys, then each value is found under its own key and listed under its own prefix only", async () => {
    const { backbone } = openScratch(scratchDir());
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(anyText, anyText), { selector: (parts) => JSON.stringify(parts) }),
        async (keys) => {
          const kind = collection(`round-${round++}`, z.array(z.string()));
          await Promise.all(keys.map((parts) => backbone.store.put(keyOf(kind, ...parts), parts, { ifRevision: 0 })));
          for (const parts of keys) {
            expect((await backbone.store.get(keyOf(kind, ...parts)))?.value).toEqual(parts);
            const below: string[][] = [];
            for await (const { key } of backbone.store.list(prefixOf(kind, parts[0]))) below.push(keyParts(key));
            expect(new Set(below)).toEqual(new Set(keys.filter(([first]) => first === parts[0])));
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("given a value that cannot be stored", () => {
  it("when it has no JSON form, or it or its id is too large, then it is refused before a write", async () => {
    const { backbone } = openScratch(scratchDir());
    const circular: { n: number; self?: unknown } = { n: 1 };
    circular.self = circular;
    const { bus, store } = backbone;
    await expect(bus.publish(counted(), circular, { id: "a" })).rejects.toMatchObject({ code: "bad-input" });
    await expect(bus.publish(counted(), undefined as never, { id: "a" })).rejects.toMatchObject({ code: "bad-input" });
    await expect(bus.publish(counted(), { n: 1n } as never, { id: "a" })).rejects.toMatchObject({ code: "bad-input" });
    await expect(bus.publish(counted(), { n: 1 }, { id: "a".repeat(501) })).rejects.toMatchObject({
      code: "too-large",
    });
    const text = "€".repeat(MAX_MESSAGE_BYTES / 3);
    await expect(bus.publish(counted(), { n: 1, text }, { id: "a" })).rejects.toMatchObject({
      code: "too-large",
      message: expect.stringMatching(/test\.counted\.orders has 5000\d\d bytes/),
    });
    const value = { text: "x".repeat(MAX_VALUE_BYTES) };
    await expect(store.put(keyOf(notes, "a"), value)).rejects.toMatchObject({ code: "too-large" });
  });

  it("when it has exactly the maximum size, then it is stored", async () => {
    const { backbone } = openScratch(scratchDir());
    const frame = JSON.stringify({ text: "" }).length;
    const value = { text: "x".repeat(MAX_VALUE_BYTES - frame) };
    await backbone.store.put(keyOf(notes, "a"), value);
    expect((await backbone.store.get(keyOf(notes, "a")))?.value).toEqual(value);
  });
});

describe("given values in the store", () => {
  it("when one does not parse, then the error names it", async () => {
    const { database, backbone } = openScratch(scratchDir());
    await backbone.store.put(keyOf(notes, "a"), { text: "" });
    database.prepare(`UPDATE entries SET value = '{"text":1}'`).run();
    const broken = { code: "data-unusable", message: expect.stringContaining("notes/a") };
    await expect(backbone.store.get(keyOf(notes, "a"))).rejects.toMatchObject(broken);
    database.prepare("UPDATE entries SET value = 'no json'").run();
    await expect(backbone.store.get(keyOf(notes, "a"))).rejects.toMatchObject(broken);
  });

  it("when they expire, then they are absent at once, can be created again, and are swept later", async () => {
    const clock = new SteppedClock();
    const { database, backbone } = openScratch(scratchDir(), { clock });
    const brief = collection("brief", z.string(), { ttlMs: 1_000 });
    const { store } = backbone;
    const many = Array.from({ length: 1_100 }, (_, n) => store.put(keyOf(brief, `${n}`), "x"));
    const first = (await Promise.all(many))[0] as number;
    await store.put(keyOf(brief, "longer"), "x", { ttlMs: 2_000 });
    clock.set(999);
    await expect(store.put(keyOf(brief, "0"), "y", { ifRevision: 0 })).rejects.toMatchObject({ code: "conflict" });
    clock.set(1);
    expect(await store.get(keyOf(brief, "0"))).toBeUndefined();
    await expect(store.put(keyOf(brief, "0"), "y", { ifRevision: first })).rejects.toMatchObject({ code: "conflict" });
    await expect(store.delete(keyOf(brief, "0"), { ifRevision: first })).rejects.toMatchObject({ code: "conflict" });
    expect(await store.put(keyOf(brief, "0"), "y", { ifRevision: 0 })).toBeGreaterThan(first);
    clock.advance(60_000 - 1_001);
    expect(readOne(database, "SELECT count(*) FROM entries")).toBe(1_101);
    await store.put(keyOf(notes, "kept"), { text: "" });
    await backbone.sweeper.sweep();
    expect(readOne(database, "SELECT group_concat(key) FROM entries")).toBe("kept");
  });

  it("when a list is read during writes, then each page has the values at the time of its read", async () => {
    const { backbone } = openScratch(scratchDir());
    const key = (n: number) => keyOf(notes, `${n}`.padStart(4, "0"));
    await Promise.all(Array.from({ length: 450 }, (_, n) => backbone.store.put(key(n), { text: "" })));
    const seen: string[] = [];
    for await (const listed of backbone.store.list(prefixOf(notes))) {
      seen.push(listed.key);
      if (seen.length === 1)
        await Promise.all([backbone.store.delete(key(449)), backbone.store.put(key(450), { text: "" })]);
    }
    expect(seen).toHaveLength(450);
    expect(seen.at(-1)).toBe("0450");
    expect(seen).toEqual([...seen].sort());
  });
});
