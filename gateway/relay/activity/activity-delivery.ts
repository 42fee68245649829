import type { Capabilities, ChannelAdapter, Delivery } from "../../../adapters/contract/channel-adapter.ts";
import { escapeAnchors } from "../../../adapters/contract/markdown/escape-anchors.ts";
import type { Activity, ActivityItem, ActivityState } from "../../../core/contract/messages/activity.ts";
import { type Conversation, conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { RelayContext } from "../context.ts";
import type { ActivityUpdate } from "./activity-entry.ts";

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
