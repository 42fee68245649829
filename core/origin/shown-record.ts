import { z } from "zod";
import { Audience } from "../contract/agent-reply.ts";
import { collection, keyOf } from "../contract/collection.ts";
import { conversationKey } from "../contract/conversation.ts";
import { ReplyOrigin } from "../contract/reply-origin.ts";
import type { Store } from "../contract/store.ts";
import type { SessionPlace } from "../sessions/session-record.ts";

/** An unsolicited final that a platform shows: whoever answers it goes on with its work (O14). */
export const ShownRecord = z.looseObject({
  replyId: z.string(),
  origin: ReplyOrigin,
  audience: Audience,
  /** The session in which it was said. */
  sessionId: z.string().nullable(),
  turnId: z.string().optional(),
  /** The turn that began the work. */
  rootTurnId: z.string().optional(),
});
export type ShownRecord = z.infer<typeof ShownRecord>;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const shown = collection("shown", ShownRecord, { ttlMs: THIRTY_DAYS_MS });

const shownKey = ({ tenant, agent, conversation }: SessionPlace, messageId: string) =>
  keyOf(shown, tenant, agent, conversationKey(conversation), messageId);

export const putShown = async (
  store: Store,
  place: SessionPlace,
  messageId: string,
  record: ShownRecord,
): Promise<void> => {
  await store.put(shownKey(place, messageId), record);
};

export const readShown = async (
  store: Store,
  place: SessionPlace,
  messageId: string,
): Promise<ShownRecord | undefined> => (await store.get(shownKey(place, messageId)))?.value;
