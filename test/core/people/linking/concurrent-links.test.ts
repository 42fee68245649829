import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Store } from "../../../../core/contract/ports/store.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import type { BackboneHarness } from "../../../contract/backbone-harness.ts";
import { embeddedHarness } from "../../../contract/embedded-harness.ts";
import { natsHarness } from "../../../contract/nats-harness.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { propertyRuns } from "../../../setup/property-runs.ts";
import { anyLinks, atConstantSpeeds, confirmConcurrently, inAnyOrder, type Speed, star } from "./concurrent-links.ts";

const clock = new ManualClock();
const crashes = fc.array(fc.nat(30), { maxLength: 4 });

const starHolds = (store: () => Store, runs: number) =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), star, crashes, async (scheduler, links, crashes) => {
      const groups = await confirmConcurrently(
        store(),
        inAnyOrder(scheduler),
        { links, left: [], crashes },
        clock.now(),
      );
      expect(groups).toEqual(Array(4).fill(["a", "b", "c", "d"]));
    }),
    propertyRuns(runs),
  );

describe("given links that both sides confirm concurrently, with crashes (I1)", () => {
  it("when one account is linked with all others, then all are one person", async () => {
    await starHolds(() => new MemoryStore(clock), 100);
  });

  it("when the links are arbitrary, then each completed link holds, and each account belongs to one person", async () => {
    const left = fc.subarray(["a", "b", "c", "d"] as const);
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), anyLinks, left, crashes, async (scheduler, links, left, crashes) => {
        await confirmConcurrently(new MemoryStore(clock), inAnyOrder(scheduler), { links, left, crashes }, clock.now());
      }),
      propertyRuns(100),
    );
  });

  it("when each process runs at a constant speed, then all links end", async () => {
    const speed: fc.Arbitrary<Speed> = fc.record({
      read: fc.integer({ min: 1, max: 4 }),
      write: fc.integer({ min: 1, max: 4 }),
    });
    const speeds = fc.array(speed, { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(speeds, fc.oneof(star, anyLinks), async (speeds, links) => {
        const race = atConstantSpeeds(speeds);
        await confirmConcurrently(new MemoryStore(clock), race, { links, left: [], crashes: [] }, clock.now());
      }),
      propertyRuns(200),
    );
  });

  const backbones: readonly BackboneHarness[] = [embeddedHarness, natsHarness];
  it.each(backbones)("when the store is $name, then the same holds", async (harness) => {
    const deployment = await harness.deploy();
    const { store } = await deployment.open();
    await starHolds(() => store, 10).finally(() => deployment.dispose());
  });
});
