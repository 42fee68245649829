import type { UserMessage } from "../contract/user-message.ts";
import type { TurnFeatures, TurnRequester } from "../turns/index.ts";

/** Undefined: the turn is for people. Only messages that a feature made can be for an agent. */
export const requesterOf = ({ requesters }: TurnFeatures, message: UserMessage): TurnRequester | undefined =>
  message.synthetic && requesters.find((requester) => requester.isFor(message));
