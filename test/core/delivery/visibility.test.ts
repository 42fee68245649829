import { beforeEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { type Conversation, conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { Audience } from "../../../core/contract/messages/work-context.ts";
import { askerOf } from "../../../core/delivery/asker.ts";
import { isStillTarget, secondaryTargets, targetsOn } from "../../../core/delivery/targets.ts";
import { canSee } from "../../../core/delivery/visibility.ts";
import type { PersonRecord } from "../../../core/people/person-record.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";
import { privateOn, roomOn, storePerson } from "./person-on-channels.ts";

const SINCE = "2026-01-01T00:00:00.000Z";
let clock: ManualClock;
let store: MemoryStore;
beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 2, 10, 23));
  store = new MemoryStore(clock);
});

const annsAudience: Audience = { conversation: privateOn("a"), personId: "p", accountId: "ann", membership: 3 };
const open = () => true;
const account = (channel: string, accountId: string, joined = 1) => ({
  channel,
  accountId,
  name: "Ann",
  since: SINCE,
  joined,
});
const surface = (channel: string, accountId: string, room = "dm") => ({
  conversation: privateOn(channel, room),
  channel,
  accountId,
  agent: "mooring",
  since: SINCE,
});

describe("given a reply, when another conversation could show it (D3)", () => {
  const shown = (person: PersonRecord | undefined, more: Partial<AgentReply> = {}, target = privateOn("b")) =>
    canSee({ audience: annsAudience, ...more }, target, person, open);

  it("then only private conversations of accounts that were linked with the asker at the time show it", async () => {
    const person = await storePerson(store, ["a", "b"]);
    expect(shown(person)).toBe(true);
    expect(shown(person, {}, privateOn("b", "another"))).toBe(false);
    expect(shown({ ...person, accounts: [account("a", "ann"), account("b", "ann", 4)] })).toBe(false);
    expect(shown({ ...person, accounts: [account("a", "ann", 4), account("b", "ann")] })).toBe(false);
    expect(shown({ ...person, accounts: [account("b", "ann")] })).toBe(false);
    expect(shown(undefined)).toBe(false);
  });

  it("when the asker's account has moved to another person since, then that person does not see it", async () => {
    const person = await storePerson(store, ["a", "b"], { id: "q" });
    expect(shown(person)).toBe(false);
  });

  it("when an older version stored no membership, then no other account sees it", async () => {
    const person = await storePerson(store, ["a", "b"]);
    expect(shown(person, { audience: { ...annsAudience, membership: undefined } })).toBe(false);
  });

  it("when it answers a private command, then only the calling account sees it", async () => {
    const person = await storePerson(store, ["a", "b"]);
    const inRoom = { audience: { ...annsAudience, conversation: roomOn("a") }, onlyFor: "ann" };
    expect(shown(person, inRoom)).toBe(false);
    expect(shown(person, inRoom, privateOn("a"))).toBe(true);
  });

  it("when the asker has another private conversation with the same account, then it is seen there", async () => {
    const person = await storePerson(store, ["a"], { surfaces: [surface("a", "ann", "second")] });
    const late = { audience: { ...annsAudience, membership: 0 } };
    expect(shown(person, late, privateOn("a", "second"))).toBe(true);
  });

  it("when no account asked for it, then all accounts that the person had at the time see it", async () => {
    const person = await storePerson(store, ["a", "b"]);
    const { accountId: _, ...withoutAccount } = annsAudience;
    expect(shown(person, { audience: withoutAccount })).toBe(true);
  });

  it("then a room never shows it, even one with the address of a private conversation", async () => {
    const person = await storePerson(store, ["a", "b"]);
    expect(shown(person, {}, { ...privateOn("b"), kind: "shared" })).toBe(false);
  });

  it("when it is addressed to another account, then it is seen there only while both belong to one person", async () => {
    const forB = {
      audience: { ...annsAudience, conversation: privateOn("b"), askedBy: { channel: "a", accountId: "ann" } },
    };
    expect(shown(await storePerson(store, ["a", "b"]), forB)).toBe(true);
    expect(shown(undefined, forB)).toBe(false);
    expect(shown(await storePerson(store, ["a"]), forB)).toBe(false);
  });
});

describe("given a piece of work, when its asker is looked up later", () => {
  it("then it is the current owner of the asking account", async () => {
    await storePerson(store, ["a"], { id: "q" });
    await storePerson(store, ["b"]);
    expect((await askerOf(store, { tenant: "default", audience: annsAudience }))?.id).toBe("q");
  });

  it("when no account asked, then it is the person, if the record still exists", async () => {
    const { accountId: _, ...withoutAccount } = annsAudience;
    const asker = (personId: string | null) =>
      askerOf(store, { tenant: "default", audience: { ...withoutAccount, personId } });
    await storePerson(store, ["a"]);
    expect((await asker("p"))?.id).toBe("p");
    expect(await asker("removed")).toBeUndefined();
    expect(await asker(null)).toBeUndefined();
  });
});

describe("given a person's private conversations besides the origin (D2)", () => {
  const reply = (more: Partial<AgentReply> = {}) =>
    sampleReply("r", privateOn("a"), "x", { audience: annsAudience, ...more });
  const others = (person: PersonRecord | undefined, reach: "everywhere" | "last-active" | "origin", more = {}) =>
    secondaryTargets(reply(more), person, reach, open).map(({ channel }) => channel);
  const lastOn = (channel: string) => ({ lastActive: conversationKey(privateOn(channel)) });

  it("when the policy is origin, or the person is unknown, then there is no secondary target", async () => {
    const person = await storePerson(store, ["a", "b"]);
    expect(others(person, "origin")).toEqual([]);
    expect(others(undefined, "everywhere")).toEqual([]);
  });

  it("when they were last active in a room or at the origin, then last-active has no secondary target", async () => {
    const person = await storePerson(store, ["a", "b", "c"]);
    expect(others(person, "last-active")).toEqual([]);
    expect(others({ ...person, lastActive: conversationKey(roomOn("b")) }, "last-active")).toEqual([]);
  });

  it("when they talk to another agent there, then this agent does not write there", async () => {
    const person = await storePerson(store, ["a", "b"], lastOn("b"));
    const elsewhere = { ...person, surfaces: person.surfaces.map((one) => ({ ...one, agent: "other" })) };
    expect(others(person, "last-active")).toEqual(["b"]);
    expect(others(elsewhere, "last-active")).toEqual([]);
    expect(others(elsewhere, "everywhere")).toEqual([]);
  });

  it("when the last active conversation has rejected it, then the newest remaining one is the target", async () => {
    const person = await storePerson(store, ["a", "b", "c", "d"], lastOn("b"));
    expect(others(person, "last-active", { refusedIn: [privateOn("b")] })).toEqual(["d"]);
    expect(others(person, "last-active", { refusedIn: [privateOn("b"), privateOn("d")] })).toEqual(["c"]);
    expect(others(person, "everywhere", { refusedIn: [privateOn("b")] })).toEqual(["c", "d"]);
  });
});

describe("given quiet hours and a person with accounts in several time zones (D2)", () => {
  const quiet = { from: "22:00", to: "07:00" };
  const heldUntil = async (person: Partial<PersonRecord>, timeZone?: string) => {
    await storePerson(store, ["a", "b"], { quiet, ...person });
    const deps = { store, clock, defaultsOn: () => ({ ...(timeZone && { timeZone }) }), admits: open };
    const origin = { channel: "a", promptSummary: "x", startedAt: SINCE, sessionId: "s" };
    const [target] = await targetsOn(deps)(
      "b",
      sampleReply("r", privateOn("a"), "x", { audience: annsAudience, origin }),
    );
    return target?.holdUntil === undefined ? target : new Date(target.holdUntil).toISOString().slice(11, 16);
  };
  const zoned = (accountId: string, channel: string, timeZone?: string) => ({
    ...account(channel, accountId),
    ...(timeZone !== undefined && { timeZone }),
  });

  it("then the hours are in the time zone of the account that they wrote with last", async () => {
    const accounts = [zoned("ann", "a", "Asia/Kolkata"), zoned("ann-b", "b", "Europe/Lisbon")];
    const surfaces = [surface("a", "ann"), surface("b", "ann-b")];
    expect(await heldUntil({ accounts, surfaces, lastActive: conversationKey(privateOn("a")) })).toBe("01:30");
    expect(await heldUntil({ accounts, surfaces, lastActive: conversationKey(privateOn("b")) })).toBe("07:00");
  });

  it("when that account has no time zone, then another account's is used, else the channel's", async () => {
    const surfaces = [surface("a", "ann"), surface("b", "ann-b")];
    const lastActive = conversationKey(privateOn("a"));
    const one = [zoned("ann", "a"), zoned("ann-b", "b", "Asia/Kolkata")];
    expect(await heldUntil({ accounts: one, surfaces, lastActive }, "UTC")).toBe("01:30");
    expect(await heldUntil({ accounts: one, surfaces }, "UTC")).toBe("01:30");
    const none = [zoned("ann", "a"), zoned("ann-b", "b")];
    expect(await heldUntil({ accounts: none, surfaces, lastActive }, "Asia/Kolkata")).toBe("01:30");
  });

  it("when the hours are over, then the target is not held", async () => {
    clock.advance(12 * 3_600_000);
    expect(await heldUntil({}, "UTC")).toEqual({ conversation: privateOn("b") });
  });
});

describe("given a target, when a reply is published or sent (I2, D3)", () => {
  const deps = { defaultsOn: () => ({}), admits: open };
  const forB: Audience = { ...annsAudience, conversation: privateOn("b"), askedBy: { channel: "a", accountId: "ann" } };
  const notice = { kind: "notice", origin: null } as const;

  it("when the reply has no person, then it is shown at the origin and held by the channel's hours only", async () => {
    const conversation = roomOn("a");
    const origin = { channel: "scheduled", promptSummary: "x", startedAt: SINCE, sessionId: null };
    const reply = sampleReply("r", conversation, "x", { audience: { conversation, personId: null }, origin });
    expect(await targetsOn({ store, clock, ...deps })("a", reply)).toEqual([{ conversation }]);
    const quiet = { quietHours: { from: "22:00", to: "07:00" } };
    const alone = sampleReply("r", privateOn("a"), "x", {
      audience: { conversation: privateOn("a"), personId: null },
      origin,
    });
    const [held] = await targetsOn({ store, clock, ...deps, defaultsOn: () => quiet })("a", alone);
    expect(held?.holdUntil).toBe(Date.UTC(2026, 2, 11, 7));
  });

  it("when it goes to another account of the asker, then that account must still be linked, also for notices", async () => {
    const reply = sampleReply("r", privateOn("b"), "x", { audience: forB, ...notice });
    const goes = async () => (await targetsOn({ store, clock, ...deps })("b", reply)).length === 1;
    const maySend = () => isStillTarget({ store, admits: open })(reply, privateOn("b"));
    await storePerson(store, ["a", "b"]);
    expect([await goes(), await maySend()]).toEqual([true, true]);
    await storePerson(store, ["a"]);
    expect([await goes(), await maySend()]).toEqual([false, false]);
  });

  it("when the channel's access rules no longer admit the conversation, then it is not sent", async () => {
    const conversation = roomOn("a");
    const reply = sampleReply("r", conversation, "x", { audience: { conversation, personId: null } });
    expect(await isStillTarget({ store, admits: open })(reply, conversation)).toBe(true);
    expect(await isStillTarget({ store, admits: () => false })(reply, conversation)).toBe(false);
    expect(await isStillTarget({ store, admits: open })(reply, privateOn("b"))).toBe(false);
  });

  it("when it has no account, then membership is not checked with the platform", async () => {
    const conversation = privateOn("a");
    const reply = sampleReply("r", conversation, "x", { audience: { conversation, personId: null } });
    const isMember = async () => false;
    expect(await isStillTarget({ store, admits: open, isMember })(reply, conversation)).toBe(true);
  });

  it("when it is for one account in a room, then the access of that account and of the room is checked", async () => {
    const conversation = roomOn("a");
    const reply = sampleReply("r", conversation, "x", {
      audience: { ...annsAudience, conversation },
      onlyFor: "ann",
      ...notice,
    });
    const asked: string[] = [];
    const admits = (where: Conversation, accountId: string | undefined) => {
      asked.push(`${where.kind} ${where.channel}/${where.room} ${accountId}`);
      return true;
    };
    expect(await isStillTarget({ store, admits })(reply, conversation)).toBe(true);
    expect(asked).toEqual(["private a/harbour ann", "shared a/harbour ann"]);
    asked.length = 0;
    await isStillTarget({ store, admits })({ ...reply, onlyFor: "bob" }, conversation);
    expect(asked).toEqual(["private a/harbour bob", "shared a/harbour ann"]);
    const plain = sampleReply("r", conversation, "x", { audience: { ...annsAudience, conversation } });
    asked.length = 0;
    await isStillTarget({ store, admits })(plain, conversation);
    expect(asked).toEqual(["shared a/harbour ann"]);
  });
});
