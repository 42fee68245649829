import { listed } from "../../core/contract/setup-question.ts";
import type { AdapterDefinition } from "../contract/adapter-definition.ts";
import { TelegramConfig } from "./config.ts";

export const telegram: AdapterDefinition<typeof TelegramConfig> = {
  id: "telegram",
  label: "Telegram",
  config: TelegramConfig,
  questions: [
    {
      flag: "telegram-bot-token",
      message: "Telegram: the bot's token, from @BotFather",
      setting: ["botToken"],
      env: "TELEGRAM_BOT_TOKEN",
    },
    {
      flag: "telegram-accounts",
      message: "Telegram: ids of the users who may talk to it, separated by commas, or * for everyone",
      setting: ["access", "accounts"],
      toValue: (answer) => (answer.trim() === "*" ? "*" : listed(answer)),
    },
    {
      flag: "telegram-mode",
      message: "Telegram: how messages reach Mooring",
      setting: ["mode"],
      otherwise: "polling",
      choices: [
        { value: "polling", label: "Mooring asks Telegram: needs no public address" },
        { value: "webhook", label: "Telegram calls Mooring: needs a public https address" },
      ],
    },
    {
      flag: "telegram-webhook-secret",
      message: "Telegram: a secret of your choice, 16 or more letters and digits",
      setting: ["webhookSecret"],
      env: "TELEGRAM_WEBHOOK_SECRET",
      after: { flag: "telegram-mode", answer: "webhook" },
    },
  ],
  guide: "docs/channels/telegram.md",
  async create(config, context) {
    const { TelegramAdapter } = await import("./adapter.ts");
    return new TelegramAdapter(config, context);
  },
};
