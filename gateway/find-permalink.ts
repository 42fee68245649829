import { isPermalinkAdapter } from "../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import { messageOf } from "../core/contract/app-error.ts";
import type { Clock } from "../core/contract/clock.ts";
import type { Conversation } from "../core/contract/conversation.ts";
import type { Logger } from "../core/contract/logger.ts";
import { withinDeadline } from "./relay/index.ts";

/** Where a platform shows a message, if it can say (O12). An anchor does not wait long for it, and does without. */
export type FindPermalink = (conversation: Conversation, messageId: string | undefined) => Promise<string | undefined>;

const DEADLINE_MS = 2_000;

export const findPermalink =
  (adapters: readonly ChannelAdapter[], { clock, logger }: { clock: Clock; logger: Logger }): FindPermalink =>
  async (conversation, messageId) => {
    const adapter = adapters.find(({ channel }) => channel === conversation.channel);
    if (messageId === undefined || adapter === undefined || !isPermalinkAdapter(adapter)) return undefined;
    try {
      const asked = (async () => adapter.permalink(conversation, messageId))();
      return await withinDeadline<string | undefined>(clock, DEADLINE_MS, asked, () => undefined);
    } catch (error) {
      logger.debug({ channel: adapter.channel, error: messageOf(error) }, "no link to a message");
      return undefined;
    }
  };
