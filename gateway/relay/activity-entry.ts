import { z } from "zod";
import { AgentReply } from "../../core/contract/agent-reply.ts";
import { RevisionConflict } from "../../core/contract/app-error.ts";
import { collection, keyOf } from "../../core/contract/collection.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import { conversationKey } from "../../core/contract/conversation.ts";
import type { Store } from "../../core/contract/store.ts";

/** What is known about an activity entry in one conversation. */
export const ActivityEntry = z.looseObject({
  /** The newest state that was queued. Absent on channels without a queue. */
  newest: AgentReply.optional(),
  /** What people see, as far as this is known. */
  shown: z.looseObject({ messageId: z.string(), revision: z.number().int(), at: z.iso.datetime() }).optional(),
});
export type ActivityEntry = z.infer<typeof ActivityEntry>;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const entries = collection("activity", ActivityEntry, { ttlMs: THIRTY_DAYS_MS });
const keyIn = (activityId: string, target: Conversation) => keyOf(entries, activityId, conversationKey(target));

export const readActivityEntry = async (store: Store, activityId: string, target: Conversation) =>
  (await store.get(keyIn(activityId, target)))?.value;

/** Changes what is stored now, whoever else writes meanwhile; resolves to what then stands there. */
export const changeActivityEntry = async (
  store: Store,
  activityId: string,
  target: Conversation,
  change: (entry: ActivityEntry) => ActivityEntry,
): Promise<ActivityEntry> => {
  const key = keyIn(activityId, target);
  for (;;) {
    const stored = await store.get(key);
    const before = stored?.value ?? {};
    const after = change(before);
    if (after === before) return before;
    try {
      await store.put(key, after, { ifRevision: stored?.revision ?? 0 });
      return after;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};
