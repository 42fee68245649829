import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UserMessage } from "../../../../core/contract/messages/user-message.ts";
import { linkIdOf } from "../../../../core/people/linking/link-code.ts";
import { claimLink, confirmLink, offerLink } from "../../../../core/people/linking/link-protocol.ts";
import { findPerson } from "../../../../core/people/person-record.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { userMessage } from "../../core-under-test.ts";
import { withRetries } from "../with-retries.ts";

const clock = new ManualClock();
const now = clock.now();
const at = (channel: string, id: string): UserMessage =>
  userMessage(`${channel}-${id}`, "", {
    conversation: { channel, room: id, kind: "private" },
    account: { id, name: id },
  });
const personAt = async (store: MemoryStore, { conversation, account }: UserMessage) =>
  (await findPerson(store, { tenant: "default", channel: conversation.channel, accountId: account.id })).person;

/** A store whose operations wait for the scheduler, so that any interleaving can happen. */
const scheduled = (scheduler: fc.Scheduler): MemoryStore => {
  const store = new MemoryStore(clock);
  store.before = () => scheduler.schedule(Promise.resolve());
  return store;
};

const offered = async (store: MemoryStore, issuer: UserMessage) => {
  const code = await offerLink(store, issuer, now);
  return { code, linkId: linkIdOf("default", code) };
};

describe("given a code that several accounts claim concurrently (I1)", () => {
  it("then exactly one of them gets it, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const store = scheduled(scheduler);
        const { code } = await scheduler.waitFor(offered(store, at("web", "ann")));
        const claims = ["b", "c", "d"].map((id) => claimLink(store, at("web-b", id), code, now));
        const results = await scheduler.waitFor(Promise.all(claims));
        expect(results.filter((result) => result === "used")).toHaveLength(2);
        expect(results.filter((result) => typeof result !== "string")).toHaveLength(1);
      }),
      { numRuns: 100 },
    );
  });
});

describe("given two sides that confirm concurrently, with crashes (I1)", () => {
  it("then both accounts are one person, once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.nat(12), { maxLength: 4 }), async (scheduler, crashes) => {
        const store = scheduled(scheduler);
        const sides = [at("web", "ann"), at("web-b", "ann-b")] as const;
        const { code, linkId } = await scheduler.waitFor(offered(store, sides[0]));
        await scheduler.waitFor(claimLink(store, sides[1], code, now));
        let writes = 0;
        store.before = async (operation) => {
          await scheduler.schedule(Promise.resolve());
          if (operation === "put" && crashes.includes(writes++)) throw new Error("simulated crash");
        };
        const confirm = (side: UserMessage) => withRetries(() => confirmLink(store, side, linkId, now));
        const results = await scheduler.waitFor(Promise.all(sides.map(confirm)));
        expect(results.some((result) => typeof result !== "string" && result.isLinked)).toBe(true);
        store.before = () => undefined;
        const [one, other] = await Promise.all(sides.map((side) => personAt(store, side)));
        expect(one).toEqual(other);
        expect(one?.accounts).toHaveLength(2);
      }),
      { numRuns: 150 },
    );
  });
});

describe("given a link that both sides have confirmed in time (I1)", () => {
  it("when its process crashes in between and the retry runs an hour later, then the link is completed", async () => {
    const store = new MemoryStore(clock);
    const sides = [at("web", "ann"), at("web-b", "ann-b")] as const;
    const { code, linkId } = await offered(store, sides[0]);
    await claimLink(store, sides[1], code, now);
    await confirmLink(store, sides[0], linkId, now);
    store.before = (operation, collection) => {
      if (operation === "stored" && collection === "accounts") throw new Error("simulated crash");
    };
    await expect(confirmLink(store, sides[1], linkId, now)).rejects.toThrow("simulated crash");
    store.before = () => undefined;
    expect(await confirmLink(store, sides[1], linkId, now + 3_600_000)).toMatchObject({ isLinked: true });
    const [one, other] = await Promise.all(sides.map((side) => personAt(store, side)));
    expect(one?.id).toBe(other?.id);
  });
});
