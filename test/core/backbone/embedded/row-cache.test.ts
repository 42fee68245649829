import { describe, expect, it } from "vitest";
import { keyOf } from "../../../../core/contract/ports/store.ts";
import { notes } from "./sample-kinds.ts";
import { openScratch, scratchDir } from "./scratch.ts";
import { SteppedClock } from "./stepped-clock.ts";

const key = keyOf(notes, "a");

describe("given a cached entry", () => {
  it("when it is written, created or deleted, then the next read returns the new state", async () => {
    const { store } = openScratch(scratchDir()).backbone;
    const text = async () => (await store.get(key))?.value.text;
    expect(await text()).toBeUndefined();
    const created = await store.put(key, { text: "created" }, { ifRevision: 0 });
    expect(await text()).toBe("created");
    const changed = await store.put(key, { text: "changed" }, { ifRevision: created });
    expect(await text()).toBe("changed");
    await store.delete(key, { ifRevision: changed });
    expect(await text()).toBeUndefined();
    await store.put(key, { text: "put" });
    expect(await text()).toBe("put");
    await store.delete(key);
    expect(await text()).toBeUndefined();
  });

  it("when a write to it was rolled back, then the next read returns the stored value", async () => {
    const { database, backbone } = openScratch(scratchDir());
    const { store } = backbone;
    await store.put(key, { text: "stored" });
    await store.get(key);
    database.limitPages(1);
    const values = Array.from({ length: 50 }, () => store.put(key, { text: "x".repeat(100_000) }));
    expect((await Promise.allSettled(values)).every(({ status }) => status === "rejected")).toBe(true);
    expect((await store.get(key))?.value.text).toBe("stored");
  });

  it("when it expires, then it is absent", async () => {
    const clock = new SteppedClock();
    const { store } = openScratch(scratchDir(), { clock }).backbone;
    await store.put(key, { text: "" }, { ttlMs: 1_000 });
    const known = await store.get(key);
    expect(await store.get(key, known)).toBe(known);
    clock.advance(1_001);
    expect(await store.get(key)).toBeUndefined();
    expect(await store.get(key, known)).toBeUndefined();
  });

  it("when a reader changes the value that it got, then the next reader gets the stored value", async () => {
    const { store } = openScratch(scratchDir()).backbone;
    await store.put(key, { text: "stored" });
    const first = await store.get(key);
    if (first) first.value.text = "changed by its reader";
    expect((await store.get(key))?.value.text).toBe("stored");
  });

  it("when the backbone is closed, then the read is refused", async () => {
    const { backbone } = openScratch(scratchDir());
    await backbone.store.put(key, { text: "" });
    await backbone.store.get(key);
    await backbone.close();
    await expect(backbone.store.get(key)).rejects.toMatchObject({ code: "stopped" });
  });
});
