import { describe, expect, it } from "vitest";
import { AppError } from "../../../core/contract/app-error.ts";
import { commandIn, ofKind } from "../../fakes/sample-message.ts";
import type { Said } from "../../fakes/teams/sent-activity.ts";
import {
  activityBy,
  CHANNEL_ROOM,
  GROUP_ID,
  GROUP_ROOM,
  objectIdOf,
  TEAM_ID,
} from "../../fakes/teams/sent-activity.ts";
import { TeamsUnderTest } from "./teams-under-test.ts";

const use = new TeamsUnderTest();
const ignored = async (said: Said) => {
  expect(await use.teams.say(said)).toBe(200);
  expect(use.inbox.offered.items).toEqual([]);
};

describe("given people in the three kinds of conversations (C4)", () => {
  it("when a person writes in private, then the message is private, with account, time and time zone", async () => {
    expect(await use.received({ text: "hello", id: "17" })).toMatchObject({
      id: "teams:a:chat-with-ann:17",
      messageId: "17",
      conversation: { channel: "teams", room: "a:chat-with-ann", kind: "private" },
      account: { id: objectIdOf("ann"), name: "ann Example", locale: "en-GB", timeZone: "Europe/Berlin" },
      text: "hello",
      attachments: [],
      sentAt: "2026-01-02T03:04:05.678Z",
    });
  });

  it("when a person writes in a group chat, then the message is shared, with a link", async () => {
    const message = await use.received({ text: "hello", conversationType: "groupChat", id: "17" });
    expect(message.conversation).toEqual({ channel: "teams", room: GROUP_ROOM, kind: "shared" });
    expect(message.link).toMatch(/^https:\/\/teams\.microsoft\.com\/l\/message\/19%3Asailors%40thread\.v2\/17\?/);
  });

  it("when a person starts a thread in a channel, then the thread is the conversation", async () => {
    const message = await use.received({ text: "hello", conversationType: "channel", id: "17" });
    expect(message.conversation).toEqual({
      channel: "teams",
      workspace: TEAM_ID,
      room: CHANNEL_ROOM,
      thread: "17",
      kind: "shared",
    });
    expect(message.replyTo).toBeUndefined();
    const link = new URL(message.link ?? "");
    expect(Object.fromEntries(link.searchParams)).toEqual({
      tenantId: use.teams.tenantId,
      groupId: GROUP_ID,
      parentMessageId: "17",
    });
  });

  it("when a person answers in a thread, then it answers the first message of the thread (O14)", async () => {
    const message = await use.received({ text: "and?", conversationType: "channel", thread: "17", id: "18" });
    expect(message).toMatchObject({ conversation: { thread: "17" }, replyTo: "17" });
  });

  it("when a client omits the kind, then only a certainly private conversation is private", async () => {
    const kindOf = async (id: string) =>
      (await use.received({ text: "x", mention: true, more: { conversation: { id } } })).conversation.kind;
    expect(await kindOf("a:1")).toBe("private");
    expect(await kindOf("19:x@thread.v2")).toBe("shared");
    expect(await kindOf("19:x@thread.tacv2;messageid=1")).toBe("shared");
  });
});

describe("given the content of a message", () => {
  it("when the bot is mentioned more than once, then its name is not part of the text", async () => {
    const at = "<at>Mooring</at>";
    const text = `${at} what about&nbsp; ${at}&nbsp;5 &lt; 6 &amp;amp; <at>Bob $&</at>?`;
    const bob = { type: "mention", text: "<at>Bob $&</at>", mentioned: { id: "29:bob", name: "Bob $&" } };
    const us = { type: "mention", text: at, mentioned: { id: `28:${use.teams.appId}`, name: "Mooring" } };
    const message = await use.received({ conversationType: "groupChat", more: { text, entities: [us, us, bob] } });
    expect(message.text).toBe("what about 5 < 6 &amp; @Bob $&?");
  });

  it("when it has files and pictures, then they are attachments; its HTML copy is not", async () => {
    const attachments = [
      { contentType: "text/html", content: "<div>see</div>" },
      {
        contentType: "application/vnd.microsoft.teams.file.download.info",
        name: "plan.pdf",
        content: { downloadUrl: `${use.teams.origin}/files/plan`, uniqueId: "u-1", fileType: "pdf" },
      },
      { contentType: "image/png", contentUrl: `${use.teams.serviceUrl}v3/attachments/1/views/original` },
      { contentType: "application/vnd.microsoft.card.adaptive", content: {} },
      { contentType: "application/vnd.microsoft.teams.file.download.info", content: "broken" },
    ];
    const message = await use.received({ text: "see", more: { attachments } });
    expect(message.attachments).toMatchObject([
      { id: "u-1", name: "plan.pdf", mediaType: "application/pdf" },
      { name: "image", mediaType: "image/png" },
    ]);
  });

  it("when it quotes a message, then it answers that one", async () => {
    const content =
      '<blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="1699"><p>old</p></blockquote><p>new</p>';
    const message = await use.received({ text: "new", more: { attachments: [{ contentType: "text/html", content }] } });
    expect(message).toMatchObject({ replyTo: "1699", quoted: { text: "old" } });
  });

  it("when the quote names its author, then the quote has the author and plain text (M1)", async () => {
    const quote =
      '<strong itemprop="mri" itemid="8:orgid:1">Bo &amp; Co</strong><span itemprop="time" itemid="1699"></span>' +
      '<p itemprop="preview">a &lt;b&gt;<br/>c</p>';
    const content = `<blockquote itemtype="http://schema.skype.com/Reply" itemid="1699">${quote}</blockquote><p>new</p>`;
    const message = await use.received({ text: "new", more: { attachments: [{ contentType: "text/html", content }] } });
    expect(message).toMatchObject({ quoted: { text: "a <b>\nc", author: "Bo & Co" } });
    const plain = [{ contentType: "text/html", content: "<p>no quote</p>" }];
    expect(await use.received({ text: "new", more: { attachments: plain } })).not.toHaveProperty("quoted");
  });

  it("when it begins with a slash, then it is a command, in rooms too (I3)", async () => {
    expect(commandIn(await use.received({ text: "/cancel subtask-1" }))).toEqual({ name: "cancel", args: "subtask-1" });
    expect(commandIn(await use.received({ text: "/help", conversationType: "channel" }))).toEqual({
      name: "help",
      args: "",
    });
    expect(commandIn(await use.received({ text: "help me" }))).toBeUndefined();
  });

  it("when our button is pressed, then it becomes the command, and answers its card", async () => {
    const value = { mooring: { command: "why", args: "r-1" } };
    const more = { text: undefined, value, replyToId: "1700" };
    const message = await use.received({ conversationType: "channel", mention: false, more });
    expect(message).toMatchObject({ command: { name: "why", args: "r-1" }, replyTo: "1700", text: "/why r-1" });
  });

  it("when it is the card of another app, or empty, then it is ignored", async () => {
    await ignored({ more: { text: "", value: { other: 1 } } });
    await ignored({ text: "  " });
  });
});

describe("given an edited message", () => {
  const edit = (text: string, more: Partial<Said> = {}) =>
    use.teams.say({ text, id: "17", ...more, more: { type: "messageUpdate" } });

  it("when Teams reports the edit, then it is the same message with the new text", async () => {
    const first = ofKind(
      await use.received({ text: "see you at nine", id: "17", conversationType: "groupChat" }),
      "message",
    );
    await edit("see you at ten", { conversationType: "groupChat" });
    const [, second] = await use.inbox.accepted.count(2);
    const { editable, ...same } = first;
    expect(second).toEqual({ ...same, kind: "edit", text: "see you at ten", traceId: expect.any(String) });
    expect(editable).toBe(true);
  });

  it("when it becomes a command, or no longer mentions the agent, then the edit is ignored", async () => {
    expect(await edit("/new")).toBe(200);
    expect(await edit("lunch?", { conversationType: "groupChat", mention: false })).toBe(200);
    expect(use.inbox.offered.items).toEqual([]);
  });

  it("when the inbox refuses it, then the person gets no notice", async () => {
    use.inbox.refuseNext(new AppError("forbidden", "ask for access"));
    expect(await edit("see you at ten")).toBe(200);
    await use.adapter.stop();
    expect(use.teams.api.posts.items).toEqual([]);
  });
});

describe("given activities that do not address the agent", () => {
  it("when a message does not mention it in a room, then it is ignored, unless mentionOnly is false", async () => {
    await ignored({ text: "lunch?", conversationType: "channel", mention: false });
    await use.start({ access: { mentionOnly: false } });
    expect((await use.received({ text: "lunch?", conversationType: "channel", mention: false })).text).toBe("lunch?");
  });

  it("when a bot writes, then the message is ignored", async () => {
    await ignored({ text: "loop", more: { from: { id: "28:other", name: "Other bot" } } });
    await ignored({ text: "loop", more: { from: { id: "29:x", aadObjectId: "o", role: "bot" } } });
  });

  it.each(["messageDelete", "messageReaction", "typing", "event", "endOfConversation", "brandNew"])(
    "when it is a %s, then it is acknowledged and ignored (F13)",
    async (type) => {
      await ignored({ text: "x", more: { type } });
    },
  );

  it("when it is an unsupported invoke, then the response says so", async () => {
    expect(await use.teams.say({ more: { type: "invoke", name: "composeExtension/query" } })).toBe(501);
  });
});

describe("given people without access", () => {
  it("when they write, then the message is acknowledged, and they get one notice", async () => {
    for (let n = 0; n < 3; n++) {
      use.inbox.refuseNext(new AppError("forbidden", "ask for access"));
      expect(await use.teams.say({ text: "hello" })).toBe(200);
    }
    const posts = await use.teams.api.posts.count(1);
    await use.adapter.stop();
    expect(posts).toMatchObject([{ activity: { text: expect.stringContaining("ask for access") } }]);
  });

  it.each(["forbidden", "rate-limited", "too-large", "bad-input"] as const)(
    "when a message is refused permanently (%s), then Teams does not retry, and its author gets the reason",
    async (code) => {
      use.inbox.refuseNext(new AppError(code, "it is no good"));
      expect(await use.teams.say({ text: "hello" })).toBe(200);
      const [post] = await use.teams.api.posts.count(1);
      expect(post?.activity.text).toContain("it is no good");
    },
  );

  it("when a message cannot be stored now, then Teams retries it", async () => {
    use.inbox.refuseNext(new AppError("unavailable", "the store is away"));
    expect(await use.teams.say({ text: "hello", id: "17" })).toBe(503);
    expect(await use.teams.say({ text: "hello", id: "17" })).toBe(200);
    expect(use.inbox.accepted.items).toHaveLength(1);
  });

  it("when the author has no account in the tenant, then the message is refused, unless accounts are configured", async () => {
    const from = { id: "29:anonymous", name: "Anonymous" };
    await ignored({ text: "hello", more: { from } });
    await use.start({ access: { accounts: ["29:anonymous"] } });
    expect((await use.received({ text: "hello", more: { from } })).account.id).toBe("29:anonymous");
  });
});

describe("given many activities", () => {
  it("when a person writes often, then the references are stored once", async () => {
    for (let n = 0; n < 5; n++) await use.received({ text: `message ${n}` });
    expect(use.store.writes.sort()).toEqual(["teams-people", "teams-rooms"]);
  });

  it("when the store is unavailable, then Teams retries", async () => {
    use.store.before = () => {
      throw new AppError("unavailable", "the disk is full");
    };
    expect(await use.teams.say({ text: "hello" })).toBe(503);
    use.store.before = () => undefined;
    expect(await use.teams.send({ ...activityBy(use.teams, {}, "9"), type: "message", text: "hello" })).toBe(200);
  });
});
