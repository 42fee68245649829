import { describe, expect, it } from "vitest";
import { PartitionDrain } from "../../../../../core/backbone/nats/partitions/partition-drain.ts";
import { ManualClock } from "../../../../fakes/manual-clock.ts";

/** A partition with this many running handlers. */
const draining = (handlers: number) => {
  const clock = new ManualClock();
  const running = { handlers };
  const drain = new PartitionDrain(clock, () => running.handlers > 0);
  return { clock, running, drain };
};

describe("given a partition before its hand-over", () => {
  it("when no handler runs, then it is drained at once, and none may start until the hand-over has ended", async () => {
    const { drain } = draining(0);
    expect(drain.isDraining(3)).toBe(false);
    expect(await drain.wait(3)).toBe(true);
    expect([drain.isDraining(3), drain.isDraining(4)]).toEqual([true, false]);
    drain.over(3);
    expect(drain.isDraining(3)).toBe(false);
  });

  it("when the last of two handlers ends, then it is drained; until then no other may start", async () => {
    const { drain, running } = draining(2);
    let drained: boolean | undefined;
    void drain.wait(3).then((result) => {
      drained = result;
    });
    running.handlers = 1;
    drain.settled(3);
    await new Promise((resolve) => setImmediate(resolve));
    expect([drained, drain.isDraining(3)]).toEqual([undefined, true]);
    running.handlers = 0;
    drain.settled(3);
    await new Promise((resolve) => setImmediate(resolve));
    expect([drained, drain.isDraining(3)]).toEqual([true, true]);
  });

  it("when a handler runs for longer than half a second, then it is not drained", async () => {
    const { clock, drain } = draining(1);
    const drained = drain.wait(3);
    clock.advance(500);
    expect(await drained).toBe(false);
  });
});
