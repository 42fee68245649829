import { z } from "zod";
import type { AgentReply } from "../contract/agent-reply.ts";
import { Audience } from "../contract/agent-reply.ts";
import { RevisionConflict } from "../contract/app-error.ts";
import { collection, keyOf } from "../contract/collection.ts";
import { Conversation, sameConversation } from "../contract/conversation.ts";
import { ReplyCause } from "../contract/reply-cause.ts";
import { ReplyOrigin } from "../contract/reply-origin.ts";
import type { Store } from "../contract/store.ts";

const Place = z.looseObject({ conversation: Conversation, at: z.iso.datetime() });

/** One unsolicited final, wherever it was shown: what `why` explains (O13). */
export const ToldRecord = z.looseObject({
  replyId: z.string(),
  origin: ReplyOrigin,
  audience: Audience,
  sessionId: z.string().nullable(),
  cause: ReplyCause.optional(),
  createdAt: z.iso.datetime(),
  places: z.array(Place),
});
export type ToldRecord = z.infer<typeof ToldRecord>;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const told = collection("told", ToldRecord, { ttlMs: THIRTY_DAYS_MS });

interface ReplyAddress {
  readonly tenant: string;
  readonly agent: string;
  readonly replyId: string;
}

const toldKey = ({ tenant, agent, replyId }: ReplyAddress) => keyOf(told, tenant, agent, replyId);

export const readTold = async (store: Store, address: ReplyAddress): Promise<ToldRecord | undefined> =>
  (await store.get(toldKey(address)))?.value;

/** The reply is to be seen here too, since this moment. Saying so again changes nothing. */
export const noteTold = async (
  store: Store,
  { id: replyId, tenant, agent, origin, audience, sessionId, cause, createdAt }: AgentReply & { origin: ReplyOrigin },
  conversation: Conversation,
  at: string,
): Promise<void> => {
  const key = toldKey({ tenant, agent, replyId });
  const first = { replyId, origin, audience, sessionId, ...(cause !== undefined && { cause }), createdAt, places: [] };
  for (;;) {
    const stored = await store.get(key);
    const record: ToldRecord = stored?.value ?? first;
    if (record.places.some((place) => sameConversation(place.conversation, conversation))) return;
    try {
      const places = [...record.places, { conversation, at }];
      await store.put(key, { ...record, places }, { ifRevision: stored?.revision ?? 0 });
      return;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};
