import { beforeEach, describe, expect, it } from "vitest";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { Audience } from "../../../core/contract/messages/work-context.ts";
import { accountServed, withRequester } from "../../../core/delivery/asker.ts";
import { audienceAt, Home } from "../../../core/delivery/destination.ts";
import { isUserStarted, originKindOf, reachFor } from "../../../core/delivery/targets.ts";
import { changeHeld, heldRequestKey, readHeld } from "../../../core/delivery/undelivered/held-record.ts";
import { callerAt, viewerTimeIn } from "../../../core/delivery/visibility.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { privateOn, roomOn, storePerson } from "./person-on-channels.ts";

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore(new ManualClock(Date.UTC(2026, 2, 10)));
});
const annOn = (channel: string) => ({ channel, accountId: "ann" });
const isConfigured = (channel: string) => channel !== "removed";

describe("given a destination (D3)", () => {
  it("when it is a conversation, then its audience is that conversation, with the named account as its owner", async () => {
    const person = await storePerson(store, ["a", "b"]);
    const room = roomOn("a");
    expect(await audienceAt(store, "default", { conversation: room })).toEqual({ conversation: room, personId: null });
    expect(await audienceAt(store, "default", { conversation: room, accountId: "ann" })).toEqual({
      conversation: room,
      personId: person.id,
      accountId: "ann",
      membership: 3,
    });
  });

  it("when its channel is no longer configured, then it has no audience", async () => {
    await storePerson(store, ["removed", "b"]);
    expect(await audienceAt(store, "default", { conversation: roomOn("removed") }, isConfigured)).toBeUndefined();
    expect(await audienceAt(store, "default", { person: [annOn("removed")] }, isConfigured)).toMatchObject({
      conversation: privateOn("b"),
    });
  });

  it("when it is a person, then it is their last active private conversation, else their newest one", async () => {
    await storePerson(store, ["a", "b", "c"], { lastActive: conversationKey(privateOn("b")) });
    const at = async () => (await audienceAt(store, "default", { person: [annOn("a")] }))?.conversation.channel;
    expect(await at()).toBe("b");
    await storePerson(store, ["a", "b", "c"], { lastActive: conversationKey(roomOn("a")) });
    expect(await at()).toBe("c");
  });

  it("when their first account has not written in private, then the next account counts; without any there is no audience", async () => {
    await storePerson(store, ["a"]);
    const stranger = { channel: "b", accountId: "bob" };
    expect(await audienceAt(store, "default", { person: [stranger, annOn("a")] })).toEqual({
      conversation: privateOn("a"),
      personId: "p",
      accountId: "ann",
      membership: 3,
    });
    expect(await audienceAt(store, "default", { person: [stranger] })).toBeUndefined();
    expect(await audienceAt(store, "default", { person: [] })).toBeUndefined();
  });
});

describe("given a person who writes in a conversation (D3)", () => {
  const begunOn = (channel: string, accountId = "ann", membership = 3): Audience => ({
    conversation: roomOn(channel, "other"),
    personId: "p",
    accountId,
    membership,
  });
  const at = (conversation = privateOn("a"), accountId = "ann") =>
    callerAt(store, { tenant: "default", conversation, accountId });

  it("then their accounts are listed once, the account they write with first", async () => {
    await storePerson(store, ["a", "b"]);
    expect((await at(privateOn("b"))).accounts).toMatchObject([annOn("b"), annOn("a")]);
    expect((await at(privateOn("b"))).accounts).toHaveLength(2);
  });

  it("then they own the work that any of their accounts asked for", async () => {
    await storePerson(store, ["a", "b"]);
    const { owns } = await at();
    expect(owns(begunOn("a"))).toBe(true);
    expect(owns(begunOn("b"))).toBe(true);
    expect(owns(begunOn("b", "bob"))).toBe(false);
    expect(owns({ ...begunOn("b", "bob"), personId: "q" })).toBe(false);
    expect(owns({ ...begunOn("c", "bob"), askedBy: annOn("a") })).toBe(true);
  });

  it("when the account was linked after the work of another account began, then they do not own it here", async () => {
    await storePerson(store, ["a", "b"]);
    expect((await at()).owns(begunOn("b", "ann", 0))).toBe(false);
    expect((await at()).owns(begunOn("a", "ann", 0))).toBe(true);
  });

  it("when they write in a room, then they own the same work as in private", async () => {
    await storePerson(store, ["a", "b"]);
    expect((await at(roomOn("a"))).owns(begunOn("b"))).toBe(true);
    await storePerson(store, ["a", "b"], { surfaces: [] });
    expect((await at(roomOn("a"))).owns(begunOn("b"))).toBe(false);
    expect((await at(roomOn("a"))).owns(begunOn("a"))).toBe(true);
  });

  it("when another channel has an account with the same id, then they do not own its work", async () => {
    const { owns } = await at(privateOn("x"), "ann");
    expect(owns({ conversation: roomOn("y"), personId: null, accountId: "ann" })).toBe(false);
    expect(owns({ conversation: roomOn("x", "other"), personId: null, accountId: "bob" })).toBe(false);
  });
});

describe("given work whose result goes to another account of its asker (D3)", () => {
  const audience: Audience = { conversation: privateOn("b"), personId: "p", accountId: "ann", membership: 3 };

  it("then the audience stores the asking account, unless it is the same account or a room", () => {
    expect(withRequester(audience, annOn("a")).askedBy).toEqual(annOn("a"));
    expect(withRequester(audience, { channel: "b", accountId: "ann-2" }).askedBy).toEqual({
      channel: "b",
      accountId: "ann-2",
    });
    expect(withRequester(audience, annOn("b"))).toEqual(audience);
    expect(withRequester(audience, undefined)).toEqual(audience);
    const inRoom = { ...audience, conversation: roomOn("b") };
    expect(withRequester(inRoom, annOn("a"))).toEqual(inRoom);
    const { accountId: _, ...withoutAccount } = audience;
    expect(withRequester(withoutAccount, annOn("a"))).toEqual(withoutAccount);
  });

  it("then it serves the account of its audience, else the asker's", () => {
    const asker = { personId: "p", accountId: "anna", name: "Ann" };
    expect(accountServed({ audience, asker })).toEqual(annOn("b"));
    const { accountId: _, ...withoutAccount } = audience;
    expect(accountServed({ audience: withoutAccount, asker })).toEqual({ channel: "b", accountId: "anna" });
  });
});

describe("given the person who reads a conversation", () => {
  const account = { name: "Ann", since: "2026-01-01T00:00:00.000Z", joined: 1 };
  const audience = { conversation: privateOn("a"), personId: "p", accountId: "ann" };

  it("then times use the zone and locale of their account there, and the defaults in a room", async () => {
    await storePerson(store, ["a", "b"], {
      accounts: [
        { ...account, ...annOn("a"), timeZone: "Europe/Rome", locale: "it" },
        { ...account, ...annOn("b"), timeZone: "Asia/Tokyo" },
      ],
    });
    const viewer = (target = privateOn("a")) => viewerTimeIn(store, { tenant: "default", audience }, target);
    expect(await viewer()).toEqual({ timeZone: "Europe/Rome", locale: "it" });
    expect(await viewer(privateOn("b"))).toEqual({ timeZone: "Asia/Tokyo", locale: undefined });
    expect(await viewer(roomOn("a"))).toEqual({});
    expect(await viewer({ ...roomOn("a"), room: "dm" })).toEqual({});
    expect(await viewer(privateOn("a", "another"))).toEqual({});
  });

  it("when the person is unknown, then the defaults are used", async () => {
    const withoutAccount = { conversation: privateOn("a"), personId: null };
    expect(await viewerTimeIn(store, { tenant: "default", audience: withoutAccount }, privateOn("a"))).toEqual({});
  });
});

describe("given a policy for proactive messages (D2)", () => {
  const kindOf = (channel: string, conversation = privateOn("a")) => {
    const origin = { channel, promptSummary: "x", startedAt: "2026-01-01T00:00:00.000Z", sessionId: null };
    return originKindOf(sampleReply("r", conversation, "x", { origin }));
  };

  it("then the kind of work is scheduled or inbound, else the kind of the origin conversation", () => {
    const kinds = [kindOf("scheduled"), kindOf("a2a-inbound"), kindOf("web"), kindOf("web", roomOn("a"))];
    expect(kinds).toEqual(["scheduled", "a2a-inbound", "private", "shared"]);
    expect(kinds.map(isUserStarted)).toEqual([false, false, true, true]);
    expect(originKindOf({ ...sampleReply("r", roomOn("a"), "x"), origin: null })).toBe("shared");
  });

  it("then the first policy with a rule for the kind counts; the default is everywhere", () => {
    expect(reachFor("scheduled", undefined, { private: "origin" }, { default: "last-active" })).toBe("last-active");
    expect(reachFor("scheduled", { scheduled: "origin", default: "everywhere" })).toBe("origin");
    expect(reachFor("scheduled", { private: "origin" })).toBe("everywhere");
  });
});

describe("given the held deliveries of a conversation", () => {
  const item = (id: string) => ({ id, heldAt: "2026-03-10T00:00:00.000Z", notBefore: 0 });
  const add = (id: string) =>
    changeHeld(store, privateOn("a"), (held) => ({ ...held, items: [...held.items, item(id)] }));
  const ids = async () => (await readHeld(store, privateOn("a"))).items.map(({ id }) => id);

  it("when two processes add one at the same time, then both are stored", async () => {
    expect(await readHeld(store, privateOn("a"))).toEqual({ items: [], digests: 0, attempts: 0, wakes: 0 });
    await Promise.all([add("1"), add("2")]);
    expect((await ids()).toSorted()).toEqual(["1", "2"]);
    expect((await readHeld(store, privateOn("b"))).items).toEqual([]);
  });

  it("when a change returns the same record, then nothing is written", async () => {
    const added = await add("1");
    const writes = store.writes.length;
    expect(await changeHeld(store, privateOn("a"), (held) => held)).toEqual(added);
    expect(store.writes.length).toBe(writes);
  });

  it("then its requests are found by conversation and id", () => {
    const key = (room: string, id: string) => heldRequestKey(privateOn("a", room), id).encoded;
    expect(key("x", "r/1")).toBe(key("x", "r/1"));
    expect(new Set([key("x", "r/1"), key("x", "r/2"), key("y", "r/1")]).size).toBe(3);
  });

  it("when the store fails, then the change is not retried", async () => {
    store.before = (operation) => {
      if (operation === "put") throw new Error("disk full");
    };
    await expect(add("1")).rejects.toThrow("disk full");
  });
});

describe("given the home in the configuration", () => {
  it.each([
    [{ person: "ann" }, true],
    [{ channel: "web", room: "harbour" }, true],
    [{ channel: "web", workspace: "north", room: "harbour", thread: "t1" }, true],
    [{ person: "" }, false],
    [{ channel: "web", room: "" }, false],
    [{ channel: "web", room: "harbour", thread: "" }, false],
    [{ channel: "web", room: "harbour", workspace: "" }, false],
    [{ channel: "web" }, false],
    [{ person: "ann", room: "harbour" }, false],
  ])("%j: %j", (home, isValid) => {
    expect(Home.safeParse(home).success).toBe(isValid);
  });
});
