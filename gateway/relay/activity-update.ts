import type { Activity } from "../../core/contract/activity.ts";
import { activityOf } from "../../core/contract/activity.ts";
import type { AgentReply } from "../../core/contract/agent-reply.ts";

/** A reply that brings a state of an activity entry. */
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
