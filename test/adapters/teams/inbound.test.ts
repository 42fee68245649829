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
  it("when somebody writes in private, then it is private, and says who, when and in which zone", async () => {
    expect(await use.heard({ text: "hello", id: "17" })).toMatchObject({
      id: "teams:a:chat-with-ann:17",
      messageId: "17",
      conversation: { channel: "teams", room: "a:chat-with-ann", kind: "private" },
      account: { id: objectIdOf("ann"), name: "ann Example", locale: "en-GB", timeZone: "Europe/Berlin" },
      text: "hello",
      attachments: [],
      sentAt: "2026-01-02T03:04:05.678Z",
    });
  });

  it("when somebody writes in a group chat, then it is shared, and has a link", async () => {
    const message = await use.heard({ text: "hello", place: "groupChat", id: "17" });
    expect(message.conversation).toEqual({ channel: "teams", room: GROUP_ROOM, kind: "shared" });
    expect(message.link).toMatch(/^https:\/\/teams\.microsoft\.com\/l\/message\/19%3Asailors%40thread\.v2\/17\?/);
  });

  it("when somebody begins a thread in a channel, then the thread is the conversation", async () => {
    const message = await use.heard({ text: "hello", place: "channel", id: "17" });
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

  it("when somebody answers in a thread, then it is an answer to the message it hangs on (O14)", async () => {
    const message = await use.heard({ text: "and?", place: "channel", thread: "17", id: "18" });
    expect(message).toMatchObject({ conversation: { thread: "17" }, replyTo: "17" });
  });

  it("when a client leaves the kind out, then only what is certainly private is", async () => {
    const kindOf = async (id: string) =>
      (await use.heard({ text: "x", mention: true, more: { conversation: { id } } })).conversation.kind;
    expect(await kindOf("a:1")).toBe("private");
    expect(await kindOf("19:x@thread.v2")).toBe("shared");
    expect(await kindOf("19:x@thread.tacv2;messageid=1")).toBe("shared");
  });
});

describe("given what a message holds", () => {
  it("when the bot is mentioned, more than once, then its name is not part of the text", async () => {
    const at = "<at>Mooring</at>";
    const text = `${at} what about&nbsp; ${at}&nbsp;5 &lt; 6 &amp;amp; <at>Bob $&</at>?`;
    const bob = { type: "mention", text: "<at>Bob $&</at>", mentioned: { id: "29:bob", name: "Bob $&" } };
    const us = { type: "mention", text: at, mentioned: { id: `28:${use.teams.appId}`, name: "Mooring" } };
    const message = await use.heard({ place: "groupChat", more: { text, entities: [us, us, bob] } });
    expect(message.text).toBe("what about 5 < 6 &amp; @Bob $&?");
  });

  it("when it has files and pictures, then they are attachments; its copy as HTML is none", async () => {
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
    const message = await use.heard({ text: "see", more: { attachments } });
    expect(message.attachments).toMatchObject([
      { id: "u-1", name: "plan.pdf", mediaType: "application/pdf" },
      { name: "image", mediaType: "image/png" },
    ]);
  });

  it("when it quotes a message, then it answers that one", async () => {
    const content =
      '<blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="1699"><p>old</p></blockquote><p>new</p>';
    const message = await use.heard({ text: "new", more: { attachments: [{ contentType: "text/html", content }] } });
    expect(message.replyTo).toBe("1699");
  });

  it("when it begins with a slash, then it is a command, in rooms too (I3)", async () => {
    expect(commandIn(await use.heard({ text: "/cancel subtask-1" }))).toEqual({ name: "cancel", args: "subtask-1" });
    expect(commandIn(await use.heard({ text: "/help", place: "channel" }))).toEqual({ name: "help", args: "" });
    expect(commandIn(await use.heard({ text: "help me" }))).toBeUndefined();
  });

  it("when a button of ours is pressed, then it is its command, and answers its card", async () => {
    const value = { mooring: { command: "why", args: "r-1" } };
    const more = { text: undefined, value, replyToId: "1700" };
    const message = await use.heard({ place: "channel", mention: false, more });
    expect(message).toMatchObject({ command: { name: "why", args: "r-1" }, replyTo: "1700", text: "/why r-1" });
  });

  it("when another app's card was filled in, or nothing was said, then it is no message", async () => {
    await ignored({ more: { text: "", value: { other: 1 } } });
    await ignored({ text: "  " });
  });
});

describe("given a message that its writer changes", () => {
  const edit = (text: string, more: Partial<Said> = {}) =>
    use.teams.say({ text, id: "17", ...more, more: { type: "messageUpdate" } });

  it("when Teams tells of it, then it is the same message, with other words", async () => {
    const first = ofKind(await use.heard({ text: "see you at nine", id: "17", place: "groupChat" }), "message");
    await edit("see you at ten", { place: "groupChat" });
    const [, second] = await use.inbox.accepted.count(2);
    const { editable, ...same } = first;
    expect(second).toEqual({ ...same, kind: "edit", text: "see you at ten", traceId: expect.any(String) });
    expect(editable).toBe(true);
  });

  it("when it becomes a command, or no longer mentions the agent, then that is nothing", async () => {
    expect(await edit("/new")).toBe(200);
    expect(await edit("lunch?", { place: "groupChat", mention: false })).toBe(200);
    expect(use.inbox.offered.items).toEqual([]);
  });

  it("when it is not taken, then nobody is bothered with it", async () => {
    use.inbox.refuseNext(new AppError("forbidden", "ask for access"));
    expect(await edit("see you at ten")).toBe(200);
    await use.adapter.stop();
    expect(use.teams.api.posts.items).toEqual([]);
  });
});

describe("given what is not meant for the agent", () => {
  it("when nobody mentions it in a room, then it does not listen, unless it is told to", async () => {
    await ignored({ text: "lunch?", place: "channel", mention: false });
    await use.start({ access: { mentionOnly: false } });
    expect((await use.heard({ text: "lunch?", place: "channel", mention: false })).text).toBe("lunch?");
  });

  it("when a bot writes, then it is not heard", async () => {
    await ignored({ text: "loop", more: { from: { id: "28:other", name: "Other bot" } } });
    await ignored({ text: "loop", more: { from: { id: "29:x", aadObjectId: "o", role: "bot" } } });
  });

  it.each(["messageDelete", "messageReaction", "typing", "event", "endOfConversation", "brandNew"])(
    "when it is a %s, then it is acknowledged and no message (F13)",
    async (type) => {
      await ignored({ text: "x", more: { type } });
    },
  );

  it("when it is an invoke of something we do not offer, then it says so", async () => {
    expect(await use.teams.say({ more: { type: "invoke", name: "composeExtension/query" } })).toBe(501);
  });
});

describe("given people who may not talk to the agent", () => {
  it("when they are not heard, then Teams is content, and they are told once", async () => {
    for (let n = 0; n < 3; n++) {
      use.inbox.refuseNext(new AppError("forbidden", "ask for access"));
      expect(await use.teams.say({ text: "hello" })).toBe(200);
    }
    const posts = await use.teams.api.posts.count(1);
    await use.adapter.stop();
    expect(posts).toMatchObject([{ activity: { text: expect.stringContaining("ask for access") } }]);
  });

  it.each(["forbidden", "rate-limited", "too-large", "bad-input"] as const)(
    "when a message is refused for good (%s), then Teams need not send it again, and who wrote it knows",
    async (code) => {
      use.inbox.refuseNext(new AppError(code, "it is no good"));
      expect(await use.teams.say({ text: "hello" })).toBe(200);
      const [post] = await use.teams.api.posts.count(1);
      expect(post?.activity.text).toContain("it is no good");
    },
  );

  it("when a message cannot be stored now, then Teams sends it again", async () => {
    use.inbox.refuseNext(new AppError("unavailable", "the store is away"));
    expect(await use.teams.say({ text: "hello", id: "17" })).toBe(503);
    expect(await use.teams.say({ text: "hello", id: "17" })).toBe(200);
    expect(use.inbox.accepted.items).toHaveLength(1);
  });

  it("when somebody has no account in the tenant, then they are not heard, unless accounts are listed", async () => {
    const from = { id: "29:anonymous", name: "Anonymous" };
    await ignored({ text: "hello", more: { from } });
    await use.start({ access: { accounts: ["29:anonymous"] } });
    expect((await use.heard({ text: "hello", more: { from } })).account.id).toBe("29:anonymous");
  });
});

describe("given activities in numbers", () => {
  it("when a person writes a lot, then what is known of them is written once", async () => {
    for (let n = 0; n < 5; n++) await use.heard({ text: `message ${n}` });
    expect(use.store.writes.sort()).toEqual(["teams-people", "teams-rooms"]);
  });

  it("when the store is away, then Teams is asked to send it again", async () => {
    use.store.before = () => {
      throw new AppError("unavailable", "the disk is full");
    };
    expect(await use.teams.say({ text: "hello" })).toBe(503);
    use.store.before = () => undefined;
    expect(await use.teams.send({ ...activityBy(use.teams, {}, "9"), type: "message", text: "hello" })).toBe(200);
  });
});
