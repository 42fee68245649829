import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../../core/contract/ports/store.ts";
import {
  activeTakeover,
  allTakeovers,
  endTakeover,
  forgetTakeover,
  noteAnnounced,
  startTakeover,
  type Takeover,
} from "../../../core/sessions/takeover/index.ts";
import type { BackboneHarness, Deployment } from "../../contract/backbone-harness.ts";

const START = Date.parse("2026-03-10T21:14:05Z");
const MINUTE_MS = 60_000;
const conversation = { channel: "slack", workspace: "T1", room: "D1", kind: "private" } as const;
const address = { tenant: "default", agent: "mooring", conversation };

const takeover = (id: string, startedAt = START): Takeover => ({
  id,
  ...address,
  sessionId: "s-1",
  origin: {
    channel: "slack",
    promptSummary: "tides",
    startedAt: new Date(START).toISOString(),
    sessionId: "s-1",
    conversation,
  } as unknown as Takeover["origin"],
  audience: { conversation, personId: null, accountId: "U1", membership: 0 } as unknown as Takeover["audience"],
  operator: { name: `operator ${id}`, id },
  reason: "the person asked for a human",
  startedAt: new Date(startedAt).toISOString(),
  endsAt: new Date(startedAt + 15 * MINUTE_MS).toISOString(),
});

export const takeoverContract = (harness: BackboneHarness): void => {
  describe(`given a conversation on ${harness.name}`, () => {
    let deployment: Deployment;
    let stores: Store[];
    beforeEach(async () => {
      deployment = await harness.deploy();
      stores = [(await deployment.open()).store, (await deployment.open()).store];
    });
    afterEach(() => deployment.dispose());
    const store = (index = 0): Store => stores[index % stores.length] as Store;
    const listed = async () => {
      const found: Takeover[] = [];
      for await (const { value } of store().list(allTakeovers())) found.push(value);
      return found;
    };

    it("when several operators take it over at the same time, then one of them has it (R4)", async () => {
      const ids = Array.from({ length: 8 }, (_, index) => `t${index}`);
      const won = await Promise.all(ids.map((id, index) => startTakeover(store(index), takeover(id))));
      expect(new Set(won.map(({ id }) => id)).size).toBe(1);
      expect(await activeTakeover(store(1), address, START + 1)).toMatchObject({ id: won[0]?.id });
    });

    it("when its time is over, then it is no longer active, and another operator can begin (R4)", async () => {
      await startTakeover(store(), takeover("one"));
      expect(await activeTakeover(store(1), address, START + 15 * MINUTE_MS - 1)).toBeDefined();
      expect(await activeTakeover(store(1), address, START + 15 * MINUTE_MS)).toBeUndefined();
      const next = await startTakeover(store(1), takeover("two", START + 16 * MINUTE_MS));
      expect(next.id).toBe("two");
    });

    it("when it is ended, then it ends once, and a late end of the first one does not end the second", async () => {
      const one = await startTakeover(store(), takeover("one"));
      await endTakeover(store(1), one, START + MINUTE_MS);
      await endTakeover(store(), one, START + 2 * MINUTE_MS);
      expect(await listed()).toMatchObject([{ id: "one", endedAt: new Date(START + MINUTE_MS).toISOString() }]);
      await startTakeover(store(), takeover("two", START + 3 * MINUTE_MS));
      await endTakeover(store(1), one, START + 4 * MINUTE_MS);
      await forgetTakeover(store(1), one);
      await noteAnnounced(store(1), one);
      const [two] = await listed();
      expect(two).toMatchObject({ id: "two" });
      expect(two).not.toHaveProperty("endedAt");
      expect(two).not.toHaveProperty("isAnnounced");
    });

    it("when the processes end and start again, then it is still active", async () => {
      await startTakeover(store(), takeover("one"));
      await deployment.closeAll();
      const { store: reopened } = await deployment.open();
      expect(await activeTakeover(reopened, address, START + 1)).toMatchObject({ id: "one" });
    });
  });
};
