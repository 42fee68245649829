import type { Outcome } from "../../core/contract/bus.ts";
import { ack } from "../../core/contract/bus.ts";
import { conversationKey } from "../../core/contract/conversation.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import { changeActivityEntry } from "./activity-entry.ts";
import type { ActivityUpdate } from "./activity-update.ts";
import { activityUpdateIn, newerUpdate } from "./activity-update.ts";
import type { RelayContext } from "./relay-context.ts";

/**
 * Keeps the newest state of an entry, then has the outbox look at it. Each entry has a lane of its own in the queue:
 * neither its pauses nor its trouble hold up an answer.
 */
export const enqueueActivity = async (
  { bus, store, tenant, checkpoint }: RelayContext,
  request: DeliveryRequest,
  update: ActivityUpdate,
): Promise<Outcome> => {
  const { id, target } = request;
  const { newest } = await changeActivityEntry(store, update.activity.id, target, (entry) => {
    const kept = activityUpdateIn(entry.newest);
    return kept !== undefined && newerUpdate(kept, update) === kept ? entry : { ...entry, newest: update.reply };
  });
  await checkpoint("activity.noted");
  // Somebody else has brought a newer one, and has told the outbox of it.
  if (newest?.id !== update.reply.id) return ack;
  const key = `${update.activity.id}/${conversationKey(target)}`;
  await bus.publish(subjectsOf(tenant).delivery(target.channel), request, { id, key });
  return ack;
};
