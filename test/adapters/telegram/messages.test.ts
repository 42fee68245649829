import { describe, expect, it } from "vitest";
import { toUserMessage } from "../../../adapters/telegram/inbound.ts";
import { TelegramMessage } from "../../../adapters/telegram/payload.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { runningTelegram } from "./running-telegram.ts";

describe("given people in Telegram (C8)", () => {
  it("when they use commands, then the bot's name is not part of them, and /start shows the help", async () => {
    const { telegram, inbox } = await runningTelegram();
    const { world } = telegram;
    const ann = world.privateChat("ann");
    await telegram.say({ person: "ann", in: ann, text: "/start" });
    await telegram.say({ person: "ann", in: world.group, text: "/cancel@mooring_bot task 7" });
    await telegram.say({ person: "ann", in: world.group, text: "/cancel@other_bot task 7" });
    await telegram.say({ person: "ann", in: world.group, text: "/cancel task 7" });
    await telegram.say({ person: "ann", in: world.group, text: "@mooring_bot" });
    expect(inbox.accepted.items).toMatchObject([
      { kind: "command", command: { name: "help", args: "" } },
      { kind: "command", command: { name: "cancel", args: "task 7" }, text: "/cancel task 7" },
      { kind: "command", command: { name: "help", args: "" } },
    ]);
  });

  it("when they mention the bot within a text, then only mentions at its ends are removed", async () => {
    const { telegram, inbox } = await runningTelegram();
    const { group } = telegram.world;
    for (const text of [
      "hey @mooring_bot look",
      "@Mooring_Bot @mooring_bot look",
      "look @mooring_bot",
      "mail a@mooring_bot",
    ]) {
      await telegram.say({ person: "ann", in: group, text });
    }
    expect(inbox.accepted.items.map(({ text }) => text)).toEqual(["hey @mooring_bot look", "look", "look"]);
  });

  it("when they answer a message, or a part of it, then the quote has its text, author and time (M1)", () => {
    const bot = { id: 99, username: "mooring_bot" };
    const from = { id: 7, is_bot: false, first_name: "Ann" };
    const answered = { message_id: 4, from, date: 1_773_176_400, text: "ship it today" };
    const told = (more: object) => {
      const chat = { id: 7, type: "private" };
      const message = { message_id: 5, date: 1_773_176_445, chat, from, text: "why?", ...more };
      const context = { channel: "telegram", tenant: "default", agent: "mooring", newId: () => "trace" };
      return toUserMessage([TelegramMessage.parse(message)], bot as never, context as never);
    };
    const quoted = { text: "ship it today", author: "Ann", at: "2026-03-10T21:00:00.000Z" };
    expect(told({ reply_to_message: answered })).toMatchObject({ quoted });
    expect(told({ reply_to_message: answered, quote: { text: "ship" } })).toMatchObject({ quoted: { text: "ship" } });
    expect(told({ reply_to_message: { ...answered, from: { ...from, id: 99 } } })).toMatchObject({
      quoted: { isOwn: true },
    });
    for (const reply_to_message of [undefined, { message_id: 4 }, { ...answered, text: 7 }]) {
      expect(told({ reply_to_message })).not.toHaveProperty("quoted");
    }
  });

  it("when they write in a topic, then it is a thread, and its first message is not an answer to the bot", async () => {
    const { telegram, inbox } = await runningTelegram();
    const { group } = telegram.world;
    await telegram.say({ person: "ann", in: group, text: "unmentioned", topic: 901 });
    await telegram.say({ person: "ann", in: group, text: "hello", topic: 901, mention: true });
    expect(inbox.accepted.items).toMatchObject([
      { text: "hello", conversation: { room: String(group.id), thread: "901", kind: "shared" } },
    ]);
    expect(inbox.accepted.items[0]?.replyTo).toBeUndefined();
    expect(inbox.accepted.items[0]?.link).toMatch(/^https:\/\/t\.me\/c\/1000000001\/901\/\d+$/);
  });

  it("when a channel or an anonymous administrator writes, then the agent does not get it", async () => {
    const { telegram, inbox } = await runningTelegram();
    const { group } = telegram.world;
    await telegram.say({ person: "ann", in: group, text: "news", mention: true, more: { sender_chat: { id: -100 } } });
    await telegram.say({ person: "ann", in: group, text: "hello", mention: true });
    expect(inbox.offered.items.map(({ text }) => text)).toEqual(["hello"]);
  });

  it("when access names only rooms, then private messages are refused, with the id of the account", async () => {
    const { telegram, inbox, adapter } = await runningTelegram({ settings: { access: { rooms: "*" } } });
    const ann = telegram.world.privateChat("ann");
    await telegram.say({ person: "ann", in: ann, text: "hello" });
    await telegram.untilPosted(1);
    expect(telegram.posted[0]?.text).toContain(`name your id: ${ann.id}`);
    expect(inbox.offered.items).toEqual([]);
    expect(await adapter.isMember()).toBe(false);
  });

  it("when an update is unreadable, then those behind it arrive, and it is confirmed", async () => {
    const { telegram, inbox } = await runningTelegram();
    const odd = [{ message: { text: 7 } }, { message: "x" }, { poll: {} }, { callback_query: { id: 1 } }];
    await telegram.updates.queue(odd.map((each) => telegram.updates.number(each)));
    await telegram.say({ person: "ann", in: telegram.world.privateChat("ann"), text: "hello" });
    expect(inbox.offered.items.map(({ text }) => text)).toEqual(["hello"]);
  });

  it("when the second of three messages cannot be stored, then only the first one is confirmed, and all arrive in order", async () => {
    const { telegram, inbox } = await runningTelegram();
    const ann = telegram.world.privateChat("ann");
    const release = inbox.holdNext();
    const said = ["one", "two", "three"].map((text) => telegram.say({ person: "ann", in: ann, text }));
    await inbox.offered.count(1);
    inbox.refuseNext(new AppError("unavailable", "the store is away"));
    release();
    await Promise.all(said);
    expect(inbox.offered.items.map(({ text }) => text)).toEqual(["one", "two", "two", "three"]);
    const offsets = telegram.calls.items.filter(({ method }) => method === "getUpdates").map(({ body }) => body.offset);
    expect(offsets.slice(-2)).toEqual([502, 504]);
  });
});
