import { ACTIVITY, type Activity, type AgentReply } from "../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import { sampleReply } from "./sample-reply.ts";

/** A state of a turn's activity entry with two items, which are all completed in a completion. */
export const sampleActivity = (
  turnId: string,
  conversation: Conversation,
  revision: number,
  more: Partial<AgentReply> = {},
  changes: Partial<Activity> = {},
): AgentReply => {
  const { kind = "progress" } = more;
  const state = kind === "completion" ? "completed" : "running";
  const activity: Activity = {
    id: `${turnId}/activity`,
    revision,
    title: "Research",
    items: ["tides", "knots"].map((name) => ({ id: `subtask-${name}`, name, state })),
    ...changes,
  };
  const id = `${turnId}/activity/${revision}`;
  const actions = activity.items
    .filter((item) => item.state === "running")
    .map((item) => ({ name: "cancel", label: `Cancel “${item.name}”`, value: item.id }));
  const data = { [ACTIVITY]: activity };
  return sampleReply(id, conversation, `state ${revision}`, { kind, actions, data, ...more });
};
