import { describe, expect, it } from "vitest";
import {
  accountOf,
  interactionMessage,
  isAddressed,
  isFromPerson,
  isInteractionMessageId,
  toUserMessage,
} from "../../../adapters/discord/inbound.ts";
import { DiscordInteraction, DiscordMessage } from "../../../adapters/discord/payload.ts";
import { pressedAction, renderActions } from "../../../adapters/discord/render.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { commandIn } from "../../fakes/sample-message.ts";

const BOT = "99";
const AT = "2026-03-10T21:00:00.000Z";
const ann = { id: "7", username: "ann", global_name: "Ann" };
const bot = { id: BOT, username: "mooring", bot: true };
const context = { channel: "discord", tenant: "default", agent: "mooring", newId: () => "trace" };
const room: Conversation = { channel: "discord", workspace: "1", room: "2", kind: "shared" };
const message = (content: string, more: object = {}): DiscordMessage =>
  DiscordMessage.parse({ id: "5", channel_id: "2", type: 0, author: ann, content, timestamp: AT, ...more });
const said = (content: string, more: object = {}, conversation = room) =>
  toUserMessage(message(content, more), conversation, BOT, context);

describe("given a message event of Discord", () => {
  it("then messages of people are distinguished from those of bots, webhooks and the platform", () => {
    expect(isFromPerson(message("x"))).toBe(true);
    expect(isFromPerson(message("x", { type: 19 }))).toBe(true);
    expect(isFromPerson(message("x", { type: 7 }))).toBe(false);
    expect(isFromPerson(message("x", { author: bot }))).toBe(false);
    expect(isFromPerson(message("x", { webhook_id: "8" }))).toBe(false);
  });

  it("then it addresses the bot if it mentions the bot, or answers it with text or files", () => {
    const answers = { type: 19, referenced_message: { author: { id: BOT } } };
    const files = [{ id: "6", filename: "a.txt" }];
    expect(isAddressed(message("x"), BOT)).toBe(false);
    expect(isAddressed(message("", { mentions: [ann, bot] }), BOT)).toBe(true);
    expect(isAddressed(message("x", { mentions: [ann] }), BOT)).toBe(false);
    expect(isAddressed(message("x", answers), BOT)).toBe(true);
    expect(isAddressed(message("", answers), BOT)).toBe(false);
    expect(isAddressed(message("", { ...answers, attachments: files }), BOT)).toBe(true);
    expect(isAddressed(message("x", { ...answers, type: 0 }), BOT)).toBe(false);
    expect(isAddressed(message("x", { type: 19, referenced_message: { author: { id: "7" } } }), BOT)).toBe(false);
    expect(isAddressed(message("x", { type: 19 }), BOT)).toBe(false);
  });

  it("then it becomes a message with its link", () => {
    expect(said("hello")).toStrictEqual({
      kind: "message",
      id: "discord:5",
      tenant: "default",
      agent: "mooring",
      conversation: room,
      account: { id: "7", name: "Ann" },
      text: "hello",
      attachments: [],
      messageId: "5",
      link: "https://discord.com/channels/1/2/5",
      sentAt: AT,
      traceId: "trace",
    });
  });

  it("then mentions become names, and the mention of the bot is removed", () => {
    const mentions = [bot, ann, { id: "8", username: "bob" }];
    expect(said("<@99> <@!99> tell <@7> and <@!8> and <@4> <@99>", { mentions })?.text).toBe(
      "tell @Ann and @bob and <@4>",
    );
    expect(said("why <@99> and not you?", { mentions })?.text).toBe("why @mooring and not you?");
    expect(said("  hello  ")?.text).toBe("hello");
  });

  it("when it only mentions the bot, then it is the help command; when it is empty, then it is ignored", () => {
    expect(said("<@99>", { mentions: [bot] })).toMatchObject({ text: "", command: { name: "help", args: "" } });
    expect(said("")).toBeUndefined();
    expect(said("", { mentions: [ann] })).toBeUndefined();
    expect(commandIn(said("/status now"))).toEqual({ name: "status", args: "now" });
  });

  it("then its files become attachments, with ids that name their message", () => {
    const attachments = [
      { id: "6", filename: "a.txt", content_type: "text/plain", size: 3 },
      { id: "8", filename: "b" },
    ];
    expect(said("", { attachments })?.attachments).toStrictEqual([
      { id: "2/5/6", name: "a.txt", mediaType: "text/plain", bytes: 3 },
      { id: "2/5/8", name: "b", mediaType: "application/octet-stream" },
    ]);
    expect(said("", { attachments })).not.toHaveProperty("command");
  });

  it("then it answers the referenced message, else the first message of its thread", () => {
    const reference = { message_reference: { message_id: "4" } };
    expect(said("x", { type: 19, ...reference })?.replyTo).toBe("4");
    expect(said("x", reference)).not.toHaveProperty("replyTo");
    expect(said("x", { type: 19 })).not.toHaveProperty("replyTo");
    expect(said("x", {}, { ...room, thread: "3" })?.replyTo).toBe("3");
    expect(said("x", { type: 19, ...reference }, { ...room, thread: "3" })?.replyTo).toBe("4");
  });

  it("then a reply quotes the text, the author and the time of the other message (M1)", () => {
    const other = { author: ann, content: "ship it", timestamp: AT };
    const quoted = { text: "ship it", author: "Ann", at: AT };
    const reply = (referenced_message: unknown) => said("x", { type: 19, referenced_message });
    expect(reply(other)).toMatchObject({ quoted });
    expect(reply({ ...other, author: bot })).toMatchObject({ quoted: { author: "mooring", isOwn: true } });
    expect(reply({ ...other, timestamp: "?", content: "y".repeat(9_000) })).toMatchObject({
      quoted: { text: "y".repeat(4_000) },
    });
    for (const unusable of [null, { author: bot }, { ...other, content: 7 }]) {
      expect(reply(unusable)).not.toHaveProperty("quoted");
    }
    expect(said("x", { referenced_message: other })).not.toHaveProperty("quoted");
  });

  it("then its author has the name in that server, else the global name", () => {
    expect(said("x", { member: { nick: "Annie" } })?.account).toEqual({ id: "7", name: "Annie" });
    expect(accountOf(ann, "")).toEqual({ id: "7", name: "Ann" });
    expect(accountOf({ id: "8", username: "bob", global_name: null })).toEqual({ id: "8", name: "bob" });
  });
});

describe("given a slash command or a pressed button", () => {
  const interaction = (more: object): DiscordInteraction =>
    DiscordInteraction.parse({ id: "5", token: "t", application_id: "9", channel_id: "2", user: ann, ...more });
  const command = (name: string, values: readonly unknown[] = [], more: object = {}) =>
    interactionMessage(
      interaction({ type: 2, data: { name, options: values.map((value) => ({ name: "o", value })) }, ...more }),
      room,
      AT,
      context,
    );
  const button = (custom_id: string) =>
    interactionMessage(interaction({ type: 3, data: { custom_id }, message: { id: "4" } }), room, AT, context);

  it("then it becomes the command with its arguments", () => {
    expect(command("status", [" now ", 7, undefined, true])).toStrictEqual({
      kind: "command",
      id: "discord:interaction:5",
      tenant: "default",
      agent: "mooring",
      conversation: room,
      account: { id: "7", name: "Ann" },
      text: "/status now 7  true",
      attachments: [],
      command: { name: "status", args: "now 7  true" },
      sentAt: AT,
      traceId: "trace",
    });
    expect(command("help")?.text).toBe("/help");
  });

  it("when the argument is the link of a message, then it becomes the id; other addresses do not", () => {
    const link = "discord.com/channels/1/2/333";
    expect(command("why", [`https://${link}`])?.command?.args).toBe("333");
    expect(command("why", [`https://ptb.${link}`])?.command?.args).toBe("333");
    expect(command("why", ["https://discordapp.com/channels/@me/2/333"])?.command?.args).toBe("333");
    for (const other of [
      `http://${link}`,
      `https://${link}/4`,
      `see https://${link}`,
      "https://x.example/channels/1/2/3",
    ]) {
      expect(command("why", [other])?.command?.args).toBe(other);
    }
  });

  it("then the account is the server member, with the language if Discord reports it", () => {
    const member = { user: { id: "8", username: "bob" }, nick: "Bobby" };
    expect(command("help", [], { member, locale: "de" })?.account).toEqual({ id: "8", name: "Bobby", locale: "de" });
    expect(command("help", [], { user: undefined })).toBeUndefined();
  });

  it("then a button becomes its command, about its message; a button of another app is ignored", () => {
    expect(button("m1:cancel:subtask-1")).toMatchObject({
      text: "/cancel subtask-1",
      command: { name: "cancel", args: "subtask-1" },
      replyTo: "4",
    });
    expect(button("cancel")).toBeUndefined();
    expect(command("help")).not.toHaveProperty("replyTo");
    expect(isInteractionMessageId("discord", "discord:interaction:5")).toBe(true);
    expect(isInteractionMessageId("discord", "discord:5")).toBe(false);
  });
});

describe("given the actions of a reply, when they are rendered as buttons", () => {
  const labels = (actions: Parameters<typeof renderActions>[0]) =>
    (renderActions(actions) as { type: number; components: { label: string; custom_id: string }[] }[]).map(
      ({ components }) => components.map(({ label }) => label),
    );
  const action = (n: number) => ({ name: "cancel", label: `Cancel ${n}`, value: `subtask-${n}` });

  it("then each contains its command, which a press returns", () => {
    expect(renderActions([action(1)])).toEqual([
      { type: 1, components: [{ type: 2, style: 2, label: "Cancel 1", custom_id: "m1:cancel:subtask-1" }] },
    ]);
    expect(pressedAction("m1:cancel:subtask-1")).toEqual({ name: "cancel", args: "subtask-1" });
    expect(pressedAction("m1:cancel:a:b\nc")).toEqual({ name: "cancel", args: "a:b\nc" });
    expect(pressedAction("m1:help:")).toEqual({ name: "help", args: "" });
    for (const other of ["m1::x", "m2:help:", "x m1:help:", "m1:help"]) expect(pressedAction(other)).toBeUndefined();
  });

  it("then there are at most five rows of five", () => {
    const numbers = Array.from({ length: 30 }, (_, n) => action(n));
    expect(labels(numbers).map((row) => row.length)).toEqual([5, 5, 5, 5, 5]);
    expect(labels(numbers.slice(0, 6))).toEqual([
      ["Cancel 0", "Cancel 1", "Cancel 2", "Cancel 3", "Cancel 4"],
      ["Cancel 5"],
    ]);
    expect(renderActions([])).toEqual([]);
  });

  it("when one is a duplicate or does not fit, then it is omitted; a long label is cut between characters", () => {
    const fits = { name: "x", label: "fits", value: "v".repeat(95) };
    const tooLong = { name: "x", label: "too long", value: "v".repeat(96) };
    expect(labels([action(1), action(1), fits, tooLong])).toEqual([["Cancel 1", "fits"]]);
    expect(labels([{ name: "help", label: "" }])).toEqual([["help"]]);
    expect(labels([{ name: "help", label: "🙂".repeat(81) }])).toEqual([["🙂".repeat(80)]]);
  });
});

describe("given a message with mentions of the bot around its text", () => {
  it("when there are spaces around them, then all of them are removed", () => {
    const mentions = [bot];
    expect(said("  <@99> hi  ", { mentions })?.text).toBe("hi");
    expect(said("hi <@99> <@!99>\n", { mentions })?.text).toBe("hi");
  });
});

describe("given a button without a value", () => {
  it("then a press of it is the command without arguments", () => {
    const [row] = renderActions([{ name: "help", label: "Help" }]) as { components: { custom_id: string }[] }[];
    const [help] = row?.components ?? [];
    expect(help?.custom_id).toBe("m1:help:");
    expect(pressedAction(help?.custom_id ?? "")).toEqual({ name: "help", args: "" });
  });
});
