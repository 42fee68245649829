import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey, sameConversation } from "../../../core/contract/messages/conversation.ts";
import type { OutgoingReply } from "../../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { ShownMessage } from "../../../core/contract/messages/user-message.ts";
import type { ReplyOrigin } from "../../../core/contract/messages/work-context.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import { isProactive } from "../../../core/delivery/index.ts";
import { notePlacement, noteReply, type PostedReply, putPosted } from "../../../core/origin/index.ts";
import type { RelayContext } from "../context.ts";

/** Stores a proactive message before it is posted, so that people can ask why it came as soon as they see it (O13). */
export const recordBeforePosting = async ({ store }: RelayContext, reply: AgentReply): Promise<void> => {
  const { origin } = reply;
  if (origin !== null) await noteReply(store, { ...reply, origin });
};

/**
 * Records a proactive message that a platform shows, so that people can reply to it (O14) and ask why it came (O13),
 * and adds it to the session of its conversation (O15). Idempotent.
 */
export const recordPosted = async (
  { store, bus, clock, checkpoint }: RelayContext,
  { reply, target }: OutgoingReply,
  messageIds: readonly string[],
): Promise<void> => {
  const { origin, audience, tenant, agent } = reply;
  const shown = shownRecord(reply);
  if (shown === undefined || origin === null) return;
  const address = { tenant, agent, conversation: target };
  await Promise.all(messageIds.map((messageId) => putPosted(store, address, messageId, [shown])));
  await notePlacement(store, { ...reply, origin }, target, isoTime(clock.now()));
  await checkpoint("posted.indexed");
  // In the origin conversation, core has written it to the history.
  if (sameConversation(target, audience.conversation)) return;
  const entry = historyEntry({ reply: { ...reply, origin }, target });
  await bus.publish(subjectsOf(tenant).userMessage(agent), entry, { id: entry.id, key: conversationKey(target) });
  await checkpoint("posted.published");
};

/** Records the items that one message of a digest shows, with their numbers: a reply to it continues any of them. */
export const recordPostedTogether = async (
  { store, tenant, agent }: RelayContext,
  conversation: Conversation,
  messageId: string,
  shown: readonly { readonly reply: AgentReply; readonly number?: number }[],
): Promise<void> => {
  const records = shown.flatMap(({ reply, ...position }) => {
    const record = shownRecord(reply);
    return record === undefined ? [] : [{ ...record, ...position }];
  });
  if (records.length > 0) await putPosted(store, { tenant, agent, conversation }, messageId, records);
};

const shownRecord = (reply: AgentReply): PostedReply | undefined => {
  const { id: replyId, origin, audience, sessionId, cause } = reply;
  if (!isProactive(reply) || origin === null) return undefined;
  const turns = cause && { turnId: cause.turnId, rootTurnId: cause.rootTurnId };
  return { replyId, origin, audience, sessionId, ...turns };
};

type Posted = Pick<OutgoingReply, "target"> & { reply: OutgoingReply["reply"] & { origin: ReplyOrigin } };

/** Goes through the conversation's own queue, so that the history has the order of the screen. */
const historyEntry = ({ reply, target }: Posted): ShownMessage => ({
  kind: "shown",
  id: `shown/${reply.id}/${conversationKey(target)}`,
  tenant: reply.tenant,
  agent: reply.agent,
  conversation: target,
  account: { id: reply.cause?.asker.accountId ?? "nobody", name: reply.cause?.asker.name ?? "" },
  text: "",
  attachments: [],
  shown: {
    replyId: reply.id,
    markdown: reply.markdown,
    origin: reply.origin,
    ...(reply.files !== undefined && { files: reply.files }),
    at: reply.createdAt,
  },
  sentAt: reply.createdAt,
  traceId: reply.traceId,
});
