import { describe, expect, it } from "vitest";
import { Unwritable, unlessUnwritable, whenWritable } from "../../../core/contract/ports/write-availability.ts";
import { SwitchedWrites } from "../../fakes/switched-writes.ts";

describe("given work that stores something (F35)", () => {
  it("when nothing can be stored, then the work does not begin", async () => {
    const writes = new SwitchedWrites();
    writes.fail("no quorum");
    let begun = false;
    const work = unlessUnwritable(writes, async () => {
      begun = true;
    });
    await expect(work).rejects.toMatchObject({ name: "Unwritable", code: "unavailable", cause: "no quorum" });
    expect(begun).toBe(false);
  });

  it("when writes stop while it is under way, then its sender is refused, and a late failure disturbs nothing", async () => {
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

  it("when all goes well, then it ends as it does, and nothing is left behind", async () => {
    const writes = new SwitchedWrites();
    expect(await unlessUnwritable(writes, async () => 7)).toBe(7);
    await expect(unlessUnwritable(writes, () => Promise.reject(new Error("its own")))).rejects.toThrow("its own");
    await new Promise((resolve) => setImmediate(resolve));
    expect(writes.watchers).toBe(0);
  });
});

describe("given a part that waits for writes", () => {
  it("when they work again, or it stops, then it goes on at once", async () => {
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
