import { z } from "zod";
import { conversationKey } from "../contract/messages/conversation.ts";
import { Audience, ReplyOrigin } from "../contract/messages/work-context.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import type { SessionAddress } from "../sessions/index.ts";

/** Maps a posted platform message to the reply that it shows, so that a reply to it continues that work (O14). */
export const PostedReply = z.looseObject({
  replyId: z.string(),
  origin: ReplyOrigin,
  audience: Audience,
  /** The visible number in a digest, from 1. */
  number: z.int().optional(),
  /** The session that produced the reply. */
  sessionId: z.string().nullable(),
  turnId: z.string().optional(),
  /** The first turn of the work. */
  rootTurnId: z.string().optional(),
});
export type PostedReply = z.infer<typeof PostedReply>;

/** The replies that one platform message shows: one, or several in a digest. */
const PostedMessage = z.looseObject({ replies: z.array(PostedReply) });

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const posted = collection("shown", PostedMessage, { ttlMs: THIRTY_DAYS_MS });

const postedKey = ({ tenant, agent, conversation }: SessionAddress, messageId: string) =>
  keyOf(posted, tenant, agent, conversationKey(conversation), messageId);

export const putPosted = async (
  store: Store,
  address: SessionAddress,
  messageId: string,
  replies: readonly PostedReply[],
): Promise<void> => {
  await store.put(postedKey(address, messageId), { replies: [...replies] });
};

export const readPosted = async (
  store: Store,
  address: SessionAddress,
  messageId: string,
): Promise<readonly PostedReply[]> => (await store.get(postedKey(address, messageId)))?.value.replies ?? [];
