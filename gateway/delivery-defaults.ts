import type { Config } from "../config/config.ts";
import type { DeliveryDefaults } from "../core/contract/delivery-policy.ts";

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
