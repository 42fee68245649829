import type { Audience } from "../contract/agent-reply.ts";
import { sameAccount } from "../people/index.ts";
import type { OwnAccount } from "./caller.ts";

/** An audience for what an account asked for, which may be another one of theirs than the one that sees it. */
export const sentFor = (audience: Audience, asker: OwnAccount | undefined): Audience => {
  const { conversation, accountId } = audience;
  if (asker === undefined || accountId === undefined || conversation.kind === "shared") return audience;
  const isTheSame = sameAccount(asker, { channel: conversation.channel, accountId });
  return isTheSame ? audience : { ...audience, askedBy: { ...asker } };
};
