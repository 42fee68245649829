import type { AgentReply } from "../contract/agent-reply.ts";
import type { Conversation } from "../contract/conversation.ts";
import { conversationKey } from "../contract/conversation.ts";
import type { DeadLetter } from "../contract/dead-letter.ts";
import { newestFirst } from "../contract/newest-first.ts";
import type { Store } from "../contract/store.ts";
import { cutAtGraphemes, stableId } from "../lib/index.ts";
import type { Undelivered } from "./undelivered.ts";
import { addresseeOf, pointerKey, undeliveredKey } from "./undelivered.ts";

/** Lists a dead letter, for one of its targets, where people and operators find it. Again: the same entry. */
export const noteUndelivered = async (
  store: Store,
  { reply, target }: { reply: AgentReply; target: Conversation },
  { durable, id: letterId, reason, publishedAt, deadAt }: DeadLetter,
): Promise<void> => {
  const { tenant, audience, origin, markdown } = reply;
  const id = undeliveredId({ durable, id: letterId, publishedAt }, target);
  const entry: Undelivered = {
    id,
    tenant,
    channel: target.channel,
    letter: { durable, id: letterId },
    target,
    audience,
    origin,
    excerpt: cutAtGraphemes(markdown.replace(/\s+/g, " ").trim(), EXCERPT),
    reason,
    deadAt,
  };
  const addressee = addresseeOf(audience);
  if (addressee !== undefined) await store.put(pointerKey(tenant, addressee, id), { channel: target.channel });
  await store.put(undeliveredKey(entry), entry);
};

/** The newest first. A reply that is the letter itself may have been given up in several conversations. */
export const undeliveredId = (
  { durable, id, publishedAt }: Pick<DeadLetter, "durable" | "id" | "publishedAt">,
  target: Conversation,
): string =>
  `${newestFirst(Date.parse(publishedAt))}-${stableId("d", durable, id, conversationKey(target)).slice(2, 10)}`;

const EXCERPT = 120;
