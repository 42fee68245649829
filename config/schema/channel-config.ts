import { z } from "zod";
import { DiscordConfig } from "../../adapters/discord/config.ts";
import { SlackConfig } from "../../adapters/slack/config.ts";
import { TeamsConfig } from "../../adapters/teams/config.ts";
import { WebConfig } from "../../adapters/web/config.ts";

/** Lists the schema of every adapter; add new adapters here. */
export const ChannelConfig = z.discriminatedUnion("adapter", [DiscordConfig, SlackConfig, TeamsConfig, WebConfig]);
export type ChannelConfig = z.infer<typeof ChannelConfig>;
