import { z } from "zod";
import { secret } from "../../core/contract/secret.ts";
import { accessFields, channelFields, reactionFields, roomAccessFields, streamingFields } from "../contract/config.ts";

const Snowflake = z.string().regex(/^\d{17,20}$/, {
  error: "must be a Discord id: 17 to 20 digits, in quotes (Discord: Settings, Advanced, Developer Mode, then Copy ID)",
});

export const DiscordAccess = z
  .strictObject({
    ...accessFields,
    ...roomAccessFields,
    guilds: z
      .union([z.literal("*"), z.array(Snowflake).min(1)])
      .optional()
      .describe(
        'Servers whose members may talk to the agent, there and in private, or "*" for all servers of the bot.',
      ),
    rooms: z
      .union([z.literal("*"), z.array(Snowflake).min(1)])
      .optional()
      .describe(
        "Channels of those servers in which the agent listens; threads count as their channel. All by default.",
      ),
    mentionOnly: roomAccessFields.mentionOnly.describe(
      "In servers, only messages that mention the bot or answer it reach the agent. false needs the Message Content Intent.",
    ),
  })
  .refine(({ guilds, accounts }) => guilds !== undefined || accounts !== undefined, {
    error:
      'must name the guilds or the accounts that may talk to the agent; guilds: "*" allows every server of the bot',
  })
  .transform(({ guilds, ...access }) => ({ ...access, workspaces: guilds }));
export type DiscordAccess = z.infer<typeof DiscordAccess>;

export const DiscordConfig = z.strictObject({
  adapter: z.literal("discord").describe("Discord."),
  ...channelFields,
  ...streamingFields,
  ...reactionFields,
  botToken: secret().describe("From the developer portal: Bot, Reset Token."),
  access: DiscordAccess.describe("Access rules. Required, because anyone can write to a bot."),
  apiUrl: z
    .url({ protocol: /^https?$/ })
    .default("https://discord.com/api")
    .describe("Discord's API, without the version; for proxies."),
});
export type DiscordConfig = z.infer<typeof DiscordConfig>;
