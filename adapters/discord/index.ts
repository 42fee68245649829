import { listed } from "../../core/contract/setup-question.ts";
import type { AdapterDefinition } from "../contract/adapter-definition.ts";
import { DiscordConfig } from "./config.ts";

export const discord: AdapterDefinition<typeof DiscordConfig> = {
  id: "discord",
  label: "Discord",
  config: DiscordConfig,
  questions: [
    {
      flag: "discord-bot-token",
      message: "Discord: the bot's token",
      setting: ["botToken"],
      env: "DISCORD_BOT_TOKEN",
    },
    {
      flag: "discord-guilds",
      message: "Discord: ids of the servers whose members may talk to it, separated by commas, or * for all",
      setting: ["access", "guilds"],
      toValue: (answer) => (answer.trim() === "*" ? "*" : listed(answer)),
    },
  ],
  guide: "docs/channels/discord.md",
  async create(config, context) {
    const { DiscordAdapter } = await import("./adapter.ts");
    return new DiscordAdapter(config, context);
  },
};
