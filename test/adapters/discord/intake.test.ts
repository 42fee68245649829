import { describe, expect, it } from "vitest";
import { AppError } from "../../../core/contract/app-error.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { DiscordUnderTest } from "./discord-under-test.ts";

const test = new DiscordUnderTest();

/** Messages of one channel arrive in order: once the second is there, the first will not arrive. */
const receivedLast = async (text = "the end") => {
  test.discord.say({ person: "ann", in: test.room, text, mention: true });
  const messages = await test.inbox.accepted.until((items) => items.at(-1)?.text === text);
  return messages.slice(0, -1);
};

describe("given messages in a server (C2)", () => {
  it("when the bot is mentioned, then the text arrives without the mention, with its conversation", async () => {
    await test.start();
    const said = test.discord.say({ person: "ann", in: test.room, text: "what is new?", mention: true });
    const [message] = await test.inbox.accepted.count(1);
    expect(message).toMatchObject({
      id: `discord:${said.id}`,
      text: "what is new?",
      conversation: test.inRoom,
      account: { id: test.discord.world.person("ann").id, name: "ann" },
      link: `https://discord.com/channels/${test.guild.id}/${test.room.id}/${said.id}`,
    });
    expect(message).not.toHaveProperty("command");
  });

  it("when the bot is not mentioned, then the message is ignored, and the intent is not requested", async () => {
    await test.start();
    test.discord.say({ person: "ann", in: test.room, text: "among ourselves" });
    expect(await receivedLast()).toEqual([]);
    expect(test.discord.gateway.identifies).toMatchObject([{ intents: 4609 }]);
  });

  it("when mentionOnly is false, then every message arrives, and the intent is requested", async () => {
    await test.start({ access: { guilds: "*", mentionOnly: false } });
    test.discord.say({ person: "ann", in: test.room, text: "among ourselves" });
    await test.inbox.accepted.count(1);
    expect(test.texts).toEqual(["among ourselves"]);
    expect(test.discord.gateway.identifies).toMatchObject([{ intents: 37_377 }]);
  });

  it("when a message answers the bot's message, then it arrives with the answered message (O14)", async () => {
    await test.start({ access: { guilds: "*", mentionOnly: false } });
    const { discord, room } = test;
    const own = discord.write({ person: "ann", in: room, text: "answer", more: { author: discord.world.bot } });
    discord.say({ person: "ann", in: room, text: "and now?", answers: own });
    const [message] = await test.inbox.accepted.count(1);
    expect(message).toMatchObject({ text: "and now?", replyTo: own.id });
  });

  it("when it is in a thread, then the thread is the conversation, and its first message is answered (O14)", async () => {
    const { world } = test.discord;
    const starter = test.discord.write({ person: "ann", in: test.room, text: "topic" });
    const known = world.addThread(test.room, starter.id);
    await test.start();
    const laterOn = world.addThread(test.room);
    for (const thread of [known, laterOn]) {
      test.discord.say({ person: "ann", in: thread, text: "hello", mention: true });
    }
    const messages = await test.inbox.accepted.count(2);
    const conversations = [known, laterOn].map(({ id }) => ({ ...test.inRoom, thread: id }));
    expect(messages.map(({ conversation }) => conversation)).toEqual(expect.arrayContaining(conversations));
    expect(messages.find(({ conversation }) => conversation.thread === starter.id)?.replyTo).toBe(starter.id);
  });

  it("when it is in a private thread, then that is a separate room, known before or not (D3)", async () => {
    const { world } = test.discord;
    const known = world.addPrivateThread(test.room);
    await test.start();
    const laterOn = world.addPrivateThread(test.room);
    for (const thread of [known, laterOn]) {
      test.discord.say({ person: "ann", in: thread, text: "hello", mention: true });
    }
    const messages = await test.inbox.accepted.count(2);
    const conversations = [known, laterOn].map(({ id }) => ({ ...test.inRoom, room: id }));
    expect(messages.map(({ conversation }) => conversation)).toEqual(expect.arrayContaining(conversations));
    for (const { conversation, link, replyTo } of messages) {
      expect(link).toContain(`/channels/${test.guild.id}/${conversation.room}/`);
      expect([conversation.thread, replyTo]).toEqual([undefined, undefined]);
    }
  });

  it("when others are mentioned too, then their mentions become names", async () => {
    await test.start();
    const bob = test.discord.world.person("bob");
    const { bot } = test.discord.world;
    const more = { content: `<@!${bot.id}> ask <@${bob.id}> and <@1> <@${bot.id}>`, mentions: [bot, bob] };
    test.discord.say({ person: "ann", in: test.room, text: "", more });
    const [message] = await test.inbox.accepted.count(1);
    expect(message?.text).toBe("ask @bob and <@1>");
  });

  it("when there is only the mention, then it is the help command", async () => {
    await test.start();
    test.discord.say({ person: "ann", in: test.room, text: "", mention: true });
    const [message] = await test.inbox.accepted.count(1);
    expect(message).toMatchObject({ command: { name: "help", args: "" } });
  });

  it("when a command is typed as text, then it is a command (I3)", async () => {
    await test.start();
    test.discord.say({ person: "ann", in: test.dm, text: "/cancel subtask-1a2b3c4d" });
    const [message] = await test.inbox.accepted.count(1);
    expect(message).toMatchObject({ command: { name: "cancel", args: "subtask-1a2b3c4d" } });
  });

  it("when files are attached, then they can be fetched, up to a size", async () => {
    const adapter = await test.start();
    const files = [{ name: "list.txt", bytes: Buffer.from("rope, anchor") }];
    const said = test.discord.say({ person: "ann", in: test.dm, text: "", files });
    const [message] = await test.inbox.accepted.count(1);
    const attachment = message?.attachments[0] ?? { id: "", name: "", mediaType: "" };
    expect(attachment).toMatchObject({ name: "list.txt", mediaType: "text/plain", bytes: 12 });
    expect(String(await adapter.fetchAttachment(attachment, 12))).toBe("rope, anchor");
    await expect(adapter.fetchAttachment(attachment, 11)).rejects.toMatchObject({ code: "too-large" });
    test.discord.world.remove(said.id);
    await expect(adapter.fetchAttachment(attachment, 12)).rejects.toMatchObject({ code: "not-found" });
    await expect(adapter.fetchAttachment({ ...attachment, id: "../secret" }, 12)).rejects.toMatchObject({
      code: "bad-input",
    });
  });

  it("when an attachment's address leads elsewhere, then it is not followed", async () => {
    const adapter = await test.start();
    const more = { attachments: [{ id: "123456789012345678", filename: "a", url: "http://127.0.0.2:1/secret" }] };
    test.discord.say({ person: "ann", in: test.dm, text: "see", more });
    const [message] = await test.inbox.accepted.count(1);
    const attachment = message?.attachments[0] ?? { id: "", name: "", mediaType: "" };
    await expect(adapter.fetchAttachment(attachment, 12)).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("given messages that are not from people", () => {
  it.each([
    ["another bot's", { author: { id: "123456789012345678", username: "other", global_name: "other", bot: true } }],
    ["a webhook's", { webhook_id: "123456789012345678" }],
    ["a join", { type: 7 }],
    ["a pin", { type: 6 }],
    ["without an author", { author: undefined }],
    ["with a broken time", { timestamp: "yesterday" }],
    ["with malformed text", { content: { a: 1 } }],
    ["with a broken id", { id: "x" }],
    ["in an unknown channel", { channel_id: "999999999999999999" }],
    ["in a channel of another server", { guild_id: "888888888888888888" }],
  ])("when one arrives (%s), then it is ignored, and the next message arrives", async (_, more) => {
    await test.start();
    const broken = { person: "ann", in: test.room, text: "not for you", mention: true, more: more as object };
    test.discord.say(broken);
    await receivedLast();
    expect(test.texts).toEqual(["the end"]);
  });

  it("when embeds are very large, then they are ignored", async () => {
    await test.start();
    const embeds = [{ description: "x".repeat(500_000) }];
    test.discord.say({ person: "ann", in: test.room, text: "look", mention: true, more: { embeds } as object });
    await test.inbox.accepted.count(1);
    expect(test.texts).toEqual(["look"]);
  });

  it("when the bot's own posts arrive, then they are ignored", async () => {
    const adapter = await test.start();
    await adapter.deliver(sampleDelivery("r1", test.inPrivate, "hello yourself"));
    await test.receivedInPrivate("hello");
    expect(test.texts).toEqual(["hello"]);
  });
});

describe("given access rules (I2)", () => {
  it("when a server or room is not configured, then its messages are ignored", async () => {
    const { world } = test.discord;
    const otherRoom = world.addRoom(test.guild);
    const elsewhere = world.addRoom(world.addGuild("another"));
    await test.start({ access: { guilds: [test.guild.id], rooms: [test.room.id] } });
    const thread = world.addThread(test.room);
    for (const channel of [otherRoom, elsewhere, thread]) {
      test.discord.say({ person: "ann", in: channel, text: `in ${channel.id}`, mention: true });
    }
    await test.inbox.accepted.until((items) => items.some(({ text }) => text === `in ${thread.id}`));
    await test.receivedInPrivate("the end");
    expect(test.texts).toEqual([`in ${thread.id}`, "the end"]);
  });

  it("when a room is configured, then its private threads are not: each must be configured itself (D3)", async () => {
    const { world } = test.discord;
    const [named, other] = [world.addPrivateThread(test.room), world.addPrivateThread(test.room)];
    await test.start({ access: { guilds: [test.guild.id], rooms: [test.room.id, named.id] } });
    for (const channel of [other, named, test.room]) {
      test.discord.say({ person: "ann", in: channel, text: `in ${channel.id}`, mention: true });
    }
    await test.inbox.accepted.count(2);
    await test.receivedInPrivate("the end");
    expect(test.texts.sort()).toEqual([`in ${named.id}`, `in ${test.room.id}`, "the end"].sort());
  });

  it("when a person of another server writes in private, then the message is refused with one notice", async () => {
    await test.start({ access: { guilds: [test.guild.id] } });
    const stranger = test.discord.world.person("stranger");
    test.guild.members.delete(stranger.id);
    const door = test.discord.world.privateChannel(stranger);
    test.discord.say({ person: "stranger", in: door, text: "let me in" });
    await test.discord.untilPosted(1);
    test.discord.say({ person: "stranger", in: door, text: "please" });
    await test.receivedInPrivate("the end");
    expect(test.texts).toEqual(["the end"]);
    expect(test.discord.posted).toMatchObject([
      { channel_id: door.id, content: expect.stringContaining("ask its operator") },
    ]);
  });

  it("when an answer is sent, then membership in a configured server is checked again", async () => {
    const { world } = test.discord;
    const [ann, gone] = [world.person("ann"), world.person("gone")];
    test.guild.members.delete(gone.id);
    const adapter = await test.start({ access: { guilds: [test.guild.id] } });
    const dm = { channel: "discord", room: test.dm.id, kind: "private" } as const;
    expect(await adapter.isMember(dm, ann.id)).toBe(true);
    expect(await adapter.isMember(dm, gone.id)).toBe(false);
  });

  it("when a person has left the server since the question, then nothing more is shown, at once (D3, I2)", async () => {
    const ann = test.discord.world.person("ann");
    const adapter = await test.start({ access: { guilds: [test.guild.id] } });
    const { conversation } = await test.receivedInPrivate("hello");
    test.guild.members.delete(ann.id);
    const asked = () => test.discord.rest.calls.items.filter(({ path }) => path.includes("/members/")).length;
    const before = asked();
    const items = await Promise.all(Array.from({ length: 20 }, () => adapter.isMember(conversation, ann.id)));
    expect(items).toEqual(items.map(() => false));
    expect(asked()).toBe(before + 1);
    test.discord.say({ person: "ann", in: test.dm, text: "still here" });
    await test.discord.untilPosted(1);
    expect(test.texts).toEqual(["hello"]);
  });

  it("when accounts are configured, then private messages need no server", async () => {
    const ann = test.discord.world.person("ann");
    test.guild.members.delete(ann.id);
    await test.start({ access: { accounts: [ann.id] } });
    await test.receivedInPrivate("hello");
  });

  it("when the inbox refuses, then the person gets the reason once, and the next message is offered", async () => {
    await test.start();
    test.inbox.refuseNext(new AppError("rate-limited", "more than 2 messages in a minute: wait a little"));
    test.discord.say({ person: "ann", in: test.dm, text: "too much" });
    const [notice] = await test.discord.untilPosted(1);
    expect(notice).toMatchObject({ channel_id: test.dm.id, content: expect.stringContaining("wait a little") });
    await test.receivedInPrivate("later");
    expect(test.texts).toEqual(["later"]);
    expect(test.inbox.offered.items).toHaveLength(2);
  });

  it("when the inbox is unavailable for a while, then messages of a channel wait, in order", async () => {
    await test.start();
    test.inbox.refuseNext(new AppError("unavailable", "the store is away"));
    for (const text of ["one", "two", "three"]) test.discord.say({ person: "ann", in: test.dm, text });
    await test.inbox.accepted.count(3);
    expect(test.texts).toEqual(["one", "two", "three"]);
  });
});
