import { beforeEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { type Conversation, conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { DeliveryDefaults } from "../../../core/contract/messages/delivery-policy.ts";
import { afterRefusal, isStillTarget, targetsOn } from "../../../core/delivery/targets.ts";
import { accountKey, type PersonRecord, personKey } from "../../../core/people/person-record.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { sampleReply } from "../../fakes/sample-reply.ts";

const tenant = "default";
const SINCE = "2026-01-01T00:00:00.000Z";
const dm = (channel: string, thread?: string): Conversation => ({
  channel,
  room: "dm",
  kind: "private",
  ...(thread !== undefined && { thread }),
});
const room: Conversation = { channel: "web", room: "harbour", kind: "shared" };

let clock: ManualClock;
let store: MemoryStore;
beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 2, 10, 23));
  store = new MemoryStore(clock);
});

/** Ann on three channels, last active on the second. */
const ann = async (rest: Partial<PersonRecord> = {}, timeZone?: string) => {
  const channels = ["web", "web-b", "web-c"];
  const account = {
    accountId: "ann",
    name: "Ann",
    since: SINCE,
    joined: 1,
    ...(timeZone !== undefined && { timeZone }),
  };
  const person: PersonRecord = {
    id: "p",
    tenant,
    membership: 1,
    accounts: channels.map((channel) => ({ ...account, channel })),
    surfaces: channels.map((channel) => ({
      conversation: dm(channel),
      channel,
      accountId: "ann",
      agent: "mooring",
      since: SINCE,
    })),
    lastActive: conversationKey(dm("web-b")),
    ...rest,
  };
  await store.put(personKey(tenant, "p"), person);
  for (const channel of channels) await store.put(accountKey({ tenant, channel, accountId: "ann" }), { personId: "p" });
};

const answerFrom = (conversation: Conversation, rest: Partial<AgentReply> = {}): AgentReply =>
  sampleReply("r", conversation, "words", {
    origin: { channel: conversation.channel, promptSummary: "ask", startedAt: SINCE, sessionId: "s" },
    audience: { conversation, personId: "p", accountId: "ann", membership: 1 },
    ...rest,
  });
const scheduled = { channel: "scheduled", promptSummary: "daily", startedAt: SINCE, sessionId: null };

const where = async (reply: AgentReply, defaults: DeliveryDefaults = {}) => {
  const deps = { store, clock, defaultsOn: () => defaults, admits: () => true };
  const all = await Promise.all(["web", "web-b", "web-c"].map((channel) => targetsOn(deps)(channel, reply)));
  return all.flat().map(({ conversation, holdUntil }) => {
    const held = holdUntil === undefined ? "" : ` until ${new Date(holdUntil).toISOString().slice(11, 16)}`;
    return `${conversation.channel}/${conversation.room}${held}`;
  });
};

describe("given a proactive message (D2)", () => {
  it("when there is no policy, then it is shown at the origin and in all private conversations", async () => {
    await ann();
    expect(await where(answerFrom(dm("web")))).toEqual(["web/dm", "web-b/dm", "web-c/dm"]);
    expect(await where(answerFrom(room))).toEqual(["web/harbour", "web/dm", "web-b/dm", "web-c/dm"]);
  });

  it.each([
    ["origin", ["web/dm"]],
    ["last-active", ["web/dm", "web-b/dm"]],
  ] as const)("when the policy of the person is %s, then it goes there", async (reach, expected) => {
    await ann({ policy: { default: reach } });
    expect(await where(answerFrom(dm("web")))).toEqual(expected);
  });

  it("when a kind of work has its own rule, then that rule counts, the person's before the configured one", async () => {
    await ann({ policy: { scheduled: "last-active" } });
    const defaults = { policy: { default: "origin" as const, scheduled: "everywhere" as const } };
    expect(await where(answerFrom(dm("web"), { origin: scheduled }), defaults)).toEqual(["web/dm", "web-b/dm"]);
    expect(await where(answerFrom(dm("web")), defaults)).toEqual(["web/dm"]);
  });

  it("when it began in a thread of a private room, then that room shows it once", async () => {
    await ann();
    expect(await where(answerFrom(dm("web", "t1")))).toEqual(["web/dm", "web-b/dm", "web-c/dm"]);
  });

  it("when it is solicited or not a final, then it goes to the origin only", async () => {
    await ann();
    expect(await where(answerFrom(dm("web"), { correlationId: "m" }))).toEqual(["web/dm"]);
    expect(await where(answerFrom(dm("web"), { kind: "progress" }))).toEqual(["web/dm"]);
    expect(await where(answerFrom(dm("web"), { kind: "notice", origin: null }))).toEqual(["web/dm"]);
  });

  it("when an older version began the work, then it goes to the origin only", async () => {
    await ann();
    expect(await where(answerFrom(dm("web"), { audience: { conversation: dm("web"), personId: "p" } }))).toEqual([
      "web/dm",
    ]);
  });
});

describe("given a conversation that rejects a reply (D2, D3)", () => {
  const refuse = (reply: AgentReply, conversation: Conversation, admits = () => true) =>
    afterRefusal({ store, defaultsOn: () => ({}), admits })(reply, conversation);

  it("when the policy is last-active, then it goes to the next newest conversation, one after the other", async () => {
    await ann({ policy: { default: "last-active" } });
    const first = await refuse(answerFrom(dm("web")), dm("web-b"));
    if (first === undefined || !("next" in first)) throw new Error("there is no next target");
    expect(await where(first.next)).toEqual(["web/dm", "web-c/dm"]);
    // The reply was published before, so conversations that already show it must recognise it.
    expect(first.next).toMatchObject({ id: "r", mayRepeat: true, refusedIn: [dm("web-b")] });
    expect(await refuse(first.next, dm("web-c"))).toBeUndefined();
  });

  it("when a channel's access rules do not admit the person, then it does not go there", async () => {
    await ann({ policy: { default: "last-active" } });
    expect(await refuse(answerFrom(dm("web")), dm("web-b"), () => false)).toBeUndefined();
  });

  it("when another conversation already shows it, or the policy is origin, then there is no next target", async () => {
    await ann();
    expect(await refuse(answerFrom(dm("web")), dm("web-b"))).toBeUndefined();
    expect(await refuse(answerFrom(room), room)).toBeUndefined();
    await ann({ policy: { default: "origin" } });
    expect(await refuse(answerFrom(dm("web")), dm("web"))).toBeUndefined();
    expect(await refuse(answerFrom(room), room)).toBeUndefined();
  });

  it("when the room of the origin rejects it, then its asker gets it in private", async () => {
    await ann({ surfaces: [] });
    expect(await refuse(answerFrom(room), room)).toEqual({ inPrivate: "ann" });
    expect(await refuse(answerFrom(room, { correlationId: "m" }), room)).toEqual({ inPrivate: "ann" });
    expect(await refuse(answerFrom(dm("web"), { correlationId: "m" }), dm("web"))).toBeUndefined();
    expect(await refuse(answerFrom(room, { kind: "progress" }), room)).toBeUndefined();
  });

  it("when no account asked for it, then there is no private target", async () => {
    const withoutAccount = answerFrom(room, { audience: { conversation: room, personId: null } });
    expect(await refuse(withoutAccount, room)).toBeUndefined();
    expect(await refuse({ ...withoutAccount, correlationId: "m" }, room)).toBeUndefined();
  });
});

describe("given quiet hours (D2)", () => {
  const quiet = { from: "22:00", to: "07:00" };

  it("when a person's work ends in them, then its result is shown at the origin and held elsewhere", async () => {
    await ann({ quiet });
    const expected = ["web/dm", "web-b/dm until 07:00", "web-c/dm until 07:00"];
    expect(await where(answerFrom(dm("web")))).toEqual(expected);
  });

  it("when no person started the work, then its result is held everywhere; solicited replies are never held", async () => {
    await ann({ quiet });
    expect((await where(answerFrom(dm("web"), { origin: scheduled })))[0]).toBe("web/dm until 07:00");
    expect(await where(answerFrom(dm("web"), { origin: scheduled, correlationId: "m" }))).toEqual(["web/dm"]);
  });

  it("when they are the channel's, then they hold neither solicited replies nor notices", async () => {
    await ann();
    const defaults = { quietHours: quiet, timeZone: "UTC" };
    const held = answerFrom(dm("web"), { origin: scheduled });
    expect((await where(held, defaults))[0]).toBe("web/dm until 07:00");
    expect(await where({ ...held, correlationId: "m" }, defaults)).toEqual(["web/dm"]);
    expect(await where({ ...held, kind: "progress" }, defaults)).toEqual(["web/dm"]);
    expect(await where(answerFrom(room, { kind: "notice", origin: null }), defaults)).toEqual(["web/harbour"]);
  });

  it("when it is a reminder for this time, then it is shown where it was created and held elsewhere", async () => {
    await ann({ quiet });
    const shown = await where(answerFrom(dm("web"), { origin: { ...scheduled, isReminder: true } }));
    expect(shown).toEqual(["web/dm", "web-b/dm until 07:00", "web-c/dm until 07:00"]);
  });

  it("when the person has a time zone, then the hours are in that zone, else in the channel's", async () => {
    await ann({ quiet });
    expect(await where(answerFrom(dm("web")), { timeZone: "Asia/Kolkata" })).toContain("web-b/dm until 01:30");
    await ann({ quiet }, "America/New_York");
    expect(await where(answerFrom(dm("web")), { timeZone: "Asia/Kolkata" })).toContain("web-b/dm");
  });

  it("when the target is a room, then the channel's hours hold it, not the person's", async () => {
    await ann({ quiet });
    expect((await where(answerFrom(room, { origin: scheduled })))[0]).toBe("web/harbour");
    const defaults = { quietHours: quiet, timeZone: "UTC" };
    expect((await where(answerFrom(room, { origin: scheduled }), defaults))[0]).toBe("web/harbour until 07:00");
  });

  it("when the person has turned them off, then the configured ones do not apply", async () => {
    await ann({ quiet: "off" });
    expect(await where(answerFrom(dm("web")), { quietHours: quiet })).toContain("web-b/dm");
  });
});

describe("given a reply that is about to be sent (I2, D3)", () => {
  const mayGo = (reply: AgentReply, target: Conversation, isMember: (accountId: string) => boolean = () => true) =>
    isStillTarget({
      store,
      admits: (_, accountId) => accountId !== "barred",
      isMember: async (_, accountId) => isMember(accountId),
    })(reply, target);
  const onlyFor = (accountId: string) => answerFrom(room, { kind: "notice", origin: null, onlyFor: accountId });

  it("when the account is no longer a member on the platform, then it gets nothing in private", async () => {
    await ann();
    const isMember = () => false;
    expect(await mayGo(answerFrom(dm("web")), dm("web-b"), isMember)).toBe(false);
    expect(await mayGo(answerFrom(dm("web")), dm("web"), isMember)).toBe(false);
    expect(await mayGo(answerFrom(dm("web")), dm("web-b"))).toBe(true);
    // The platform controls the members of a room.
    expect(await mayGo(answerFrom(room), room, isMember)).toBe(true);
  });

  it("when it is for one account only, then access and membership of that account are checked", async () => {
    const found = { channel: "web", room: "new-dm", kind: "private" } as const;
    expect(await mayGo(onlyFor("bob"), found)).toBe(true);
    expect(await mayGo(onlyFor("barred"), found)).toBe(false);
    expect(await mayGo(onlyFor("barred"), room)).toBe(false);
    expect(await mayGo(onlyFor("bob"), found, (accountId) => accountId !== "bob")).toBe(false);
  });
});
