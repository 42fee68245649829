import type { Inbox } from "../../adapters/contract/channel-adapter.ts";
import type { Bus } from "../../core/contract/bus.ts";
import type { Checkpoint } from "../../core/contract/checkpoint.ts";
import { noCheckpoint } from "../../core/contract/checkpoint.ts";
import { conversationKey } from "../../core/contract/conversation.ts";
import type { Logger } from "../../core/contract/logger.ts";
import type { Meter } from "../../core/contract/meter.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";

export interface InboxParts {
  readonly bus: Bus;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly checkpoint?: Checkpoint;
}

/** Where adapters put what people say. What cannot be stored is the adapter's to tell its platform. */
export const createInbox = ({ bus, logger, meter, checkpoint = noCheckpoint }: InboxParts): Inbox => ({
  async accept(message) {
    const { id, tenant, agent, conversation, traceId } = message;
    const { channel } = conversation;
    await checkpoint("inbox.before");
    try {
      await bus.publish(subjectsOf(tenant).userMessage(agent), message, { id, key: conversationKey(conversation) });
    } catch (error) {
      meter.count("messages_refused_total", { channel });
      throw error;
    }
    await checkpoint("inbox.stored");
    meter.count("messages_accepted_total", { channel });
    logger.debug({ channel, message: id, traceId }, "message accepted");
  },
});
