import { z } from "zod";
import { type Activity, activityOf } from "../../../core/contract/messages/activity.ts";
import { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { type Conversation, conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { RequestOf } from "../../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { ack, type Outcome } from "../../../core/contract/ports/bus.ts";
import { collection, keyOf } from "../../../core/contract/ports/collection.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { update } from "../../../core/contract/ports/update.ts";
import type { RelayContext } from "../context.ts";

/** The stored state of an activity entry in one conversation. */
export const ActivityEntry = z.looseObject({
  /** The newest state that was queued. Absent on channels without a queue. */
  newest: AgentReply.optional(),
  /** The state that the platform shows, as far as the relay knows it. */
  shown: z.looseObject({ messageId: z.string(), revision: z.number().int(), at: z.iso.datetime() }).optional(),
});
export type ActivityEntry = z.infer<typeof ActivityEntry>;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const entries = collection("activity", ActivityEntry, { ttlMs: THIRTY_DAYS_MS });
const keyIn = (activityId: string, target: Conversation) => keyOf(entries, activityId, conversationKey(target));

export const readActivityEntry = async (store: Store, activityId: string, target: Conversation) =>
  (await store.get(keyIn(activityId, target)))?.value;

/** Resolves to the stored entry; writes nothing if `change` returns the same object. */
export const changeActivityEntry = async (
  store: Store,
  activityId: string,
  target: Conversation,
  change: (entry: ActivityEntry) => ActivityEntry,
): Promise<ActivityEntry> => {
  const initial: ActivityEntry = {};
  const { after } = await update(store, keyIn(activityId, target), change, { initial });
  return after;
};

/** A reply that carries a state of an activity entry. */
export interface ActivityUpdate {
  readonly reply: AgentReply;
  readonly activity: Activity;
}

export const activityUpdateIn = (reply: AgentReply | undefined): ActivityUpdate | undefined => {
  const activity = reply && activityOf(reply);
  return reply && activity && { reply, activity };
};

export const newerUpdate = (one: ActivityUpdate, other: ActivityUpdate | undefined): ActivityUpdate =>
  other !== undefined && other.activity.revision > one.activity.revision ? other : one;

/**
 * Stores the newest state of an entry, then queues a request to show it. Each entry has a key of its own in the queue,
 * so that its pauses and failures do not delay a reply.
 */
export const enqueueActivity = async (
  { bus, store, tenant, checkpoint }: RelayContext,
  request: RequestOf<"activity">,
): Promise<Outcome> => {
  const { id, target } = request;
  const update = activityUpdateIn(request.reply);
  if (update === undefined) return ack;
  const { newest } = await changeActivityEntry(store, update.activity.id, target, (entry) => {
    const kept = activityUpdateIn(entry.newest);
    return kept !== undefined && newerUpdate(kept, update) === kept ? entry : { ...entry, newest: update.reply };
  });
  await checkpoint("activity.noted");
  // Another process has stored a newer state and queued it.
  if (newest?.id !== update.reply.id) return ack;
  const key = `${update.activity.id}/${conversationKey(target)}`;
  await bus.publish(subjectsOf(tenant).delivery(target.channel), request, { id, key });
  return ack;
};
