import { z } from "zod";
import { Audience } from "../contract/agent-reply.ts";
import { collection, keyOf } from "../contract/collection.ts";
import { conversationKey } from "../contract/conversation.ts";
import { ReplyOrigin } from "../contract/reply-origin.ts";
import type { Store } from "../contract/store.ts";
import type { SessionPlace } from "../sessions/index.ts";

/** An unsolicited final that a platform shows: whoever answers it goes on with its work (O14). */
export const ShownRecord = z.looseObject({
  replyId: z.string(),
  origin: ReplyOrigin,
  audience: Audience,
  /** Its place among those of a digest, from 1, as people see it. */
  number: z.int().optional(),
  /** The session in which it was said. */
  sessionId: z.string().nullable(),
  turnId: z.string().optional(),
  /** The turn that began the work. */
  rootTurnId: z.string().optional(),
});
export type ShownRecord = z.infer<typeof ShownRecord>;

/** What one message of a platform's shows: one of them, or those of a digest. */
const ShownMessage = z.looseObject({ replies: z.array(ShownRecord) });

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const shown = collection("shown", ShownMessage, { ttlMs: THIRTY_DAYS_MS });

const shownKey = ({ tenant, agent, conversation }: SessionPlace, messageId: string) =>
  keyOf(shown, tenant, agent, conversationKey(conversation), messageId);

export const putShown = async (
  store: Store,
  place: SessionPlace,
  messageId: string,
  replies: readonly ShownRecord[],
): Promise<void> => {
  await store.put(shownKey(place, messageId), { replies: [...replies] });
};

export const readShown = async (
  store: Store,
  place: SessionPlace,
  messageId: string,
): Promise<readonly ShownRecord[]> => (await store.get(shownKey(place, messageId)))?.value.replies ?? [];
