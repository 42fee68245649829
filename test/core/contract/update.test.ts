import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { AppError, RevisionConflict } from "../../../core/contract/app-error.ts";
import { collection, type Key, keyOf, type Store } from "../../../core/contract/ports/store.ts";
import {
  createOnce,
  createOrRead,
  DELETE,
  LastRead,
  putIfUnchanged,
  retryConflicts,
  update,
} from "../../../core/contract/ports/update.ts";
import type { Deployment } from "../../contract/backbone-harness.ts";
import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { countingBackbone } from "../../fakes/counting-backbone.ts";
import { propertyRuns } from "../../setup/property-runs.ts";

const Ids = z.looseObject({ ids: z.array(z.number()) });
type Ids = z.infer<typeof Ids>;
const EMPTY: Ids = { ids: [] };

let deployment: Deployment;
let counting: ReturnType<typeof countingBackbone>;
let store: Store;
let key: Key<Ids>;
let made = 0;

const adding =
  (id: number) =>
  ({ ids }: Ids): Ids => ({ ids: [...ids, id] });

/** Another writer adds this id right before each of the first `times` conditional writes. */
const racing = (times: number): Store => {
  let left = times;
  const race = async (): Promise<void> => {
    if (left-- > 0) await store.put(key, { ids: [-1] });
  };
  return {
    get: (at, known) => store.get(at, known),
    list: (prefix) => store.list(prefix),
    async put(at, value, options) {
      await race();
      return store.put(at, value, options);
    },
    async delete(at, options) {
      await race();
      return store.delete(at, options);
    },
  };
};

beforeAll(async () => {
  deployment = await embeddedHarness.deploy();
  counting = countingBackbone(await deployment.open());
  store = counting.store;
});
afterAll(() => deployment.dispose());
beforeEach(() => {
  key = keyOf(collection(`ids-${++made}`, Ids), "a");
  counting.reads.length = 0;
  counting.writes.length = 0;
});

describe("given an absent key", () => {
  it("when an update returns a value, then it is written with one read and one write", async () => {
    const result = await update(store, key, (known) => (known === undefined ? { ids: [1] } : known));
    expect(result).toMatchObject({ outcome: "written", before: undefined, after: { ids: [1] }, attempts: 1 });
    expect([counting.reads.length, counting.writes.length]).toEqual([1, 1]);
    expect(await store.get(key)).toEqual({ value: { ids: [1] }, revision: result.revision });
  });

  it("when there is an initial value and the change returns it, then nothing is written", async () => {
    const result = await update(store, key, (known) => known, { initial: EMPTY });
    expect(result).toEqual({ outcome: "unchanged", before: EMPTY, after: EMPTY, revision: 0, attempts: 1 });
    expect(counting.writes).toEqual([]);
  });

  it("when the change returns nothing, or a deletion, then nothing is written", async () => {
    expect((await update(store, key, () => undefined)).outcome).toBe("unchanged");
    expect((await update(store, key, () => DELETE)).outcome).toBe("unchanged");
    expect(counting.writes).toEqual([]);
  });

  it("when the key is known to be absent, then the first attempt does not read", async () => {
    const result = await update(store, key, adding(1), { initial: EMPTY, known: "absent" });
    expect(result.after).toEqual({ ids: [1] });
    expect(counting.reads).toEqual([]);
  });

  it("when the change throws, then the update rejects with that error and nothing is written", async () => {
    const refused = new AppError("too-large", "no room");
    const throwing = () => {
      throw refused;
    };
    await expect(update(store, key, throwing)).rejects.toBe(refused);
    expect(counting.writes).toEqual([]);
  });
});

describe("given a stored value", () => {
  beforeEach(async () => {
    await store.put(key, { ids: [1] });
    counting.writes.length = 0;
  });

  it("when the change returns the same object or nothing, then it stays and its revision is returned", async () => {
    const stored = await store.get(key);
    for (const same of [(known: Ids | undefined) => known, () => undefined]) {
      const result = await update(store, key, same);
      expect(result).toMatchObject({ outcome: "unchanged", after: { ids: [1] }, revision: stored?.revision });
    }
    expect(counting.writes).toEqual([]);
  });

  it("when the change returns a deletion, then the key is absent and reads as the initial value", async () => {
    const result = await update(store, key, () => DELETE, { initial: EMPTY });
    expect(result).toMatchObject({ outcome: "deleted", before: { ids: [1] }, after: EMPTY, revision: 0 });
    expect(await store.get(key)).toBeUndefined();
  });

  it("when another writer is first, then the change runs again on the new value", async () => {
    const attempts: number[] = [];
    const change = (known: Ids, attempt: number) => {
      attempts.push(attempt);
      return adding(2)(known);
    };
    const result = await update(racing(2), key, change, { initial: EMPTY });
    expect(result).toMatchObject({ outcome: "written", before: { ids: [-1] }, after: { ids: [-1, 2] }, attempts: 3 });
    expect(attempts).toEqual([1, 2, 3]);
  });

  it("when another writer is first, then a deletion is decided again on the new value", async () => {
    const result = await update(racing(1), key, (known) => (known?.ids.includes(-1) ? known : DELETE));
    expect(result).toMatchObject({ outcome: "unchanged", after: { ids: [-1] }, attempts: 2 });
  });

  it("when its current revision is known, then an update is one write", async () => {
    const known = await store.get(key);
    counting.reads.length = 0;
    expect((await update(store, key, adding(2), { initial: EMPTY, known })).after).toEqual({ ids: [1, 2] });
    expect([counting.reads.length, counting.writes.length]).toEqual([0, 1]);
  });

  it("when the known value is stale, then a conflict detects it and the stored value counts", async () => {
    const known = await store.get(key);
    await store.put(key, { ids: [7] });
    expect((await update(store, key, adding(2), { initial: EMPTY, known })).after).toEqual({ ids: [7, 2] });
  });

  it("when there is nothing to write on a stale known value, then the stored value decides", async () => {
    const known = await store.get(key);
    await store.put(key, EMPTY);
    const once = (current: Ids) => (current.ids.includes(1) ? current : adding(1)(current));
    expect(await update(store, key, once, { initial: EMPTY, known })).toMatchObject({
      outcome: "written",
      before: EMPTY,
      after: { ids: [1] },
      attempts: 1,
    });
  });

  it("when there is a cache, then it holds the written value, and nothing after a deletion", async () => {
    const cache = new LastRead<Ids>();
    const { after, revision } = await update(store, key, adding(2), { initial: EMPTY, cache });
    expect(cache.peek(store, key)).toEqual({ value: after, revision });
    await update(store, key, () => DELETE, { cache });
    expect(cache.peek(store, key)).toBeUndefined();
  });

  it("when a TTL is given, as a number or by value, then the value expires after it", async () => {
    await update(store, key, adding(2), { initial: EMPTY, ttlMs: 1_000 });
    deployment.clock.skip(2_000);
    expect(await store.get(key)).toBeUndefined();
    const ttlMs = ({ ids }: Ids) => (ids.length > 1 ? 1_000 : undefined);
    await update(store, key, adding(3), { initial: EMPTY, ttlMs });
    deployment.clock.skip(2_000);
    expect((await update(store, key, adding(4), { initial: EMPTY, ttlMs })).after).toEqual({ ids: [3, 4] });
    deployment.clock.skip(2_000);
    expect(await store.get(key)).toBeUndefined();
  });
});

describe("given a key that other writers change constantly", () => {
  it("when an update loses every attempt, then it rejects after 1,000 attempts", async () => {
    let attempts = 0;
    const losing = retryConflicts(async () => {
      attempts++;
      throw new RevisionConflict("a.b", 7);
    });
    const expected =
      'stopped after 1000 attempts, all lost to other writers; try again ("a.b" is no longer at revision 7';
    await expect(losing).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining(expected) });
    expect(attempts).toBe(1_000);
  });

  it("when a step fails in another way, then it is not repeated", async () => {
    let attempts = 0;
    const failing = retryConflicts(async () => {
      attempts++;
      throw new AppError("internal", "disk");
    });
    await expect(failing).rejects.toThrow("disk");
    expect(attempts).toBe(1);
  });

  it("when many update it at once, then no update is lost and each is written once", async () => {
    const updater = fc.record({
      pausesFor: fc.integer({ min: 0, max: 5 }),
      isStale: fc.boolean(),
      isAsync: fc.boolean(),
    });
    const updaters = fc.array(updater, { minLength: 2, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(updaters, fc.boolean(), async (all, isStored) => {
        key = keyOf(collection(`ids-${++made}`, Ids), "a");
        if (isStored) await store.put(key, EMPTY);
        const known = await store.get(key);
        counting.writes.length = 0;
        const results = await Promise.all(
          all.map(async ({ pausesFor, isStale, isAsync }, id) => {
            for (let pass = 0; pass < pausesFor; pass++) await new Promise((next) => setImmediate(next));
            const change = isAsync ? async (current: Ids) => adding(id)(current) : adding(id);
            return update(store, key, change, { initial: EMPTY, ...(isStale && { known: known ?? "absent" }) });
          }),
        );
        const stored = await store.get(key);
        expect(stored?.value.ids.toSorted((a, b) => a - b)).toEqual(all.map((_, id) => id));
        expect(new Set(results.map(({ revision }) => revision)).size).toBe(all.length);
        const attempts = results.reduce((sum, result) => sum + result.attempts, 0);
        expect(counting.writes).toHaveLength(attempts);
      }),
      propertyRuns(25),
    );
  });
});

describe("given writes that are tried once", () => {
  it("when many create a key, then one does and all others get undefined", async () => {
    const created = await Promise.all([1, 2, 3].map((id) => createOnce(store, key, { ids: [id] })));
    expect(created.filter((revision) => revision !== undefined)).toHaveLength(1);
  });

  it("when a key exists, then createOrRead resolves to its value, with isNew false", async () => {
    expect(await createOrRead(store, key, { ids: [1] })).toEqual({ value: { ids: [1] }, isNew: true });
    expect(await createOrRead(store, key, { ids: [2] })).toEqual({ value: { ids: [1] }, isNew: false });
  });

  it("when the first value expires before it is read, then createOrRead rejects with a conflict", async () => {
    await store.put(key, { ids: [1] });
    const expiring: Store = { ...racing(0), get: async () => undefined };
    await expect(createOrRead(expiring, key, { ids: [2] })).rejects.toMatchObject({ code: "conflict" });
  });

  it("when a key has changed since it was read, then putIfUnchanged writes nothing", async () => {
    const first = await store.put(key, { ids: [1] });
    const second = await putIfUnchanged(store, key, { ids: [2] }, first);
    expect(second).toBeGreaterThan(first);
    expect(await putIfUnchanged(store, key, { ids: [3] }, first)).toBeUndefined();
    expect((await store.get(key))?.value).toEqual({ ids: [2] });
  });

  it("when the store fails, then the error is not treated as a conflict", async () => {
    const failing: Store = { ...racing(0), put: () => Promise.reject(new AppError("unavailable", "no quorum")) };
    await expect(createOnce(failing, key, EMPTY)).rejects.toThrow("no quorum");
  });
});
