import type { AgentReply } from "../contract/agent-reply.ts";
import type { DeliveryPolicy, OriginKind, Reach } from "../contract/delivery-policy.ts";

/** By what began the work: its origin's channel says so for those that are no real channels. */
export const originKindOf = ({ origin, audience }: Pick<AgentReply, "origin" | "audience">): OriginKind => {
  if (origin?.channel === "scheduled" || origin?.channel === "a2a-inbound") return origin.channel;
  return audience.conversation.kind;
};

export const isUserStarted = (kind: OriginKind): boolean => kind === "private" || kind === "shared";

/** The first that has a word about it: the person, the channel, the agent. */
export const reachFor = (kind: OriginKind, ...policies: readonly (DeliveryPolicy | undefined)[]): Reach => {
  for (const policy of policies) {
    const reach = policy?.[kind] ?? policy?.default;
    if (reach !== undefined) return reach;
  }
  return "everywhere";
};
