import type { Audience } from "../contract/agent-reply.ts";
import type { OwnAccount } from "./caller.ts";

/** The account that asked for a piece of work, wherever its answer goes; none if no person did. */
export const askingAccount = ({ conversation, accountId, askedBy }: Audience): OwnAccount | undefined =>
  askedBy ?? (accountId === undefined ? undefined : { channel: conversation.channel, accountId });
