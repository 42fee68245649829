import { activityOf } from "../../core/contract/activity.ts";
import type { ReplyAction } from "../../core/contract/agent-reply.ts";
import type { Delivery } from "../contract/channel-adapter.ts";

const MOST = 24;
/** No value of ours is longer. */
const LONGEST_VALUE = 2_000;

/**
 * What a person can do about a message, under its last part: what the reply offers, asking why (O13), ending work. The
 * first ones matter most.
 */
export const offeredActions = ({ reply, part, anchor }: Delivery): readonly ReplyAction[] => {
  if (part.index < part.count - 1) return [];
  const given = reply.actions ?? [];
  const cancels = (activityOf(reply)?.items ?? [])
    .filter(({ state }) => state === "pending" || state === "running")
    .map(({ id, name }) => ({ name: "cancel", label: `Cancel ${name}`, value: id }));
  const asksWhy = anchor !== null && !given.some(({ name }) => name === "why");
  const all = [...given, ...(asksWhy ? [{ name: "why", label: "Why?", value: reply.id }] : []), ...cancels];
  return all.filter(({ value = "" }) => value.length <= LONGEST_VALUE).slice(0, MOST);
};
