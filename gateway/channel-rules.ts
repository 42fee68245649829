import { isSocketAdapter } from "../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import type { AccessRules } from "../adapters/contract/config.ts";
import type { Config } from "../config/index.ts";
import type { DeliveryDefaults } from "../core/contract/delivery-policy.ts";
import type { Admits } from "../core/delivery/index.ts";
import { admits } from "./relay/index.ts";

/** The configured defaults for proactive messages; a channel's setting overrides that of its agent. */
export const deliveryDefaults =
  ({ agents, channels }: Config, agent: string) =>
  (channel: string): DeliveryDefaults => {
    const own = channels[channel];
    const common = agents.find(({ name }) => name === agent)?.delivery;
    return {
      policy: { ...common?.policy, ...own?.delivery?.policy },
      quietHours: own?.delivery?.quietHours ?? common?.quietHours,
      timeZone: own?.timeZone,
      locale: own && "locale" in own ? own.locale : undefined,
    };
  };

/** Whether the channel of a conversation is one of the agent's and lets it in (I2). */
export const admitsOn = ({ channels }: Config, agent: string): Admits => {
  const own = Object.entries(channels).filter(([, channel]) => channel.agent === agent);
  const rules = new Map(own.map(([name, { access }]) => [name, admits(access)]));
  return (conversation, accountId) => rules.get(conversation.channel)?.(conversation, accountId) ?? false;
};

/** More than a person types; a script could cost as many turns. */
const MESSAGES_PER_MINUTE = 120;

/** Adds a default rate limit to the configured access rules. A channel with sockets limits its own messages. */
export const limitedAccess = (access: AccessRules | undefined, adapter: ChannelAdapter): AccessRules | undefined =>
  isSocketAdapter(adapter)
    ? access
    : { ...access, messagesPerMinute: access?.messagesPerMinute ?? MESSAGES_PER_MINUTE };
