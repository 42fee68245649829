import { describe, expect, it } from "vitest";
import { toUserMessage as discordMessage } from "../../adapters/discord/inbound.ts";
import { DiscordMessage } from "../../adapters/discord/payload.ts";
import { messageOfCommand, messageOfEvent } from "../../adapters/slack/inbound.ts";
import { EventEnvelope, SlashCommand } from "../../adapters/slack/payload.ts";
import { Activity } from "../../adapters/teams/activity.ts";
import { userMessageOf as teamsMessage } from "../../adapters/teams/inbound.ts";
import { toUserMessage as telegramMessage } from "../../adapters/telegram/inbound.ts";
import { Bot, TelegramMessage } from "../../adapters/telegram/payload.ts";
import { userMessageOf as webMessage } from "../../adapters/web/inbound.ts";
import { redactInternalIds } from "../../core/a2a/record/redact.ts";
import { maskSecrets } from "../../core/lib/mask-secrets.ts";
import { ownTools } from "../fakes/built-in-tools.ts";
import { hostileMarkdown } from "../fakes/hostile-markdown.ts";
import { expectLinearTime } from "../setup/linear-time.ts";

const LENGTH = 240_000;
const BOT = "100000000000000001";
const names = { channel: "any", tenant: "default", agent: "mooring", traceId: "t", now: 0 };
const identity = {
  teamId: "T1",
  enterpriseId: undefined,
  botUserId: "U1",
  botId: "B1",
  teamUrl: "https://a.slack.com/",
  scopes: undefined,
};

const slackEvent = (text: string) =>
  messageOfEvent(
    EventEnvelope.parse({
      type: "event_callback",
      team_id: "T1",
      event: { type: "message", channel: "D1", channel_type: "im", user: "U2", team: "T1", ts: "1.0", text },
    }),
    { ...names, identity, access: undefined },
  );
const slackCommand = (text: string) =>
  messageOfCommand(
    SlashCommand.parse({ command: "/m", text, user_id: "U2", team_id: "T1", channel_id: "D1", trigger_id: "1" }),
    { ...names, identity, access: undefined },
  );
const discord = (content: string) =>
  discordMessage(
    DiscordMessage.parse({
      id: "1",
      channel_id: "2",
      type: 0,
      author: { id: "3", username: "ann" },
      content,
      timestamp: "2026-01-01T00:00:00Z",
      mentions: [{ id: BOT, username: "mooring" }],
    }),
    { channel: "any", room: "2", kind: "private" },
    BOT,
    { ...names, newId: () => "t" },
  );
const teams = (text: string, more: object = {}) =>
  teamsMessage(
    Activity.parse({
      type: "message",
      id: "1",
      channelId: "msteams",
      serviceUrl: "https://smba.example/",
      conversation: { id: "a:1", conversationType: "personal" },
      from: { id: "29:1", name: "Ann" },
      text,
      ...more,
    }),
    { ...names, directory: "d", botId: "28:b", mentionOnly: true },
  );
const telegram = (text: string) =>
  telegramMessage(
    [
      TelegramMessage.parse({
        message_id: 1,
        date: 0,
        chat: { id: 3, type: "private" },
        from: { id: 3, first_name: "Ann" },
        text,
        entities: Array.from({ length: 100 }, (_, index) => ({ type: "mention", offset: index * 2, length: 1 })),
      }),
    ],
    Bot.parse({ id: 7, username: "mooring_bot" }),
    { ...names, newId: () => "t", commands: [] },
  );
const web = (text: string) =>
  webMessage({ type: "message", id: "m1", text }, { ...names, account: { id: "v", name: "Visitor" }, files: [] });

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "a Slack message": slackEvent,
  "a Slack command": slackCommand,
  "a Discord message": discord,
  "a Teams message": teams,
  "a Teams quote": (content) => teams("hi", { attachments: [{ contentType: "text/html", content }] }),
  "a Telegram message": telegram,
  "a web message": web,
  // Nothing longer is ever masked.
  "a text with secrets": (text) => maskSecrets(text.slice(0, 24_000)),
  "a peer's answer": (text) => redactInternalIds(text, ownTools),
};

const filled = (piece: string) => piece.repeat(LENGTH / piece.length);
const hostile: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(hostileMarkdown).map(([kind, make]) => [kind, make(LENGTH)])),
  "quotes of Teams": filled('<blockquote itemtype="http://schema.skype.com/Reply" '),
  "quotes of Teams without an end": filled('<blockquote itemscope itemid="1" '),
  "mentions of the bot on Discord": `${filled(`<@${BOT}> `)}x`,
  "blanks behind a word": `run ${" ".repeat(LENGTH)}x`,
  "blanks before a stop": `see call-12345678 of theirs${" ".repeat(LENGTH)}x`,
  "beginnings of web tokens": filled("-eyJ"),
  "keys without an end": filled("-----BEGIN A-----"),
  "passwords without an end": filled('password="'),
  "mentions of Teams": filled("<at>"),
  "open mentions of Teams": filled("<at "),
  brackets: filled("("),
};

describe.each(Object.entries(readers))("given %s of 240 kB", (_, read) => {
  it.each(Object.entries(hostile))("when it is made of %s, then it is read in time (F20)", (kind, text) => {
    expectLinearTime(kind, text.length / 60, () => read(text));
  });
});

describe("given a Teams message with thousands of mentions", () => {
  it("when each name holds the next mention, then each is replaced once (F20)", () => {
    const entities = Array.from({ length: 3_000 }, (_, index) => ({
      type: "mention",
      mentioned: { id: `29:${index}`, name: "<at>a1</at>".repeat(5) },
      text: `<at>a${index}</at>`,
    }));
    const text = entities.map((entity) => entity.text).join(" ");
    const message = expectLinearTime("mentions", text.length, () => teams(text, { entities }));
    expect(message?.text.length).toBeLessThan(100_000);
  });
});
