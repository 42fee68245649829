import type { Config } from "../config/config.ts";
import type { Admits } from "../core/delivery/index.ts";
import { admits } from "./relay/index.ts";

/** Whether the channel of a conversation is one of the agent's and lets it in (I2). */
export const admitsOn = ({ channels }: Config, agent: string): Admits => {
  const own = Object.entries(channels).filter(([, channel]) => channel.agent === agent);
  const rules = new Map(own.map(([name, { access }]) => [name, admits(access)]));
  return (conversation, accountId) => rules.get(conversation.channel)?.(conversation, accountId) ?? false;
};
