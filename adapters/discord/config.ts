import { z } from "zod";
import { secret } from "../../core/contract/secret.ts";
import { accessFields, channelFields, roomAccessFields, streamingFields } from "../contract/config.ts";

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
      .describe('Servers whose members may talk to the agent, there and in private, or "*" for all the bot is in.'),
    rooms: z
      .union([z.literal("*"), z.array(Snowflake).min(1)])
      .optional()
      .describe("Channels of those servers that the agent listens in; threads count as their channel. All by default."),
    mentionOnly: roomAccessFields.mentionOnly.describe(
      "In servers, hear only what mentions the bot or answers it. false needs the Message Content Intent.",
    ),
  })
  .refine(({ guilds, accounts }) => guilds !== undefined || accounts !== undefined, {
    error:
      'must name the guilds or the accounts that may talk to the agent; guilds: "*" lets in every server of the bot',
  })
  .transform(({ guilds, ...access }) => ({ ...access, workspaces: guilds }));
export type DiscordAccess = z.infer<typeof DiscordAccess>;

export const DiscordConfig = z.strictObject({
  adapter: z.literal("discord"),
  ...channelFields,
  ...streamingFields,
  botToken: secret().describe("From the developer portal: Bot, Reset Token."),
  access: DiscordAccess.describe("Who may talk to the agent. Anybody can write to a bot, so this must be said."),
  apiUrl: z
    .url({ protocol: /^https?$/ })
    .default("https://discord.com/api")
    .describe("Discord's API, without the version; for proxies."),
});
export type DiscordConfig = z.infer<typeof DiscordConfig>;
