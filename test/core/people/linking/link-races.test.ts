import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UserMessage } from "../../../../core/contract/messages/user-message.ts";
import type { Key, Store } from "../../../../core/contract/ports/store.ts";
import { stableId } from "../../../../core/lib/index.ts";
import { claimLink, confirmLink, offerLink } from "../../../../core/people/linking/link-protocol.ts";
import { linkIdOf } from "../../../../core/people/linking/link-record.ts";
import { accountKey, findPerson, type PersonRecord } from "../../../../core/people/person-record.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { userMessage } from "../../core-under-test.ts";
import { withRetries } from "../with-retries.ts";

const clock = new ManualClock();
const now = clock.now();
const at = (channel: string, id: string): UserMessage =>
  userMessage(`${channel}-${id}`, "", {
    conversation: { channel, room: id, kind: "private" },
    account: { id, name: id },
  });
const addressOf = ({ tenant, conversation, account }: UserMessage) => ({
  tenant,
  channel: conversation.channel,
  accountId: account.id,
});
const personAt = async (store: MemoryStore, message: UserMessage) =>
  (await findPerson(store, addressOf(message))).person;

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

describe("given a person with two accounts and the link of a third, which crashed before the account moved (I1, D3)", () => {
  it("when it is retried minutes later, then the account does not belong to work that began in between", async () => {
    const store = new MemoryStore(clock);
    const [ann, annB, annC] = [at("web", "ann"), at("web-b", "ann-b"), at("web-c", "ann-c")];
    const claimed = async (claimant: UserMessage) => {
      const { code, linkId } = await offered(store, ann);
      await claimLink(store, claimant, code, now);
      await confirmLink(store, ann, linkId, now);
      return linkId;
    };
    await confirmLink(store, annB, await claimed(annB), now);
    const third = await claimed(annC);
    store.before = (operation, collection) => {
      if (operation === "put" && collection === "accounts") throw new Error("simulated crash");
    };
    await expect(confirmLink(store, annC, third, now)).rejects.toThrow("simulated crash");
    store.before = () => undefined;
    const { membership } = await personAt(store, ann);
    expect(await confirmLink(store, annC, third, now + 120_000)).toMatchObject({ isLinked: true });
    const joined = (await personAt(store, ann)).accounts.find(({ accountId }) => accountId === "ann-c")?.joined;
    expect(joined).toBeGreaterThan(membership);
  });
});

describe("given a second link between two accounts, which the first one joins meanwhile (I1)", () => {
  it("when it crashes after it has read only one of them before, then no third link takes an account away", async () => {
    const store = new MemoryStore(clock);
    const [ann, annB, bob, bobB] = [at("web", "ann"), at("web-b", "ann-b"), at("web-c", "bob"), at("web-d", "bob-b")];
    const claimed = async (issuer: UserMessage, claimant: UserMessage) => {
      const { code, linkId } = await offered(store, issuer);
      await claimLink(store, claimant, code, now);
      return linkId;
    };
    const link = async (one: UserMessage, other: UserMessage, linkId: string) => {
      await confirmLink(store, one, linkId, now);
      return confirmLink(store, other, linkId, now);
    };
    const first = await claimed(ann, annB);
    const second = await claimed(annB, ann);
    await link(bob, bobB, await claimed(bob, bobB));

    const hasRead = new Recorder<string>();
    const isJoined = new Recorder<string>();
    const mixed: Store = {
      async get(key) {
        const isEarly = key.collection.name === "links" || key.encoded === accountKey(addressOf(annB)).encoded;
        if (!isEarly) await isJoined.count(1);
        const found = await store.get(key);
        if (key.collection.name === "accounts") hasRead.add(key.encoded);
        return found;
      },
      async put(key, value, options) {
        const revision = await store.put(key, value, options);
        if (key.collection.name === "people") throw new Error("simulated crash");
        return revision;
      },
      delete: (key, options) => store.delete(key, options),
      list: (prefix) => store.list(prefix),
    };
    await confirmLink(store, ann, second, now);
    const late = confirmLink(mixed, annB, second, now).catch((error: unknown) => String(error));
    await hasRead.count(1);
    expect(await link(ann, annB, first)).toMatchObject({ isLinked: true });
    isJoined.add("first");
    const end = await late;
    expect(typeof end === "string" ? end : end.isLinked).toSatisfy(
      (shown) => shown === true || String(shown).includes("simulated crash"),
    );

    expect(await link(bob, annB, await claimed(bob, annB))).not.toMatchObject({ isLinked: true });
    const [one, other] = await Promise.all([ann, annB].map((side) => personAt(store, side)));
    expect(one?.id).toBe(other?.id);
  });
});

describe("given two links that move the same account concurrently (I1)", () => {
  it("when one has taken it from the other's person and is slow to move it, then the other's link holds", async () => {
    const store = new MemoryStore(clock);
    const [ann, bob, cleo] = [at("web", "ann"), at("web-b", "bob"), at("web-c", "cleo")];
    const claimed = async (issuer: UserMessage) => {
      const { code, linkId } = await offered(store, issuer);
      await claimLink(store, ann, code, now);
      await confirmLink(store, issuer, linkId, now);
      return { issuer, linkId, personId: stableId("p", "default", "link", linkId) };
    };
    const links = [await claimed(bob), await claimed(cleo)];
    // Accounts move to the person with the lower id.
    const [target, source] = links.sort((a, b) => (a.personId < b.personId ? -1 : 1));
    if (target === undefined || source === undefined) throw new Error("two links are needed");
    const withPut = (beforePut: (key: Key<unknown>, value: unknown) => Promise<unknown> | undefined): Store => ({
      get: (key) => store.get(key),
      async put(key, value, options) {
        await beforePut(key, value);
        return store.put(key, value, options);
      },
      delete: (key, options) => store.delete(key, options),
      list: (prefix) => store.list(prefix),
    });
    const isIndexOf = (message: UserMessage, { encoded, collection }: Key<unknown>) =>
      collection.name === "accounts" && encoded === accountKey(addressOf(message)).encoded;
    const isSeal = (value: unknown) =>
      (value as Partial<PersonRecord>).accounts?.some(({ accountId, pending }) => accountId === "ann" && !pending);
    const crashIf = (isCrash: boolean | undefined) => {
      if (isCrash) throw new Error("simulated crash");
      return undefined;
    };

    // One link crashes after it has moved only its issuer, the other before its seal.
    const halfway = withPut((key) => crashIf(isIndexOf(ann, key)));
    await expect(confirmLink(halfway, ann, target.linkId, now)).rejects.toThrow("simulated crash");
    const unsealed = withPut((_, value) => crashIf(isSeal(value)));
    await expect(confirmLink(unsealed, ann, source.linkId, now)).rejects.toThrow("simulated crash");
    expect((await personAt(store, ann)).id).toBe(source.personId);

    const steps = new Recorder<"taken" | "sealing">();
    const slow = withPut((key) => {
      if (!isIndexOf(ann, key)) return undefined;
      steps.add("taken");
      return steps.until((all) => all.includes("sealing"));
    });
    const moving = confirmLink(slow, ann, target.linkId, now).then(String, String);
    await steps.count(1);
    const sealing = withPut((_, value) => {
      if (!isSeal(value)) return undefined;
      steps.add("sealing");
      return moving;
    });
    expect(await confirmLink(sealing, ann, source.linkId, now)).toMatchObject({ isLinked: true });
    const [one, other] = await Promise.all([ann, source.issuer].map((side) => personAt(store, side)));
    expect(one?.id).toBe(other?.id);
    expect(steps.items).toEqual(["taken", "sealing"]);
  });
});
