import { z } from "zod";
import { SlackConfig } from "../adapters/slack/config.ts";
import { WebConfig } from "../adapters/web/config.ts";

/** Every adapter that a channel can have. A new one gets its line here. */
export const ChannelConfig = z.discriminatedUnion("adapter", [SlackConfig, WebConfig]);
export type ChannelConfig = z.infer<typeof ChannelConfig>;
