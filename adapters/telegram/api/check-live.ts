import { messageOf } from "../../../core/contract/app-error.ts";
import type { TelegramConfig } from "../config.ts";
import { Bot, ChatInfo, WebhookInfo } from "../payload.ts";
import type { BotApi } from "./bot-api.ts";

/** Checks token, webhook, privacy mode and groups with Telegram. Each finding names its remedy. */
export const checkTelegram = async (
  api: BotApi,
  { mode, access }: Pick<TelegramConfig, "mode" | "access">,
  webhookUrl: string,
): Promise<readonly string[]> => {
  try {
    const bot = await api.call(Bot, "getMe");
    const webhook = await api.call(WebhookInfo, "getWebhookInfo");
    const rooms = access.rooms === "*" ? [] : (access.rooms ?? []);
    const missing = await Promise.all(rooms.map((room) => findingIn(api, room)));
    return [
      ...(mode === "polling" ? pollingFindings(webhook.url) : webhookFindings(webhook, webhookUrl)),
      ...groupFindings(bot, access),
      ...missing.flat(),
    ];
  } catch (error) {
    return [messageOf(error)];
  }
};

const pollingFindings = (url: string): string[] =>
  url === ""
    ? []
    : [
        `mode is polling, but Telegram sends messages to ${url}: another program may use this bot. ` +
          "Mooring removes that webhook when it starts; set mode to webhook if it is Mooring's",
      ];

const webhookFindings = ({ url, last_error_message: problem }: WebhookInfo, expected: string): string[] => {
  if (url === "") return ["mode is webhook, but no webhook is set: Mooring sets it when it starts"];
  const findings: string[] = [];
  if (url !== expected) {
    findings.push(
      `Telegram sends messages to ${url} instead of ${expected}: check gateway.publicUrl; Mooring sets it when it starts`,
    );
  }
  if (problem) findings.push(`Telegram could not deliver to the webhook: ${problem.slice(0, 200)}`);
  return findings;
};

const groupFindings = (bot: Bot, { mentionOnly, rooms }: TelegramConfig["access"]): string[] => {
  const findings: string[] = [];
  if (!mentionOnly && bot.can_read_all_group_messages === false) {
    findings.push(
      "access.mentionOnly is false, but privacy mode hides other messages from the bot: switch it off with " +
        "/setprivacy at @BotFather, then remove the bot from its groups and add it again",
    );
  }
  if (rooms !== undefined && bot.can_join_groups === false) {
    findings.push(
      "access.rooms names groups, but the bot may not join any: allow it with /setjoingroups at @BotFather",
    );
  }
  return findings;
};

const findingIn = async (api: BotApi, room: string): Promise<string[]> => {
  try {
    await api.call(ChatInfo, "getChat", { chat_id: Number(room) });
    return [];
  } catch (error) {
    return [`the bot cannot see group ${room}: add it there, or correct access.rooms (${messageOf(error)})`];
  }
};
