import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { RevisionConflict } from "../../core/contract/app-error.ts";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import {
  type Collection,
  collection,
  keyOf,
  keyParts,
  type Listed,
  MAX_VALUE_BYTES,
  prefixOf,
  type Store,
} from "../../core/contract/ports/store.ts";
import { update } from "../../core/contract/ports/update.ts";
import type { BackboneHarness, Deployment } from "./backbone-harness.ts";

const Note = z.looseObject({ text: z.string() });
type Note = z.infer<typeof Note>;

const all = async <T>(listing: AsyncIterable<Listed<T>>): Promise<Listed<T>[]> => {
  const found: Listed<T>[] = [];
  for await (const item of listing) found.push(item);
  return found;
};

export const storeContract = (harness: BackboneHarness): void => {
  describe(`the store on ${harness.name}`, () => {
    let deployment: Deployment;
    let backbone: Backbone;
    let store: Store;
    let made = 0;
    /** Each test has its own collection. */
    const fresh = (options?: { ttlMs: number }): Collection<Note> => collection(`notes-${++made}`, Note, options);

    beforeAll(async () => {
      deployment = await harness.deploy();
      backbone = await deployment.open();
      store = backbone.store;
    });
    afterAll(() => deployment.dispose());

    it("when a key was never written, then it reads as absent", async () => {
      expect(await store.get(keyOf(fresh(), "absent"))).toBeUndefined();
    });

    it("when a value is put, then it reads back with the revision that put resolved to", async () => {
      const key = keyOf(fresh(), "a");
      const revision = await store.put(key, { text: "hello" });
      expect(await store.get(key)).toEqual({ value: { text: "hello" }, revision });
    });

    it("when a reader passes the value that it knows, then it gets that object back while it is current", async () => {
      const key = keyOf(fresh(), "a");
      await store.put(key, { text: "one" });
      const known = await store.get(key);
      expect(await store.get(key, known)).toBe(known);
      expect(await store.get(key, known && { ...known, revision: known.revision + 1 })).toEqual(known);

      const long = { text: "x".repeat(5_000) };
      const revision = await store.put(key, long);
      const changed = await store.get(key, known);
      expect(changed).toEqual({ value: long, revision });
      expect(await store.get(key, changed)).toBe(changed);
      expect(await store.get(key)).toEqual(changed);

      await store.delete(key);
      expect(await store.get(key, changed)).toBeUndefined();
      await store.put(key, { text: "again" });
      expect((await store.get(key, changed))?.value.text).toBe("again");
    });

    it("when a value is put again, then its revision grows", async () => {
      const key = keyOf(fresh(), "a");
      const first = await store.put(key, { text: "one" });
      expect(await store.put(key, { text: "two" })).toBeGreaterThan(first);
      expect((await store.get(key))?.value.text).toBe("two");
    });

    it("when the same data is opened a second time, then a read there returns the value", async () => {
      const key = keyOf(fresh(), "a");
      await store.put(key, { text: "shared" });
      const other = await deployment.open();
      expect((await other.store.get(key))?.value.text).toBe("shared");
    });

    it("when the revision is the expected one, then a compare-and-set writes; otherwise it conflicts and changes nothing", async () => {
      const key = keyOf(fresh(), "a");
      const first = await store.put(key, { text: "one" }, { ifRevision: 0 });
      const second = await store.put(key, { text: "two" }, { ifRevision: first });
      await expect(store.put(key, { text: "late" }, { ifRevision: first })).rejects.toBeInstanceOf(RevisionConflict);
      await expect(store.put(key, { text: "again" }, { ifRevision: 0 })).rejects.toBeInstanceOf(RevisionConflict);
      expect(await store.get(key)).toEqual({ value: { text: "two" }, revision: second });
    });

    it("when an absent key is expected at a revision, then the write conflicts", async () => {
      const key = keyOf(fresh(), "a");
      await expect(store.put(key, { text: "x" }, { ifRevision: 7 })).rejects.toBeInstanceOf(RevisionConflict);
      expect(await store.get(key)).toBeUndefined();
    });

    it("when many create the same key at once, then exactly one wins", async () => {
      const key = keyOf(fresh(), "a");
      const other = (await deployment.open()).store;
      const attempts = Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? store : other).put(key, { text: `writer ${n}` }, { ifRevision: 0 }),
      );
      const settled = await Promise.allSettled(attempts);
      expect(settled.filter((result) => result.status === "fulfilled")).toHaveLength(1);
      for (const result of settled) {
        if (result.status === "rejected") expect(result.reason).toBeInstanceOf(RevisionConflict);
      }
      const winner = settled.findIndex((result) => result.status === "fulfilled");
      expect((await store.get(key))?.value.text).toBe(`writer ${winner}`);
    });

    it("when racing writers each add by compare-and-set, then no addition is lost", async () => {
      const Counter = z.looseObject({ count: z.number() });
      const key = keyOf(collection(`counter-${++made}`, Counter), "c");
      const other = (await deployment.open()).store;
      await store.put(key, { count: 0 });
      const add = async (on: Store): Promise<void> => {
        for (;;) {
          const current = await on.get(key);
          if (!current) throw new Error("the counter is missing");
          try {
            await on.put(key, { count: current.value.count + 1 }, { ifRevision: current.revision });
            return;
          } catch (error) {
            if (!(error instanceof RevisionConflict)) throw error;
          }
        }
      };
      await Promise.all(Array.from({ length: 30 }, (_, n) => add(n % 2 ? store : other)));
      expect((await store.get(key))?.value.count).toBe(30);
    });

    it("when many updates through two openings change one key, then no update is lost", async () => {
      const Ids = z.looseObject({ ids: z.array(z.number()) });
      const key = keyOf(collection(`ids-${++made}`, Ids), "a");
      const stores = [store, (await deployment.open()).store];
      await Promise.all(
        Array.from({ length: 30 }, (_, id) =>
          update(stores[id % 2] as Store, key, ({ ids }) => ({ ids: [...ids, id] }), {
            initial: { ids: [] as number[] },
          }),
        ),
      );
      const { ids } = (await store.get(key))?.value ?? { ids: [] };
      expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, id) => id));
    });

    it("when a key is deleted, then it is absent, and a second delete succeeds", async () => {
      const key = keyOf(fresh(), "a");
      await store.put(key, { text: "x" });
      await store.delete(key);
      expect(await store.get(key)).toBeUndefined();
      await store.delete(key);
    });

    it("when a key is deleted at an old revision, then the delete conflicts and the value stays", async () => {
      const key = keyOf(fresh(), "lease");
      const first = await store.put(key, { text: "mine" });
      await store.put(key, { text: "my successor's" });
      await expect(store.delete(key, { ifRevision: first })).rejects.toBeInstanceOf(RevisionConflict);
      expect((await store.get(key))?.value.text).toBe("my successor's");
    });

    it("when a key is deleted at its revision, then it is absent", async () => {
      const key = keyOf(fresh(), "lease");
      const revision = await store.put(key, { text: "mine" });
      await store.delete(key, { ifRevision: revision });
      expect(await store.get(key)).toBeUndefined();
    });

    it("when a deleted key is created again, then its old revision no longer matches", async () => {
      const key = keyOf(fresh(), "a");
      const first = await store.put(key, { text: "one" }, { ifRevision: 0 });
      await store.delete(key);
      const second = await store.put(key, { text: "two" }, { ifRevision: 0 });
      expect(second).toBeGreaterThan(first);
      await expect(store.put(key, { text: "stale" }, { ifRevision: first })).rejects.toBeInstanceOf(RevisionConflict);
    });

    it("when a prefix is listed, then only keys with whole matching parts are returned, in order", async () => {
      const notes = fresh();
      for (const parts of [
        ["a", "2"],
        ["a", "1"],
        ["ab", "1"],
        ["b", "1"],
        ["a", "1", "x"],
      ] as const) {
        await store.put(keyOf(notes, ...(parts as readonly [string, ...string[]])), { text: parts.join("/") });
      }
      const listed = await all(store.list(prefixOf(notes, "a")));
      expect(listed.map((item) => item.value.text)).toEqual(["a/1", "a/1/x", "a/2"]);
      expect(listed.map((item) => keyParts(item.key))).toEqual([
        ["a", "1"],
        ["a", "1", "x"],
        ["a", "2"],
      ]);
      expect((await all(store.list(prefixOf(notes)))).length).toBe(5);
      expect(await all(store.list(prefixOf(notes, "nothing")))).toEqual([]);
      expect(await all(store.list(prefixOf(fresh())))).toEqual([]);
    });

    it("when a list is long, then it is complete and has no deleted keys", async () => {
      const notes = fresh();
      await Promise.all(Array.from({ length: 700 }, (_, n) => store.put(keyOf(notes, "n", `${n}`), { text: `${n}` })));
      await store.delete(keyOf(notes, "n", "13"));
      const listed = await all(store.list(prefixOf(notes, "n")));
      expect(new Set(listed.map((item) => item.value.text)).size).toBe(699);
    });

    it("when a value has expired, then it is absent, not listed, and can be created again", async () => {
      const notes = fresh();
      const key = keyOf(notes, "code");
      await store.put(key, { text: "one-time" }, { ifRevision: 0, ttlMs: 60_000 });
      await store.put(keyOf(notes, "kept"), { text: "kept" });
      expect((await store.get(key))?.value.text).toBe("one-time");
      deployment.clock.skip(60_001);
      expect(await store.get(key)).toBeUndefined();
      expect((await all(store.list(prefixOf(notes)))).map((item) => item.value.text)).toEqual(["kept"]);
      await store.put(key, { text: "another" }, { ifRevision: 0, ttlMs: 60_000 });
      expect((await store.get(key))?.value.text).toBe("another");
    });

    it("when a collection has a TTL, then a write restarts it", async () => {
      const key = keyOf(fresh({ ttlMs: 3_600_000 }), "a");
      await store.put(key, { text: "x" });
      deployment.clock.skip(3_000_000);
      await store.put(key, { text: "y" });
      deployment.clock.skip(3_000_000);
      expect((await store.get(key))?.value.text).toBe("y");
      deployment.clock.skip(700_000);
      expect(await store.get(key)).toBeUndefined();
    });

    it("when the TTL of a value is longer than that of its collection, then the collection's counts", async () => {
      const key = keyOf(fresh({ ttlMs: 3_600_000 }), "a");
      await store.put(key, { text: "x" }, { ttlMs: 7_200_000 });
      deployment.clock.skip(3_700_000);
      expect(await store.get(key)).toBeUndefined();
    });

    it("when ids contain any character, then each has its own value and is returned unchanged", async () => {
      const notes = fresh();
      const parts = fc.array(fc.string({ unit: "binary", maxLength: 40 }), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(parts, { minLength: 1, maxLength: 8, selector: JSON.stringify }),
          async (ids) => {
            const named = ids.map((id) => id as [string, ...string[]]);
            await Promise.all(named.map((id) => store.put(keyOf(notes, ...id), { text: JSON.stringify(id) })));
            for (const id of named) {
              expect((await store.get(keyOf(notes, ...id)))?.value.text).toBe(JSON.stringify(id));
              expect(keyParts(keyOf(notes, ...id).encoded)).toEqual(id);
            }
          },
        ),
        { numRuns: 40 },
      );
      const lone = keyOf(notes, "\ud800");
      await store.put(lone, { text: "lone" });
      expect(await store.get(keyOf(notes, "\ud801"))).toBeUndefined();
      expect((await store.get(lone))?.value.text).toBe("lone");
    });

    it("when a value is too large, then it is refused with its size, and the old one stays", async () => {
      const key = keyOf(fresh(), "a");
      await store.put(key, { text: "small" });
      await expect(store.put(key, { text: "x".repeat(10_000_000) })).rejects.toMatchObject({ code: "too-large" });
      expect((await store.get(key))?.value.text).toBe("small");
      const largest = { text: "x".repeat(MAX_VALUE_BYTES - '{"text":""}'.length) };
      await store.put(key, largest);
      expect((await store.get(key))?.value.text.length).toBe(largest.text.length);
    });

    it("when a newer version wrote more fields, then they survive (F31)", async () => {
      const key = keyOf(fresh(), "a");
      await store.put(key, { text: "x", addedLater: { deep: [1, 2] } });
      expect((await store.get(key))?.value).toEqual({ text: "x", addedLater: { deep: [1, 2] } });
    });

    it("when a stored value does not parse, then the error names the collection and the key", async () => {
      const name = `notes-${++made}`;
      await store.put(keyOf(collection(name, z.unknown()), "odd one"), { text: 42 });
      const read = store.get(keyOf(collection(name, Note), "odd one"));
      await expect(read).rejects.toMatchObject({ code: "data-unusable" });
      await expect(read).rejects.toThrow(new RegExp(`${name}.*text`, "s"));
    });

    it("when everything was closed and opened again, then values and revisions are still there", async () => {
      const key = keyOf(fresh(), "a");
      const revision = await store.put(key, { text: "durable" });
      await deployment.closeAll();
      backbone = await deployment.open();
      store = backbone.store;
      expect(await store.get(key)).toEqual({ value: { text: "durable" }, revision });
      expect(await store.put(key, { text: "more" }, { ifRevision: revision })).toBeGreaterThan(revision);
    });

    it("when the backbone is closed, then calls are refused", async () => {
      const key = keyOf(fresh(), "a");
      await deployment.closeAll();
      await expect(store.get(key)).rejects.toMatchObject({ code: "stopped" });
      await expect(store.put(key, { text: "x" })).rejects.toMatchObject({ code: "stopped" });
      backbone = await deployment.open();
      store = backbone.store;
    });
  });

  if (!harness.hasServer) return;
  describe(`the store on ${harness.name}, when its server is killed in the middle`, () => {
    it("then no compare-and-set is lost or applied twice", async () => {
      const deployment = await harness.deploy();
      try {
        const { store } = await deployment.open();
        const Counter = z.looseObject({ count: z.number() });
        const key = keyOf(collection("counter", Counter), "c");
        let revision = await store.put(key, { count: 0 });
        const writing = (async () => {
          for (let count = 1; count <= 300; count++) {
            revision = await store.put(key, { count }, { ifRevision: revision });
          }
        })();
        await deployment.restartServer();
        await writing;
        expect(await store.get(key)).toEqual({ value: { count: 300 }, revision });
      } finally {
        await deployment.dispose();
      }
    });
  });
};
