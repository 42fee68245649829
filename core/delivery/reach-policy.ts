import type { AgentReply } from "../contract/agent-reply.ts";
import type { DeliveryPolicy, OriginKind, Reach } from "../contract/delivery-policy.ts";

/** The kind of work behind a reply. Schedules and peer requests use their kind as the channel of their origin. */
export const originKindOf = ({ origin, audience }: Pick<AgentReply, "origin" | "audience">): OriginKind => {
  if (origin?.channel === "scheduled" || origin?.channel === "a2a-inbound") return origin.channel;
  return audience.conversation.kind;
};

export const isUserStarted = (kind: OriginKind): boolean => kind === "private" || kind === "shared";

/** Solicited replies and progress go to the origin conversation only. */
export const isUnsolicitedFinal = ({ kind, correlationId }: AgentReply): boolean =>
  kind === "final" && correlationId === undefined;

/** The first policy that covers this kind of work decides: the person's, then the channel's, then the agent's. */
export const reachFor = (kind: OriginKind, ...policies: readonly (DeliveryPolicy | undefined)[]): Reach => {
  for (const policy of policies) {
    const reach = policy?.[kind] ?? policy?.default;
    if (reach !== undefined) return reach;
  }
  return "everywhere";
};
