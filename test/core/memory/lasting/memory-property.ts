import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../../../core/contract/ports/store.ts";
import type { BackboneHarness, Deployment } from "../../../contract/backbone-harness.ts";
import { propertyRuns } from "../../../setup/property-runs.ts";
import { ACCOUNTS, MemoryWorld, ROOMS, TENANTS, type Who } from "./memory-world.ts";

const who = fc.record({
  // Most steps are of one tenant, so that its accounts are often linked.
  tenant: fc.constantFrom(TENANTS[0] ?? "", TENANTS[0] ?? "", TENANTS[0] ?? "", ...TENANTS),
  account: fc.constantFrom(...ACCOUNTS),
});
const account = fc.constantFrom(...ACCOUNTS);
const room = fc.constantFrom(undefined, undefined, undefined, ...ROOMS);

interface Step {
  readonly says: string;
  readonly step: (world: MemoryWorld) => Promise<void>;
}

const tell = fc.tuple(who, room).map(
  ([by, where]): Step => ({
    says: `${nameOf(by)} tells something in ${where ?? "private"}`,
    step: (world) => world.tell(by, where),
  }),
);
const link = fc
  .tuple(who, account)
  .map(([one, other]): Step => ({ says: `link ${nameOf(one)} and ${other}`, step: (world) => world.link(one, other) }));
const unlink = who.map((one): Step => ({ says: `unlink ${nameOf(one)}`, step: (world) => world.unlink(one) }));
const recall = fc.tuple(who, room).map(
  ([by, where]): Step => ({
    says: `${nameOf(by)} recalls in ${where ?? "private"}`,
    step: async (world) => expect(await world.recall(by, where)).toEqual(world.theirs(by, where)),
  }),
);
const schedule = fc.tuple(who, account).map(
  ([by, target]): Step => ({
    says: `a schedule of ${nameOf(by)} recalls for ${target}`,
    async step(world) {
      const found = await world.recallBySchedule(by, target);
      const own = world.theirs(by, undefined);
      const others = world.theirs({ ...by, account: target }, undefined);
      const isLinked = world.linkedWith(by).includes(target);
      expect(found, `${nameOf(by)} for ${target}`).toEqual(
        isLinked ? own.filter((text) => others.includes(text)) : own,
      );
    },
  }),
);
const forget = who.map(
  (by): Step => ({ says: `${nameOf(by)} forgets the oldest entry`, step: (world) => world.forgetOldest(by) }),
);
const erase = who.map((by): Step => ({ says: `${nameOf(by)} is erased`, step: (world) => world.eraseAll(by) }));

const nameOf = ({ tenant, account }: Who): string => `${tenant}/${account}`;

/** An account recalls the entries that belong to it, and no others (M4, D3). */
export const memoryProperty = (harness: BackboneHarness, fewest: number): void => {
  describe(`given any tellings, links, unlinks and erasures of several people and tenants on ${harness.name}`, () => {
    let deployment: Deployment;
    let store: Store;
    let other: Store;
    let run = 0;
    beforeAll(async () => {
      deployment = await harness.deploy();
      ({ store } = await deployment.open());
      ({ store: other } = harness.manyProcesses ? await deployment.open() : { store });
    });
    afterAll(() => deployment.dispose());

    it("when two processes store entries at once, then none is lost, doubled or beyond the limit (M4)", async () => {
      const worlds = [new MemoryWorld(store, "race"), new MemoryWorld(other, "race")];
      const limits = { maxEntries: 10, maxBytes: 10_000 };
      const texts = Array.from({ length: 14 }, (_, index) => `fact ${index}`);
      // Both processes make the same calls, as after a lost lease.
      const calls = worlds.flatMap((world) => texts.map((text) => world.rememberIn("harbour", text, limits)));
      const results = await Promise.allSettled(calls);
      const entries = await worlds[0]?.entriesIn("harbour");
      expect(entries).toHaveLength(10);
      expect(new Set(entries?.map(({ text }) => text)).size).toBe(10);
      expect(entries?.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      const refused = results.filter((one) => one.status === "rejected").map(({ reason }) => reason.code);
      expect(refused).toEqual(Array(8).fill("too-large"));
    });

    it("then everyone recalls exactly what belongs to them, in private and in each room (M4, D3)", async () => {
      const steps = fc.oneof(tell, tell, tell, link, link, unlink, recall, schedule, forget, erase);
      const scripts = fc.array(steps, { minLength: 8, maxLength: 40, size: "max" });
      await fc.assert(
        fc.asyncProperty(scripts, async (script) => {
          const world = new MemoryWorld(store, `run${run++}`);
          for (const { step } of script) await step(world);
          for (const tenant of TENANTS) {
            for (const account of ACCOUNTS) {
              const one = { tenant, account };
              for (const where of [undefined, ...ROOMS]) {
                expect(await world.recall(one, where), nameOf(one)).toEqual(world.theirs(one, where));
              }
              expect((await world.exported(one)).sort()).toEqual(world.madeBy(one).sort());
            }
          }
        }),
        propertyRuns(fewest),
      );
    });
  });
};
