import { z } from "zod";
import { Secret, secret } from "../../core/contract/secret.ts";
import {
  accessFields,
  channelFields,
  localeFields,
  reactionFields,
  roomAccessFields,
  streamingFields,
} from "../contract/config.ts";

const UserId = z.string().regex(/^\d{1,16}$/, {
  error: "must be a Telegram user id: digits, in quotes (people get theirs from the bot's refusal)",
});

const ChatId = z.string().regex(/^-\d{1,16}$/, {
  error: 'must be the id of a Telegram group: "-" and digits, in quotes, such as "-1001234567890"',
});

export const TelegramAccess = z
  .strictObject({
    ...accessFields,
    ...roomAccessFields,
    accounts: z
      .union([z.literal("*"), z.array(UserId).min(1)])
      .optional()
      .describe('User ids that may talk to the agent, in private and in groups, or "*" for everyone.'),
    rooms: z
      .union([z.literal("*"), z.array(ChatId).min(1)])
      .optional()
      .describe('Groups in which the agent listens and writes, or "*" for all groups of the bot.'),
    mentionOnly: roomAccessFields.mentionOnly.describe(
      "In groups, only messages that mention the bot, answer it or command it reach the agent. false needs privacy mode off.",
    ),
  })
  .refine(({ rooms, accounts }) => rooms !== undefined || accounts !== undefined, {
    error: 'must name the accounts or the rooms that may talk to the agent; accounts: "*" allows everyone on Telegram',
  });
export type TelegramAccess = z.infer<typeof TelegramAccess>;

export const TelegramConfig = z
  .strictObject({
    adapter: z.literal("telegram").describe("Telegram."),
    ...channelFields,
    ...localeFields,
    ...streamingFields,
    ...reactionFields,
    botToken: secret().describe("From @BotFather: /newbot, or /token for an existing bot."),
    mode: z
      .enum(["polling", "webhook"])
      .default("polling")
      .describe("polling: Mooring asks Telegram for messages. webhook: Telegram sends them to the public address."),
    webhookSecret: secret({ minLength: 16 })
      .optional()
      .describe(
        "Telegram proves with it that a request is from Telegram: 16 to 256 letters, digits, _ or -. For mode webhook.",
      ),
    access: TelegramAccess.describe("Access rules. Required, because anyone can write to a bot."),
    apiUrl: z
      .url({ protocol: /^https?$/ })
      .default("https://api.telegram.org")
      .describe("The Bot API, for a server of your own or a proxy."),
  })
  .refine(({ mode, webhookSecret }) => mode === "polling" || webhookSecret !== undefined, {
    path: ["webhookSecret"],
    error: "is required for mode webhook: without it, anyone could send messages in the name of others",
  })
  .refine(({ webhookSecret: given }) => !(given instanceof Secret) || /^[\w-]{1,256}$/.test(given.reveal()), {
    path: ["webhookSecret"],
    error: "may have letters, digits, _ and - only, at most 256: Telegram refuses others",
  });
export type TelegramConfig = z.infer<typeof TelegramConfig>;
