import type { ChannelAdapter, Delivery } from "../../adapters/contract/channel-adapter.ts";
import { escapeAnchors } from "../../adapters/contract/markdown/escape-anchors.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import { conversationKey } from "../../core/contract/conversation.ts";
import { activityText } from "./activity-text.ts";
import type { ActivityUpdate } from "./activity-update.ts";
import type { RelayContext } from "./relay-context.ts";

/** A state of an activity entry as an adapter is handed it: always one part. `id` stands in for the reply's own. */
export const activityDelivery = async (
  { anchorIn }: RelayContext,
  { capabilities }: ChannelAdapter,
  { reply, activity }: ActivityUpdate,
  target: Conversation,
  id: string,
): Promise<Delivery> => {
  const markdown = escapeAnchors(activityText(reply.markdown, activity, capabilities));
  return {
    id: `${id}/${conversationKey(target)}/0`,
    reply: { ...reply, id },
    target,
    part: { index: 0, count: 1, markdown },
    anchor: await anchorIn(target, reply),
    mayRepeat: reply.mayRepeat === true,
  };
};
