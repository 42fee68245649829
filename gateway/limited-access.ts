import { isSocketAdapter } from "../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import type { AccessRules } from "../adapters/contract/config.ts";

/** Nobody types more; a script that does would cost as many turns. */
const MESSAGES_PER_MINUTE = 120;

/** What the configuration says, and a rate where it says none. A channel with sockets limits what comes through them itself. */
export const limitedAccess = (access: AccessRules | undefined, adapter: ChannelAdapter): AccessRules | undefined =>
  isSocketAdapter(adapter)
    ? access
    : { ...access, messagesPerMinute: access?.messagesPerMinute ?? MESSAGES_PER_MINUTE };
