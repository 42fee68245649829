import type { ChannelAdapter, Delivery } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import type { Outcome, Received } from "../../core/contract/bus.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import { ActivitySender } from "./activity-sender.ts";
import type { ActivityUpdate } from "./activity-update.ts";
import { callDeliver } from "./call-adapter.ts";
import type { PartOutcome } from "./part-sender.ts";
import type { RelayContext } from "./relay-context.ts";

/** Shows an activity entry on a channel with a log of its own, which needs no ledger and no pauses. */
export const showInLog = (context: RelayContext, adapter: ChannelAdapter) => {
  const post = async (delivery: Delivery, { attempt }: Received): Promise<PartOutcome> => {
    const mayRepeat = delivery.mayRepeat || attempt > 1;
    const sent = await callDeliver(context, adapter, { ...delivery, mayRepeat });
    return sent instanceof DeliveryFailed ? { again: sent } : { accepted: "now", messageId: sent.messageId };
  };
  const sender = new ActivitySender(context, adapter, { post, maySend: () => true, editEveryMs: 0 });
  return ({ id, target }: DeliveryRequest, update: ActivityUpdate, received: Received): Promise<Outcome> => {
    const { channel } = adapter;
    const logger = context.logger.child({ channel, delivery: id, traceId: update.reply.traceId });
    return sender.show(update, target, received, logger);
  };
};
