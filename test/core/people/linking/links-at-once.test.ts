import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Store } from "../../../../core/contract/ports/store.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import type { BackboneHarness } from "../../../contract/backbone-harness.ts";
import { embeddedHarness } from "../../../contract/embedded-harness.ts";
import { natsHarness } from "../../../contract/nats-harness.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { propertyRuns } from "../../../setup/property-runs.ts";
import { anyLinks, confirmAtOnce, star } from "./links-at-once.ts";

const clock = new ManualClock();
const deaths = fc.array(fc.nat(30), { maxLength: 4 });

const starHolds = (store: () => Store, runs: number) =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), star, deaths, async (scheduler, links, deaths) => {
      const groups = await confirmAtOnce(store(), scheduler, { links, left: [], deaths }, clock.now());
      expect(groups).toEqual(Array(4).fill(["a", "b", "c", "d"]));
    }),
    propertyRuns(runs),
  );

describe("given links that both sides confirm in one instant, with deaths in between (I1)", () => {
  it("when they are one account's with all others, then all are one person", async () => {
    await starHolds(() => new MemoryStore(clock), 100);
  });

  it("when they are any, then each that was made holds, and nobody is two people's", async () => {
    const left = fc.subarray(["a", "b", "c", "d"] as const);
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), anyLinks, left, deaths, async (scheduler, links, left, deaths) => {
        await confirmAtOnce(new MemoryStore(clock), scheduler, { links, left, deaths }, clock.now());
      }),
      propertyRuns(100),
    );
  });

  const backbones: readonly BackboneHarness[] = [embeddedHarness, natsHarness];
  it.each(backbones)("when the store is that of $name, then it is the same there", async (harness) => {
    const deployment = await harness.deploy();
    const { store } = await deployment.open();
    await starHolds(() => store, 10).finally(() => deployment.dispose());
  });
});
