import { activityOf } from "../../core/contract/messages/agent-reply.ts";
import type { Delivery } from "../contract/channel-adapter.ts";
import type { OutgoingFile } from "../contract/outgoing-file.ts";
import { offeredActions } from "../contract/render-delivery.ts";
import { clientIdOf } from "./inbound.ts";
import type { LoggedFrame } from "./protocol.ts";

/** The id by which clients refer to a reply. */
export const shownId = ({ reply, part }: Delivery): string =>
  part.count === 1 ? reply.id : `${reply.id}/${part.index}`;

/** The reply as data; the widget renders it. */
export const renderReply = (delivery: Delivery): LoggedFrame => ({ type: "reply", ...shownOf(delivery) });

/** The new state of a reply that was shown before, under its original id. */
export const renderEdit = (messageId: string, delivery: Delivery): LoggedFrame => ({
  type: "edit",
  ...shownOf(delivery),
  id: messageId,
});

const shownFile = ({ name, mediaType, bytes, ref }: OutgoingFile) => ({ id: ref?.id ?? name, name, mediaType, bytes });

const shownOf = (delivery: Delivery) => {
  const { reply, part, target, anchor, files = [] } = delivery;
  const activity = activityOf(reply);
  const actions = offeredActions(delivery);
  const correlationId =
    reply.correlationId === undefined ? undefined : clientIdOf(reply.correlationId, target.channel, target.room);
  return {
    id: shownId(delivery),
    kind: reply.kind,
    markdown: part.markdown,
    ...(reply.outcome !== undefined && { outcome: reply.outcome }),
    ...(correlationId !== undefined && { correlationId }),
    ...(correlationId !== undefined && reply.sessionId !== null && { sessionId: reply.sessionId }),
    ...(reply.origin !== null && { origin: reply.origin }),
    ...(anchor !== null && { anchor }),
    ...(actions.length > 0 && { actions: [...actions] }),
    ...(files.length > 0 && { files: files.map(shownFile) }),
    ...(activity !== undefined && { activity }),
    createdAt: reply.createdAt,
  };
};
