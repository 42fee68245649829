import { beforeEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../../core/contract/messages/agent-reply.ts";
import { type Conversation, conversationKey } from "../../../../core/contract/messages/conversation.ts";
import type { DeliveryDefaults } from "../../../../core/contract/messages/delivery-policy.ts";
import { afterRefusal, isStillTarget, targetsOn } from "../../../../core/delivery/targets/targets.ts";
import type { PersonRecord } from "../../../../core/people/person-record.ts";
import { accountKey, personKey } from "../../../../core/people/person-record.ts";
import { MemoryStore } from "../../../adapters/web/memory-store.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import { sampleReply } from "../../../fakes/sample-reply.ts";

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

/** Ann, on three channels, last seen on the second. */
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
  const parts = { store, clock, defaultsOn: () => defaults, admits: () => true };
  const all = await Promise.all(["web", "web-b", "web-c"].map((channel) => targetsOn(parts)(channel, reply)));
  return all.flat().map(({ conversation, holdUntil }) => {
    const held = holdUntil === undefined ? "" : ` until ${new Date(holdUntil).toISOString().slice(11, 16)}`;
    return `${conversation.channel}/${conversation.room}${held}`;
  });
};

describe("given an answer that nobody waits for (D2)", () => {
  it("when nothing is said, then it is shown where the work began and in all private conversations", async () => {
    await ann();
    expect(await where(answerFrom(dm("web")))).toEqual(["web/dm", "web-b/dm", "web-c/dm"]);
    expect(await where(answerFrom(room))).toEqual(["web/harbour", "web/dm", "web-b/dm", "web-c/dm"]);
  });

  it.each([
    ["origin", ["web/dm"]],
    ["last-active", ["web/dm", "web-b/dm"]],
  ] as const)("when the person wants %s, then it goes there", async (reach, expected) => {
    await ann({ policy: { default: reach } });
    expect(await where(answerFrom(dm("web")))).toEqual(expected);
  });

  it("when a kind of work has a rule of its own, then that counts, and the person's before the configuration's", async () => {
    await ann({ policy: { scheduled: "last-active" } });
    const defaults = { policy: { default: "origin" as const, scheduled: "everywhere" as const } };
    expect(await where(answerFrom(dm("web"), { origin: scheduled }), defaults)).toEqual(["web/dm", "web-b/dm"]);
    expect(await where(answerFrom(dm("web")), defaults)).toEqual(["web/dm"]);
  });

  it("when it began in a thread of a private room, then that room has it once", async () => {
    await ann();
    expect(await where(answerFrom(dm("web", "t1")))).toEqual(["web/dm", "web-b/dm", "web-c/dm"]);
  });

  it("when somebody waits, or it is no final, then it is only where the work began", async () => {
    await ann();
    expect(await where(answerFrom(dm("web"), { correlationId: "m" }))).toEqual(["web/dm"]);
    expect(await where(answerFrom(dm("web"), { kind: "progress" }))).toEqual(["web/dm"]);
    expect(await where(answerFrom(dm("web"), { kind: "notice", origin: null }))).toEqual(["web/dm"]);
  });

  it("when it is of work that an older version began, then it is only where the work began", async () => {
    await ann();
    expect(await where(answerFrom(dm("web"), { audience: { conversation: dm("web"), personId: "p" } }))).toEqual([
      "web/dm",
    ]);
  });
});

describe("given a conversation that does not take an answer (D2, D3)", () => {
  const refuse = (reply: AgentReply, conversation: Conversation, admits = () => true) =>
    afterRefusal({ store, defaultsOn: () => ({}), admits })(reply, conversation);

  it("when the person wants it where they were last, then it goes on to where they came last, one after the other", async () => {
    await ann({ policy: { default: "last-active" } });
    const first = await refuse(answerFrom(dm("web")), dm("web-b"));
    if (first === undefined || !("next" in first)) throw new Error("it goes nowhere");
    expect(await where(first.next)).toEqual(["web/dm", "web-c/dm"]);
    // It was published before: whoever has shown it recognises it.
    expect(first.next).toMatchObject({ id: "r", mayRepeat: true, refusedIn: [dm("web-b")] });
    expect(await refuse(first.next, dm("web-c"))).toBeUndefined();
  });

  it("when a channel does not let the person in, then it does not go there", async () => {
    await ann({ policy: { default: "last-active" } });
    expect(await refuse(answerFrom(dm("web")), dm("web-b"), () => false)).toBeUndefined();
  });

  it("when it is shown elsewhere anyway, or is to be shown nowhere else, then nothing more is done", async () => {
    await ann();
    expect(await refuse(answerFrom(dm("web")), dm("web-b"))).toBeUndefined();
    expect(await refuse(answerFrom(room), room)).toBeUndefined();
    await ann({ policy: { default: "origin" } });
    expect(await refuse(answerFrom(dm("web")), dm("web"))).toBeUndefined();
    expect(await refuse(answerFrom(room), room)).toBeUndefined();
  });

  it("when it is the room in which the work began, then its asker is told alone", async () => {
    await ann({ surfaces: [] });
    expect(await refuse(answerFrom(room), room)).toEqual({ inPrivate: "ann" });
    expect(await refuse(answerFrom(room, { correlationId: "m" }), room)).toEqual({ inPrivate: "ann" });
    expect(await refuse(answerFrom(dm("web"), { correlationId: "m" }), dm("web"))).toBeUndefined();
    expect(await refuse(answerFrom(room, { kind: "progress" }), room)).toBeUndefined();
  });

  it("when no account asked for it, then nobody can be told alone", async () => {
    const nobodys = answerFrom(room, { audience: { conversation: room, personId: null } });
    expect(await refuse(nobodys, room)).toBeUndefined();
    expect(await refuse({ ...nobodys, correlationId: "m" }, room)).toBeUndefined();
  });
});

describe("given quiet hours (D2)", () => {
  const quiet = { from: "22:00", to: "07:00" };

  it("when a person's work ends in them, then it is shown where it began, and held elsewhere", async () => {
    await ann({ quiet });
    const expected = ["web/dm", "web-b/dm until 07:00", "web-c/dm until 07:00"];
    expect(await where(answerFrom(dm("web")))).toEqual(expected);
  });

  it("when nobody began it, then it is held everywhere; and never what somebody waits for", async () => {
    await ann({ quiet });
    expect((await where(answerFrom(dm("web"), { origin: scheduled })))[0]).toBe("web/dm until 07:00");
    expect(await where(answerFrom(dm("web"), { origin: scheduled, correlationId: "m" }))).toEqual(["web/dm"]);
  });

  it("when they are the channel's, then they hold neither what somebody waits for nor a notice", async () => {
    await ann();
    const defaults = { quietHours: quiet, timeZone: "UTC" };
    const held = answerFrom(dm("web"), { origin: scheduled });
    expect((await where(held, defaults))[0]).toBe("web/dm until 07:00");
    expect(await where({ ...held, correlationId: "m" }, defaults)).toEqual(["web/dm"]);
    expect(await where({ ...held, kind: "progress" }, defaults)).toEqual(["web/dm"]);
    expect(await where(answerFrom(room, { kind: "notice", origin: null }), defaults)).toEqual(["web/harbour"]);
  });

  it("when it is a reminder that they set for this time, then it is shown where they set it, and held elsewhere", async () => {
    await ann({ quiet });
    const shown = await where(answerFrom(dm("web"), { origin: { ...scheduled, isReminder: true } }));
    expect(shown).toEqual(["web/dm", "web-b/dm until 07:00", "web-c/dm until 07:00"]);
  });

  it("when the person has a zone, then the hours are theirs; else those of the channel", async () => {
    await ann({ quiet });
    expect(await where(answerFrom(dm("web")), { timeZone: "Asia/Kolkata" })).toContain("web-b/dm until 01:30");
    await ann({ quiet }, "America/New_York");
    expect(await where(answerFrom(dm("web")), { timeZone: "Asia/Kolkata" })).toContain("web-b/dm");
  });

  it("when a room is the target, then a person's own hours do not hold it, but the channel's do", async () => {
    await ann({ quiet });
    expect((await where(answerFrom(room, { origin: scheduled })))[0]).toBe("web/harbour");
    const defaults = { quietHours: quiet, timeZone: "UTC" };
    expect((await where(answerFrom(room, { origin: scheduled }), defaults))[0]).toBe("web/harbour until 07:00");
  });

  it("when the person has turned them off, then the configuration's do not count", async () => {
    await ann({ quiet: "off" });
    expect(await where(answerFrom(dm("web")), { quietHours: quiet })).toContain("web-b/dm");
  });
});

describe("given an answer that is about to be sent (I2, D3)", () => {
  const mayGo = (reply: AgentReply, target: Conversation, isMember: (accountId: string) => boolean = () => true) =>
    isStillTarget({
      store,
      admits: (_, accountId) => accountId !== "barred",
      isMember: async (_, accountId) => isMember(accountId),
    })(reply, target);
  const onlyFor = (accountId: string) => answerFrom(room, { kind: "notice", origin: null, onlyFor: accountId });

  it("when the platform no longer knows the account as a member, then it is not shown to it in private", async () => {
    await ann();
    const isMember = () => false;
    expect(await mayGo(answerFrom(dm("web")), dm("web-b"), isMember)).toBe(false);
    expect(await mayGo(answerFrom(dm("web")), dm("web"), isMember)).toBe(false);
    expect(await mayGo(answerFrom(dm("web")), dm("web-b"))).toBe(true);
    // Who is in a room is the platform's to say.
    expect(await mayGo(answerFrom(room), room, isMember)).toBe(true);
  });

  it("when it is for one account only, then that account is asked about, wherever it was found alone", async () => {
    const found = { channel: "web", room: "new-dm", kind: "private" } as const;
    expect(await mayGo(onlyFor("bob"), found)).toBe(true);
    expect(await mayGo(onlyFor("barred"), found)).toBe(false);
    expect(await mayGo(onlyFor("barred"), room)).toBe(false);
    expect(await mayGo(onlyFor("bob"), found, (accountId) => accountId !== "bob")).toBe(false);
  });
});
