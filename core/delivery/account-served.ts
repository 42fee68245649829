import type { Audience } from "../contract/agent-reply.ts";
import type { Asker } from "../contract/owner-context.ts";
import type { OwnAccount } from "./caller.ts";

/**
 * The account that a piece of work is done for. What is delivered to another channel than it was asked for on serves
 * the person's account there; the asker's own id means nothing on that channel.
 */
export const accountServed = ({ audience, asker }: { audience: Audience; asker: Asker }): OwnAccount => ({
  channel: audience.conversation.channel,
  accountId: audience.accountId ?? asker.accountId,
});
