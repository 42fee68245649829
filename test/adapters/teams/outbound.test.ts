import { beforeEach, describe, expect, it, vi } from "vitest";
import type { UnreachableConversation } from "../../../adapters/contract/abilities.ts";
import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { failureOf } from "../../contract/channel/contract-rig.ts";
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

describe("given deliveries without a request in flight", () => {
  it("when no message has arrived since a restart, then each kind of conversation is reachable (C4)", async () => {
    const targets = [
      await use.conversation(),
      await use.conversation({ conversationType: "groupChat" }),
      await use.conversation({ conversationType: "channel", id: "17" }),
    ];
    await use.start();
    for (const target of targets) await deliver(target);
    expect(use.teams.api.posts.items.map(({ conversationId }) => conversationId)).toEqual([
      "a:chat-with-ann",
      "19:sailors@thread.v2",
      `${CHANNEL_ROOM};messageid=17`,
    ]);
  });

  it("when the target is a channel without a thread, then a new thread begins, which can be edited", async () => {
    await use.teams.install("add", { conversationType: "channel" });
    const target: Conversation = { channel: "teams", room: CHANNEL_ROOM, kind: "shared" };
    const { messageId } = await deliver(target, "good morning");
    await use.adapter.edit(messageId, sampleDelivery("r2", target, "good evening"));
    const conversationId = `${CHANNEL_ROOM};messageid=${messageId}`;
    const activity = { text: "<p>good evening</p>" };
    expect(use.teams.api.posts.items).toMatchObject([{ id: messageId, conversationId, activity }]);
    const answer = await use.received({ text: "thanks", conversationType: "channel", thread: messageId });
    expect(answer.replyTo).toBe(messageId);
  });

  it("when a long answer goes to a channel without a thread, then its parts are one thread, also after a restart (D7)", async () => {
    await use.teams.install("add", { conversationType: "channel" });
    const target: Conversation = { channel: "teams", room: CHANNEL_ROOM, kind: "shared" };
    const part = (index: number) => ({ part: { index, count: 3, markdown: `part ${index}` } });
    const { messageId: firstMessageId } = await deliver(target, "r1", part(0));
    await deliver(target, "r1", { ...part(1), firstMessageId });
    await use.start();
    const { messageId } = await deliver(target, "r1", { ...part(2), firstMessageId });
    const thread = `${CHANNEL_ROOM};messageid=${firstMessageId}`;
    const conversationIds = () => use.teams.api.posts.items.map(({ conversationId }) => conversationId);
    expect(conversationIds()).toEqual([thread, thread, thread]);
    await use.adapter.edit(messageId, sampleDelivery("r1", target, "the end", { firstMessageId }));
    expect(use.teams.api.posts.items.at(-1)?.activity.text).toBe("<p>the end</p>");
  });

  it("when a long answer goes to another conversation, then all parts follow the first one", async () => {
    for (const conversationType of ["personal", "groupChat", "channel"] as const) {
      const target = await use.conversation({ conversationType, id: "17" });
      const { messageId } = await deliver(target, "first");
      await deliver(target, "second", { firstMessageId: messageId });
      const [first, second] = use.teams.api.posts.items.slice(-2);
      expect(second?.conversationId).toBe(first?.conversationId);
    }
  });

  it("when Teams moves a tenant to another address, then answers go to the newest one", async () => {
    const target = await use.conversation();
    const moved = `${use.teams.origin}/emea/moved/`;
    await use.received({ text: "again", more: { serviceUrl: moved } });
    await failureOf(deliver(target));
    expect(use.teams.requests.at(-1)).toContain("/emea/moved/v3/");
  });

  it("when an address is no longer allowed, then nothing is sent there", async () => {
    const target = await use.conversation();
    await use.start({ serviceUrls: ["https://smba.trafficmanager.net"] });
    expect(await failureOf(deliver(target))).toMatchObject({ reason: "forbidden" });
    expect(sends()).toEqual([]);
  });

  it("when the app was never added there, then the failure says so", async () => {
    const target: Conversation = { channel: "teams", room: "19:nowhere@thread.v2", kind: "shared" };
    expect(await failureOf(deliver(target))).toMatchObject({
      reason: "target-gone",
      message: expect.stringContaining("add the app"),
    });
  });

  it("then streaming is on by default, and can be switched off", async () => {
    expect(use.adapter.capabilities.streamEveryMs).toBeGreaterThan(0);
    await use.start({ streaming: false });
    expect(use.adapter.capabilities.streamEveryMs).toBeUndefined();
  });

  it("when the agent works on an answer, then typing is shown", async () => {
    await use.adapter.showTyping(await use.conversation({ conversationType: "channel", id: "17" }));
    expect(use.teams.api.typing.items).toEqual([`${CHANNEL_ROOM};messageid=17`]);
  });

  it("when the permalink of a message is requested, then rooms have one", async () => {
    const target = await use.conversation({ conversationType: "channel", id: "17" });
    expect(await use.adapter.permalink(target, "18")).toContain("/18?tenantId=");
    expect(await use.adapter.permalink(await use.conversation(), "18")).toBeUndefined();
  });
});

describe("given a person who has only written in a room", () => {
  it("when there is a private message for the person, then a private chat is opened, once", async () => {
    await use.received({ text: "hello", conversationType: "channel" });
    const target = await use.adapter.privateConversation(objectIdOf("ann"));
    expect(target).toEqual({ channel: "teams", room: "a:chat-with-ann", kind: "private" });
    await deliver(target, "psst");
    expect(use.teams.api.posts.items).toMatchObject([{ conversationId: "a:chat-with-ann" }]);
    const before = sends().length;
    expect(await use.adapter.privateConversation(objectIdOf("ann"))).toEqual(target);
    expect(sends()).toHaveLength(before);
  });

  it("when the service address is no longer allowed, then the bot's token is not sent there", async () => {
    await use.received({ text: "hello", conversationType: "channel" });
    await use.start({ serviceUrls: ["https://smba.trafficmanager.net"] });
    expect(await failureOf(use.adapter.privateConversation(objectIdOf("ann")))).toMatchObject({ reason: "forbidden" });
    expect(sends()).toEqual([]);
  });

  it("when Teams rejects the bot's token, then the next attempt has a new one", async () => {
    await deliver(await use.conversation({ conversationType: "channel" }));
    use.teams.signIn.revokeAll();
    const open = () => use.adapter.privateConversation(objectIdOf("ann"));
    expect(await failureOf(open())).toMatchObject({ reason: "unavailable" });
    expect(await open()).toHaveProperty("room", "a:chat-with-ann");
  });

  it("when the person is unknown, then the failure says so", async () => {
    expect(await failureOf(use.adapter.privateConversation("nobody"))).toMatchObject({ reason: "target-gone" });
  });
});

describe("given a room that the app was removed from", () => {
  it("when a message goes there, then it fails at once, until the app is added again", async () => {
    const target = await use.conversation({ conversationType: "groupChat" });
    await use.teams.install("remove", { conversationType: "groupChat" });
    expect(await failureOf(deliver(target))).toMatchObject({
      reason: "target-gone",
      message: expect.stringContaining("removed"),
    });
    expect(sends()).toEqual([]);
    await use.teams.install("add", { conversationType: "groupChat" });
    await deliver(target, "back");
    expect(use.teams.api.posts.items).toHaveLength(1);
  });

  it("when only the refusal of Teams reports it, then Teams is not called again until a message arrives from there", async () => {
    const target = await use.conversation();
    use.teams.fault = teamsFaults.removed;
    for (let n = 0; n < 2; n++) expect(await failureOf(deliver(target))).toHaveProperty("reason", "target-gone");
    expect(sends()).toHaveLength(1);
    use.teams.recover();
    await use.received({ text: "I am back" });
    await deliver(target, "welcome");
    expect(use.teams.api.posts.items).toHaveLength(1);
  });

  it("when the app is upgraded, then it does not count as removed", async () => {
    const target = await use.conversation();
    await use.teams.say({ more: { type: "installationUpdate", action: "remove-upgrade" } });
    await deliver(target, "still here");
    expect(use.teams.api.posts.items).toHaveLength(1);
  });
});

describe("given a conversation that Teams refuses all messages for", () => {
  const HOUR = 3_600_000;
  let passedMs = 0;
  const clock: Clock = { ...briskClock, now: () => Date.now() + passedMs };
  const isRefused = async (target: Conversation, state: RegExp, more: Partial<Delivery> = {}) =>
    expect(await failureOf(deliver(target, "an answer", more))).toMatchObject({
      reason: "forbidden",
      message: expect.stringMatching(state),
    });
  const unreachableConversations = async () => {
    const found: UnreachableConversation[] = [];
    for await (const conversation of use.adapter.unreachable()) found.push(conversation);
    return found;
  };
  beforeEach(async () => {
    passedMs = 0;
    await use.start({}, { clock });
  });

  it.each<[string, TeamsFault, RegExp, number]>([
    ["the person has blocked the app", teamsFaults.blocked, /^blocked:/, 24 * HOUR],
    ["the person does not accept its messages", teamsFaults.writesBlocked, /^blocked:/, 24 * HOUR],
    ["an administrator has disabled it", teamsFaults.disabled, /^disabled:/, HOUR],
  ])(
    "when %s, then Teams is not called for every message, also after a restart, but at intervals",
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
      use.teams.recover();
      passedMs = 2 * pauseMs + 1_000;
      await deliver(target, "at last");
      await deliver(target, "and on");
      expect(sends()).toHaveLength(4);
      expect(await unreachableConversations()).toEqual([]);
    },
  );

  it("when the person writes, or the app is added again, then messages are sent again", async () => {
    const target = await use.conversation();
    for (const reopen of [() => use.received({ text: "hello" }), () => use.teams.install("add")]) {
      use.teams.fault = teamsFaults.blocked;
      await isRefused(target, /^blocked:/);
      use.teams.recover();
      await reopen();
      await deliver(target, "welcome");
    }
    expect(use.teams.api.posts.items).toHaveLength(2);
  });

  it("when a person requests a retry, then Teams is called at once (D6)", async () => {
    const target = await use.conversation();
    use.teams.fault = teamsFaults.disabled;
    await isRefused(target, /^disabled:/);
    await isRefused(target, /^disabled:/, { byHand: true });
    use.teams.recover();
    await deliver(target, "an answer", { byHand: true });
    expect(sends()).toHaveLength(3);
  });

  it("when operators list unreachable conversations, then each has its account, since when and until when", async () => {
    await use.conversation({ conversationType: "groupChat" });
    await use.teams.install("remove", { conversationType: "groupChat" });
    const target = await use.conversation();
    use.teams.fault = teamsFaults.blocked;
    await isRefused(target, /^blocked:/);
    const listed = (await unreachableConversations()).sort((one, other) => (one.state < other.state ? -1 : 1));
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
        reason: expect.stringContaining("must be added again"),
        since: expect.any(String),
      },
    ]);
  });

  it("when the reach state cannot be stored, then the outcome of the delivery is unchanged", async () => {
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

describe("given failing calls to Teams", () => {
  it.each<[string, TeamsFault, Record<string, unknown>]>([
    ["limits the rate", teamsFaults.rateLimited, { reason: "rate-limited", retryAfterMs: 2_000 }],
    ["limits the rate without a delay", { status: 429 }, { reason: "rate-limited", retryAfterMs: 5_000 }],
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
    ["has another call in progress", teamsFaults.busy, { reason: "unavailable" }],
    ["is unavailable", teamsFaults.unavailable, { reason: "unavailable" }],
    ["fails", teamsFaults.failed, { reason: "unknown" }],
    ["has a bad gateway", { status: 502 }, { reason: "unknown" }],
    ["times out", { status: 504 }, { reason: "unknown" }],
    ["finds it too large", { status: 413, code: "MessageSizeTooBig" }, { reason: "rejected" }],
    [
      "refuses it",
      { status: 400, code: "BadSyntax" },
      { reason: "rejected", message: expect.stringContaining("BadSyntax") },
    ],
    ["cuts the connection", "cut-after-accept", { reason: "unknown" }],
  ])("when it %s, then it is called once, and the failure has the matching reason", async (_, fault, expected) => {
    const target = await use.conversation();
    use.teams.fault = fault;
    const failure = await failureOf(deliver(target));
    expect(failure).toBeInstanceOf(DeliveryFailed);
    expect(failure).toMatchObject(expected);
    expect(sends()).toHaveLength(1);
  });

  it("when it redirects, then the redirect is not followed, because the token is for this address", async () => {
    const target = await use.conversation();
    use.teams.fault = { status: 307, headers: { location: `${use.teams.origin}/elsewhere` } };
    expect(await failureOf(deliver(target))).toMatchObject({ reason: "rejected" });
    expect(use.teams.requests.at(-1)).not.toContain("/elsewhere");
  });

  it("when the store is unavailable, then the failure says that nothing was sent", async () => {
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

  it("when many answers are sent at once, then it is requested once", async () => {
    const target = await use.conversation();
    await Promise.all(["a", "b", "c"].map((text) => deliver(target, text)));
    expect(tokenRequests()).toHaveLength(1);
  });

  it("when Teams rejects it, then the next attempt has a new one", async () => {
    const target = await use.conversation();
    await deliver(target, "before");
    use.teams.signIn.revokeAll();
    expect(await failureOf(deliver(target, "between"))).toMatchObject({ reason: "unavailable" });
    await deliver(target, "after");
    expect(tokenRequests()).toHaveLength(2);
  });

  it("when the sign-in refuses the bot at start, then health reports the reason before the first delivery (F33)", async () => {
    use.teams.signIn.error = 7_000_222;
    await use.start();
    await vi.waitUntil(() => !use.adapter.health().ok);
    expect(use.adapter.health()).toMatchObject({ ok: false, reason: expect.stringContaining("expired") });
    expect(await use.conversation()).toMatchObject({ channel: "teams" });
  });

  it("when there is none, then answers wait, and health reports the reason", async () => {
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
