import { z } from "zod";
import type { Capabilities, ChannelAdapter, Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { escapeAnchors } from "../../../adapters/contract/markdown/escape-anchors.ts";
import {
  type Activity,
  type ActivityItem,
  type ActivityState,
  AgentReply,
  activityOf,
} from "../../../core/contract/messages/agent-reply.ts";
import { type Conversation, conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { RequestOf } from "../../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { ack, type Outcome } from "../../../core/contract/ports/bus.ts";
import { collection, keyOf, type Store } from "../../../core/contract/ports/store.ts";
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
    const stored = activityUpdateIn(entry.newest);
    return stored !== undefined && newerUpdate(stored, update) === stored ? entry : { ...entry, newest: update.reply };
  });
  await checkpoint("activity.noted");
  // Another process has stored a newer state and queued it.
  if (newest?.id !== update.reply.id) return ack;
  const key = `${update.activity.id}/${conversationKey(target)}`;
  await bus.publish(subjectsOf(tenant).delivery(target.channel), request, { id, key });
  return ack;
};

const MARKS: Record<ActivityState, string> = {
  pending: "·",
  running: "…",
  completed: "✓",
  failed: "✗",
  cancelled: "–",
};

/** The text of an activity entry. It stays one message: text that does not fit is left out, results first. */
export const activityText = (
  markdown: string,
  { title, items }: Activity,
  { maxPartLength = Number.POSITIVE_INFINITY, measure = (text) => text.length }: Partial<Capabilities> = {},
): string => {
  const ended = items.filter(({ state }) => ENDED.has(state)).length;
  const count = `${ended} of ${items.length} done`;
  const summary = `${title}: ${count}`;
  const forms = [markdown, [summary, ...items.map(lineOf)].join("\n"), summary];
  return forms.find((form) => form.trim() !== "" && measure(form) <= maxPartLength) ?? count;
};

const ENDED: ReadonlySet<ActivityState> = new Set(["completed", "failed", "cancelled"]);

const lineOf = ({ name, state }: ActivityItem): string => `${MARKS[state]} ${name}`;

/** The delivery of one state of an activity entry, always one part. `id` replaces the id of the reply. */
export const activityDelivery = async (
  { anchorIn }: RelayContext,
  { capabilities }: ChannelAdapter,
  { reply, activity }: ActivityUpdate,
  target: Conversation,
  id: string,
): Promise<Delivery> => {
  const markdown = escapeAnchors(activityText(reply.markdown, activity, capabilities));
  return {
    id: `${id}/${conversationKey(target)}/0`,
    reply: { ...reply, id },
    target,
    part: { index: 0, count: 1, markdown },
    anchor: await anchorIn(target, reply),
    mayRepeat: reply.mayRepeat === true,
  };
};
