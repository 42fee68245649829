import { describe, expect, it } from "vitest";
import { Unwritable, unlessUnwritable, whenWritable } from "../../../core/contract/ports/backbone.ts";
import { SwitchedWrites } from "../../fakes/switched-writes.ts";

describe("given work that stores something (F35)", () => {
  it("when writes fail, then the work does not begin", async () => {
    const writes = new SwitchedWrites();
    writes.fail("no quorum");
    let hasBegun = false;
    const work = unlessUnwritable(writes, async () => {
      hasBegun = true;
    });
    await expect(work).rejects.toMatchObject({ name: "Unwritable", code: "unavailable", cause: "no quorum" });
    expect(hasBegun).toBe(false);
  });

  it("when writes begin to fail while it runs, then its sender is refused, and its late failure is ignored", async () => {
    const writes = new SwitchedWrites();
    let end = (_: Error) => {};
    const work = unlessUnwritable(
      writes,
      () =>
        new Promise<void>((_, reject) => {
          end = reject;
        }),
    );
    writes.fail();
    await expect(work).rejects.toThrow(Unwritable);
    end(new Error("too late"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(writes.watchers).toBe(0);
  });

  it("when writes work, then its own result or error counts, and no watcher is left", async () => {
    const writes = new SwitchedWrites();
    expect(await unlessUnwritable(writes, async () => 7)).toBe(7);
    await expect(unlessUnwritable(writes, () => Promise.reject(new Error("from the work")))).rejects.toThrow(
      "from the work",
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(writes.watchers).toBe(0);
  });
});

describe("given code that waits until writes work", () => {
  it("when writes work again, or its signal aborts, then it resolves at once", async () => {
    const writes = new SwitchedWrites();
    await whenWritable(writes);
    writes.fail();
    const stop = new AbortController();
    const [again, stopped] = [whenWritable(writes), whenWritable(writes, stop.signal)];
    stop.abort();
    await stopped;
    expect(writes.watchers).toBe(1);
    writes.work();
    await again;
    expect(writes.watchers).toBe(0);
  });
});
