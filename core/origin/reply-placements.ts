import { z } from "zod";
import type { AgentRef } from "../contract/messages/addresses.ts";
import { type AgentReply, ReplyCause } from "../contract/messages/agent-reply.ts";
import { Conversation, sameConversation } from "../contract/messages/conversation.ts";
import { Audience, ReplyOrigin } from "../contract/messages/work-context.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import { createOnce, update } from "../contract/ports/update.ts";

const Placement = z.looseObject({ conversation: Conversation, at: z.iso.datetime() });

/** An unsolicited final and the conversations that show it; the `why` command explains it (O13). */
export const PlacedReply = z.looseObject({
  replyId: z.string(),
  origin: ReplyOrigin,
  audience: Audience,
  sessionId: z.string().nullable(),
  cause: ReplyCause.optional(),
  createdAt: z.iso.datetime(),
  places: z.array(Placement),
});
export type PlacedReply = z.infer<typeof PlacedReply>;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const placements = collection("told", PlacedReply, { ttlMs: THIRTY_DAYS_MS });

interface ReplyAddress extends AgentRef {
  readonly replyId: string;
}

const placementKey = ({ tenant, agent, replyId }: ReplyAddress) => keyOf(placements, tenant, agent, replyId);

export const readPlacedReply = async (store: Store, address: ReplyAddress): Promise<PlacedReply | undefined> =>
  (await store.get(placementKey(address)))?.value;

type ReplyWithOrigin = AgentReply & { readonly origin: ReplyOrigin };

const unplaced = ({ id: replyId, origin, audience, sessionId, cause, createdAt }: ReplyWithOrigin): PlacedReply => ({
  ...{ replyId, origin, audience, sessionId, ...(cause !== undefined && { cause }), createdAt },
  places: [],
});

/** Stores the reply before a platform shows it: its button can be pressed as soon as it is shown. Idempotent. */
export const noteReply = async (store: Store, reply: ReplyWithOrigin): Promise<void> => {
  await createOnce(store, placementKey({ ...reply, replyId: reply.id }), unplaced(reply));
};

/** Adds a conversation that shows the reply. Idempotent. */
export const notePlacement = async (
  store: Store,
  reply: ReplyWithOrigin,
  conversation: Conversation,
  at: string,
): Promise<void> => {
  await update(store, placementKey({ ...reply, replyId: reply.id }), (record = unplaced(reply)) =>
    record.places.some((place) => sameConversation(place.conversation, conversation))
      ? record
      : { ...record, places: [...record.places, { conversation, at }] },
  );
};
