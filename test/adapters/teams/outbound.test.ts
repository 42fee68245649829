import { beforeEach, describe, expect, it, vi } from "vitest";
import type { UnreachablePlace } from "../../../adapters/contract/abilities.ts";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import type { Clock } from "../../../core/contract/clock.ts";
import type { Conversation } from "../../../core/contract/conversation.ts";
import { failureOf } from "../../contract/channel/harness-in-use.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import type { TeamsFault } from "../../fakes/teams/fault.ts";
import { teamsFaults } from "../../fakes/teams/fault.ts";
import { CHANNEL_ROOM, GROUP_ROOM, objectIdOf } from "../../fakes/teams/sent-activity.ts";
import { briskClock } from "./make-teams-adapter.ts";
import { TeamsUnderTest } from "./teams-under-test.ts";

const use = new TeamsUnderTest();
const deliver = (target: Conversation, text = "an answer", more: Partial<Delivery> = {}) =>
  use.adapter.deliver(sampleDelivery(text, target, text, more));
const sends = () => use.teams.requests.filter((request) => /^(POST|PUT) .*\/v3\//.test(request));

describe("given conversations that the agent writes in, long after the last request", () => {
  it("when nobody has written since a restart, then each kind is reached (C4)", async () => {
    const targets = [
      await use.conversation(),
      await use.conversation({ place: "groupChat" }),
      await use.conversation({ place: "channel", id: "17" }),
    ];
    await use.start();
    for (const target of targets) await deliver(target);
    expect(use.teams.api.posts.items.map(({ conversationId }) => conversationId)).toEqual([
      "a:chat-with-ann",
      "19:sailors@thread.v2",
      `${CHANNEL_ROOM};messageid=17`,
    ]);
  });

  it("when the target is a channel and no thread, then a new thread begins, which can be edited", async () => {
    await use.teams.install("add", { place: "channel" });
    const target: Conversation = { channel: "teams", room: CHANNEL_ROOM, kind: "shared" };
    const { messageId } = await deliver(target, "good morning");
    await use.adapter.edit(messageId, sampleDelivery("r2", target, "good evening"));
    const conversationId = `${CHANNEL_ROOM};messageid=${messageId}`;
    const activity = { text: "<p>good evening</p>" };
    expect(use.teams.api.posts.items).toMatchObject([{ id: messageId, conversationId, activity }]);
    const answer = await use.heard({ text: "thanks", place: "channel", thread: messageId });
    expect(answer.replyTo).toBe(messageId);
  });

  it("when a long answer goes to a channel and no thread, then its parts are one thread, also after a restart (D7)", async () => {
    await use.teams.install("add", { place: "channel" });
    const target: Conversation = { channel: "teams", room: CHANNEL_ROOM, kind: "shared" };
    const part = (index: number) => ({ part: { index, count: 3, markdown: `part ${index}` } });
    const { messageId: firstMessageId } = await deliver(target, "r1", part(0));
    await deliver(target, "r1", { ...part(1), firstMessageId });
    await use.start();
    const { messageId } = await deliver(target, "r1", { ...part(2), firstMessageId });
    const thread = `${CHANNEL_ROOM};messageid=${firstMessageId}`;
    const places = () => use.teams.api.posts.items.map(({ conversationId }) => conversationId);
    expect(places()).toEqual([thread, thread, thread]);
    await use.adapter.edit(messageId, sampleDelivery("r1", target, "the end", { firstMessageId }));
    expect(use.teams.api.posts.items.at(-1)?.activity.text).toBe("<p>the end</p>");
  });

  it("when a long answer goes anywhere else, then its parts are where the first one is", async () => {
    for (const place of ["personal", "groupChat", "channel"] as const) {
      const target = await use.conversation({ place, id: "17" });
      const { messageId } = await deliver(target, "first");
      await deliver(target, "second", { firstMessageId: messageId });
      const [first, second] = use.teams.api.posts.items.slice(-2);
      expect(second?.conversationId).toBe(first?.conversationId);
    }
  });

  it("when Teams moves a tenant to another address, then answers go to the newest one", async () => {
    const target = await use.conversation();
    const moved = `${use.teams.origin}/emea/moved/`;
    await use.heard({ text: "again", more: { serviceUrl: moved } });
    await failureOf(deliver(target));
    expect(use.teams.requests.at(-1)).toContain("/emea/moved/v3/");
  });

  it("when an address is no longer allowed, then nothing is sent there", async () => {
    const target = await use.conversation();
    await use.start({ serviceUrls: ["https://smba.trafficmanager.net"] });
    expect(await failureOf(deliver(target))).toMatchObject({ reason: "forbidden" });
    expect(sends()).toEqual([]);
  });

  it("when the app has never been there, then that is said", async () => {
    const target: Conversation = { channel: "teams", room: "19:nowhere@thread.v2", kind: "shared" };
    expect(await failureOf(deliver(target))).toMatchObject({
      reason: "target-gone",
      message: expect.stringContaining("add the app"),
    });
  });

  it("when nobody says otherwise, then answers are shown while they are written; it can be switched off", async () => {
    expect(use.adapter.capabilities.streamEveryMs).toBeGreaterThan(0);
    await use.start({ streaming: false });
    expect(use.adapter.capabilities.streamEveryMs).toBeUndefined();
  });

  it("when it works on an answer, then that is shown", async () => {
    await use.adapter.showTyping(await use.conversation({ place: "channel", id: "17" }));
    expect(use.teams.api.typing.items).toEqual([`${CHANNEL_ROOM};messageid=17`]);
  });

  it("when somebody asks for a message's address, then rooms have one", async () => {
    const target = await use.conversation({ place: "channel", id: "17" });
    expect(await use.adapter.permalink(target, "18")).toContain("/18?tenantId=");
    expect(await use.adapter.permalink(await use.conversation(), "18")).toBeUndefined();
  });
});

describe("given a person who has only written in a room", () => {
  it("when they must be told something in private, then a chat with them is opened, once", async () => {
    await use.heard({ text: "hello", place: "channel" });
    const target = await use.adapter.privateConversation(objectIdOf("ann"));
    expect(target).toEqual({ channel: "teams", room: "a:chat-with-ann", kind: "private" });
    await deliver(target, "psst");
    expect(use.teams.api.posts.items).toMatchObject([{ conversationId: "a:chat-with-ann" }]);
    const before = sends().length;
    expect(await use.adapter.privateConversation(objectIdOf("ann"))).toEqual(target);
    expect(sends()).toHaveLength(before);
  });

  it("when their address is no longer allowed, then the bot's token is not taken there", async () => {
    await use.heard({ text: "hello", place: "channel" });
    await use.start({ serviceUrls: ["https://smba.trafficmanager.net"] });
    expect(await failureOf(use.adapter.privateConversation(objectIdOf("ann")))).toMatchObject({ reason: "forbidden" });
    expect(sends()).toEqual([]);
  });

  it("when Teams does not take the bot's token any more, then the next attempt has a new one", async () => {
    await deliver(await use.conversation({ place: "channel" }));
    use.teams.signIn.revokeAll();
    const open = () => use.adapter.privateConversation(objectIdOf("ann"));
    expect(await failureOf(open())).toMatchObject({ reason: "unavailable" });
    expect(await open()).toHaveProperty("room", "a:chat-with-ann");
  });

  it("when nobody knows them, then that is said", async () => {
    expect(await failureOf(use.adapter.privateConversation("nobody"))).toMatchObject({ reason: "target-gone" });
  });
});

describe("given a room that the app is taken out of", () => {
  it("when something is to be said there, then it is refused at once, until the app is added again", async () => {
    const target = await use.conversation({ place: "groupChat" });
    await use.teams.install("remove", { place: "groupChat" });
    expect(await failureOf(deliver(target))).toMatchObject({
      reason: "target-gone",
      message: expect.stringContaining("removed"),
    });
    expect(sends()).toEqual([]);
    await use.teams.install("add", { place: "groupChat" });
    await deliver(target, "back");
    expect(use.teams.api.posts.items).toHaveLength(1);
  });

  it("when only Teams' refusal tells of it, then Teams is not asked again until somebody writes there", async () => {
    const target = await use.conversation();
    use.teams.fault = teamsFaults.removed;
    for (let n = 0; n < 2; n++) expect(await failureOf(deliver(target))).toHaveProperty("reason", "target-gone");
    expect(sends()).toHaveLength(1);
    use.teams.mend();
    await use.heard({ text: "I am back" });
    await deliver(target, "welcome");
    expect(use.teams.api.posts.items).toHaveLength(1);
  });

  it("when the app is upgraded, then it has not gone", async () => {
    const target = await use.conversation();
    await use.teams.say({ more: { type: "installationUpdate", action: "remove-upgrade" } });
    await deliver(target, "still here");
    expect(use.teams.api.posts.items).toHaveLength(1);
  });
});

describe("given a conversation that Teams takes nothing for", () => {
  const HOUR = 3_600_000;
  let passedMs = 0;
  const clock: Clock = { ...briskClock, now: () => Date.now() + passedMs };
  const isRefused = async (target: Conversation, state: RegExp, more: Partial<Delivery> = {}) =>
    expect(await failureOf(deliver(target, "an answer", more))).toMatchObject({
      reason: "forbidden",
      message: expect.stringMatching(state),
    });
  const places = async () => {
    const found: UnreachablePlace[] = [];
    for await (const place of use.adapter.unreachable()) found.push(place);
    return found;
  };
  beforeEach(async () => {
    passedMs = 0;
    await use.start({}, { clock });
  });

  it.each<[string, TeamsFault, RegExp, number]>([
    ["the person has blocked the app", teamsFaults.blocked, /^blocked:/, 24 * HOUR],
    ["the person takes no messages of it", teamsFaults.writesBlocked, /^blocked:/, 24 * HOUR],
    ["an administrator has disabled it", teamsFaults.disabled, /^disabled:/, HOUR],
  ])(
    "when %s, then Teams is not asked with every message, also after a restart, but now and then",
    async (...given) => {
      const [, fault, state, pauseMs] = given;
      const target = await use.conversation();
      use.teams.fault = fault;
      await isRefused(target, state);
      await use.start({}, { clock });
      await isRefused(target, state);
      expect(sends()).toHaveLength(1);
      passedMs = pauseMs;
      await isRefused(target, state);
      await isRefused(target, state);
      expect(sends()).toHaveLength(2);
      use.teams.mend();
      passedMs = 2 * pauseMs + 1_000;
      await deliver(target, "at last");
      await deliver(target, "and on");
      expect(sends()).toHaveLength(4);
      expect(await places()).toEqual([]);
    },
  );

  it("when the person writes, or the app is added again, then it is open again", async () => {
    const target = await use.conversation();
    for (const reopen of [() => use.heard({ text: "hello" }), () => use.teams.install("add")]) {
      use.teams.fault = teamsFaults.blocked;
      await isRefused(target, /^blocked:/);
      use.teams.mend();
      await reopen();
      await deliver(target, "welcome");
    }
    expect(use.teams.api.posts.items).toHaveLength(2);
  });

  it("when somebody wants it sent again, then Teams is asked at once (D6)", async () => {
    const target = await use.conversation();
    use.teams.fault = teamsFaults.disabled;
    await isRefused(target, /^disabled:/);
    await isRefused(target, /^disabled:/, { byHand: true });
    use.teams.mend();
    await deliver(target, "an answer", { byHand: true });
    expect(sends()).toHaveLength(3);
  });

  it("when operators look, then they see where, whose, since when and until when", async () => {
    await use.conversation({ place: "groupChat" });
    await use.teams.install("remove", { place: "groupChat" });
    const target = await use.conversation();
    use.teams.fault = teamsFaults.blocked;
    await isRefused(target, /^blocked:/);
    const listed = (await places()).sort((one, other) => (one.state < other.state ? -1 : 1));
    expect(listed).toEqual([
      {
        key: expect.any(String),
        conversation: target,
        accountId: objectIdOf("ann"),
        state: "blocked",
        reason: expect.stringContaining("unblock"),
        since: expect.any(String),
        askAgainAt: expect.any(String),
      },
      {
        key: expect.any(String),
        conversation: { channel: "teams", room: GROUP_ROOM, kind: "shared" },
        state: "removed",
        reason: expect.stringContaining("add it again"),
        since: expect.any(String),
      },
    ]);
  });

  it("when what Teams says cannot be stored, then the answer is delivered, or refused, all the same", async () => {
    const target = await use.conversation();
    use.store.before = (operation) => {
      if (operation === "put") throw new Error("disk");
    };
    use.teams.fault = teamsFaults.blocked;
    await isRefused(target, /^blocked:/);
    await isRefused(target, /^blocked:/);
    expect(sends()).toHaveLength(2);
  });
});

describe("given Teams in trouble", () => {
  it.each<[string, TeamsFault, Record<string, unknown>]>([
    ["asks to wait", teamsFaults.rateLimited, { reason: "rate-limited", retryAfterMs: 2_000 }],
    ["asks to wait, not saying how long", { status: 429 }, { reason: "rate-limited", retryAfterMs: 5_000 }],
    [
      "is blocked by the person",
      teamsFaults.blocked,
      { reason: "forbidden", message: expect.stringMatching(/^blocked:/) },
    ],
    [
      "is muted by the person",
      teamsFaults.writesBlocked,
      { reason: "forbidden", message: expect.stringMatching(/^blocked:/) },
    ],
    [
      "is disabled by an admin",
      teamsFaults.disabled,
      { reason: "forbidden", message: expect.stringMatching(/^disabled:/) },
    ],
    ["has no such conversation", teamsFaults.gone, { reason: "target-gone", message: expect.stringMatching(/^gone:/) }],
    ["has another call under way", teamsFaults.busy, { reason: "unavailable" }],
    ["is away", teamsFaults.unavailable, { reason: "unavailable" }],
    ["fails", teamsFaults.failed, { reason: "unknown" }],
    ["has a bad gateway", { status: 502 }, { reason: "unknown" }],
    ["times out", { status: 504 }, { reason: "unknown" }],
    ["finds it too large", { status: 413, code: "MessageSizeTooBig" }, { reason: "rejected" }],
    [
      "refuses it",
      { status: 400, code: "BadSyntax" },
      { reason: "rejected", message: expect.stringContaining("BadSyntax") },
    ],
    ["cuts the line", "cut-after-accept", { reason: "unknown" }],
  ])("when it %s, then it is asked once, and the outbox knows what may be done", async (_, fault, expected) => {
    const target = await use.conversation();
    use.teams.fault = fault;
    const failure = await failureOf(deliver(target));
    expect(failure).toBeInstanceOf(DeliveryFailed);
    expect(failure).toMatchObject(expected);
    expect(sends()).toHaveLength(1);
  });

  it("when it sends us elsewhere, then we do not go: the token is for this address", async () => {
    const target = await use.conversation();
    use.teams.fault = { status: 307, headers: { location: `${use.teams.origin}/elsewhere` } };
    expect(await failureOf(deliver(target))).toMatchObject({ reason: "rejected" });
    expect(use.teams.requests.at(-1)).not.toContain("/elsewhere");
  });

  it("when the store is away, then nothing was sent", async () => {
    const target = await use.conversation();
    use.store.before = () => {
      throw new Error("disk");
    };
    expect(await failureOf(deliver(target))).toMatchObject({ reason: "unavailable" });
    expect(sends()).toEqual([]);
  });
});

describe("given the bot's own token", () => {
  const tokenRequests = () => use.teams.requests.filter((request) => request.endsWith("/oauth2/v2.0/token"));

  it("when many answers go out at once, then it is asked for once", async () => {
    const target = await use.conversation();
    await Promise.all(["a", "b", "c"].map((text) => deliver(target, text)));
    expect(tokenRequests()).toHaveLength(1);
  });

  it("when Teams does not take it any more, then the next attempt has a new one", async () => {
    const target = await use.conversation();
    await deliver(target, "before");
    use.teams.signIn.revokeAll();
    expect(await failureOf(deliver(target, "between"))).toMatchObject({ reason: "unavailable" });
    await deliver(target, "after");
    expect(tokenRequests()).toHaveLength(2);
  });

  it("when the sign-in refuses the bot at start, then health says why before anything is sent (F33)", async () => {
    use.teams.signIn.error = 7_000_222;
    await use.start();
    await vi.waitUntil(() => !use.adapter.health().ok);
    expect(use.adapter.health()).toMatchObject({ ok: false, reason: expect.stringContaining("expired") });
    expect(await use.conversation()).toMatchObject({ channel: "teams" });
  });

  it("when there is none, then answers wait, and the channel's health says why", async () => {
    use.teams.signIn.error = 7_000_222;
    await use.start();
    const target = await use.conversation();
    expect(await failureOf(deliver(target))).toMatchObject({
      reason: "unavailable",
      message: expect.stringContaining("expired"),
    });
    expect(use.adapter.health()).toMatchObject({ ok: false, reason: expect.stringContaining("expired") });
    expect(sends()).toEqual([]);
    use.teams.signIn.error = undefined;
    await deliver(target);
    expect(use.adapter.health()).toEqual({ ok: true });
  });
});
